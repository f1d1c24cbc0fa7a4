import Bytes
import Model
import OAuthServer

/// The parameters of a request for a token map (AOM-01, AOM-04, AOM-07, AOM-10).
struct PairRequest: Sendable {
    /// Values of `extra` that are reserved for the gateway (AOM-11).
    static let manual = "manuallySet"
    static let facebook = "facebook"

    var system: String
    var scope: ApplicationScope
    /// Empty if none was sent, which is a slot of its own.
    var extra: String
    var accessSeconds: Int64
    var refreshSeconds: Int64

    init(_ form: TokenForm, _ application: Application) throws(TokenFailure) {
        if let app = form["app"], !app.isExactly(application.name) { throw .conflictingApplication }
        let system = form["system"] ?? application.systems[0]
        guard application.systems.contains(where: { $0.isExactly(system) }) else { throw .invalidParameter }
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
        guard let seconds = Decimal.parse(Array(text.utf8).span), seconds > 0, seconds <= longest else {
            throw .invalidParameter
        }
        return Int64(seconds)
    }

    /// AMB-24: two values are reserved. Control characters separate the parts of a slot.
    private static func extra(_ form: TokenForm) throws(TokenFailure) -> String {
        guard let extra = form["extra"] else { return "" }
        guard extra.unicodeScalars.count <= 128, extra.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            ![manual, facebook].contains(where: { $0.isExactly(extra) })
        else { throw .invalidParameter }
        return extra
    }

    /// The slot of AOM-06: one valid pair for each application, system, user and `extra`.
    static func slot(_ application: Application, system: String, subject: String, extra: String) -> String {
        // None of the parts has a control character.
        ["apiomat", application.name, system, subject, extra].joined(separator: "\u{1f}")
    }
}

/// What a token of an ApiOmat application may be used for (AOM-07).
struct ApplicationScope: Sendable, Equatable {
    /// `read write`, `read`, `write` or `read_only`.
    let text: String

    /// Scope of manual tokens (AOM-19).
    static let readOnly = ApplicationScope(recorded: "read_only")

    /// - Parameter requested: the parameter's value; nil requests everything.
    init(requested: String?) throws(TokenFailure) {
        let names = (requested ?? "read write").utf8.split(separator: 0x20).map { String($0) ?? "" }
        let known = ["read", "write"].filter { name in names.contains { $0.isExactly(name) } }
        let isReadOnly = !names.isEmpty && names.allSatisfy { $0.isExactly("read_only") }
        guard isReadOnly || (!known.isEmpty && names.allSatisfy { ["read", "write"].contains($0) }) else {
            throw .invalidScope
        }
        text = isReadOnly ? "read_only" : known.joined(separator: " ")
    }

    init(recorded text: String) { self.text = text }

    /// Whether it allows methods other than GET, HEAD and OPTIONS (AOM-08).
    var canWrite: Bool { text.utf8.split(separator: 0x20).contains { $0.elementsEqual("write".utf8) } }
}
