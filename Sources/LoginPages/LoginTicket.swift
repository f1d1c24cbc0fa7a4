import Bytes
import Crypto
import Identity
import OAuthServer

/// The sealed state of a form: its purpose, the return target, and the browser it was issued to. The browser has the
/// matching half in a cookie, which prevents cross-site request forgery.
package struct LoginTicket: Equatable, Sendable {
    /// How long a form may stay open, in seconds.
    static let lifetimeSeconds: Int64 = 600

    /// The purpose of the form, such as the service domain of a login.
    var purpose: String
    var target: ReturnTarget
    /// The browser's half; random.
    var nonce: String

    init(purpose: String, target: ReturnTarget, nonce: String) {
        self.purpose = purpose
        self.target = target
        self.nonce = nonce
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        record.seal([purpose, target.text, nonce], expiresAt: now + LoginTicket.lifetimeSeconds)
    }

    /// - Parameters:
    ///   - purpose: the required purpose.
    ///   - nonce: from the browser's cookie; nil without one.
    package init(
        _ text: String, for purpose: String, nonce: String?, _ record: SealedRecord, now: Int64
    ) throws(BrowserLoginFailure) {
        let bytes = Array(text.utf8)
        let texts: [String]
        do throws(SealedRecord.Failure) {
            texts = try record.open(bytes.span, now: now).texts
        } catch {
            throw error == .expired ? .expiredForm : .foreignForm
        }
        guard let nonce, texts.count == 3, texts[0].isExactly(purpose),
            let target = ReturnTarget(texts[1]),
            constantTimeEqual(Array(texts[2].utf8).span, Array(nonce.utf8).span)
        else { throw .foreignForm }
        self.init(purpose: purpose, target: target, nonce: nonce)
    }

    /// The browser's existing half, so that several forms can be open at once; otherwise a new one.
    static func nonce(_ held: String?) -> String {
        guard let held, held.utf8.count == 22,
            held.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) })
        else { return AccessTokenMinter.randomID() }
        return held
    }
}
