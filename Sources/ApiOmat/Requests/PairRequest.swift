import Bytes
import Identity
import Model
import OAuthServer

/// What a client asks a token map to be like (AOM-01, AOM-04, AOM-07, AOM-10).
struct PairRequest: Sendable {
    /// Values of `extra` that mark what the gateway itself made (AOM-11).
    static let manual = "manuallySet"
    static let facebook = "facebook"

    var system: String
    var scope: ApplicationScope
    /// Empty where none was sent, which is a slot of its own.
    var extra: String
    var accessSeconds: Int64
    var refreshSeconds: Int64

    init(_ form: TokenForm, _ application: Application) throws(TokenFailure) {
        if let app = form["app"], !app.utf8.elementsEqual(application.name.utf8) { throw .conflictingApplication }
        let system = form["system"] ?? application.systems[0]
        guard application.systems.contains(where: { $0.utf8.elementsEqual(system.utf8) }) else {
            throw .invalidParameter
        }
        self.system = system
        scope = try ApplicationScope(requested: form["scope"])
        extra = try PairRequest.extra(form)
        (accessSeconds, refreshSeconds) = try PairRequest.expirations(form, application.expirations)
    }

    /// The lifetimes that the form asks for, in seconds.
    static func expirations(
        _ form: TokenForm, _ standard: Application.Expirations
    ) throws(TokenFailure) -> (access: Int64, refresh: Int64) {
        let access = try seconds(form["access_expiration"], atMost: standard.longestAccess)
        // CON-11: the documentation has it in both spellings.
        let refreshText = form["refresh_expiration"] ?? form["refreh_expiration"]
        let refresh = try seconds(refreshText, atMost: standard.longestRefresh)
        return (access ?? standard.access, refresh ?? standard.refresh)
    }

    private static func seconds(_ text: String?, atMost longest: Int64) throws(TokenFailure) -> Int64? {
        guard let text else { return nil }
        let digits = Array(text.utf8)
        guard let seconds = Decimal.parse(digits.span), seconds > 0, seconds <= longest else {
            throw .invalidParameter
        }
        return Int64(seconds)
    }

    /// AMB-24: two values are the gateway's own. Control characters separate the parts of a slot.
    private static func extra(_ form: TokenForm) throws(TokenFailure) -> String {
        guard let extra = form["extra"] else { return "" }
        guard extra.unicodeScalars.count <= 128, extra.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            ![manual, facebook].contains(where: { $0.utf8.elementsEqual(extra.utf8) })
        else { throw .invalidParameter }
        return extra
    }

    /// The slot of AOM-06: one living pair for each application, system, user and `extra`.
    static func slot(_ application: Application, system: String, subject: String, extra: String) -> String {
        // None of the parts has a control character.
        ["apiomat", application.name, system, subject, extra].joined(separator: "\u{1f}")
    }
}
