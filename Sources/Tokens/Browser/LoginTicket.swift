import Bytes
import Crypto

/// What a login form carries for the gateway: where the browser goes back to, and that the form was handed out to this
/// browser. The browser holds the other half in a cookie, so that nobody can have somebody else send it (SSO-07).
struct LoginTicket: Equatable {
    /// How long a form may stay open, in seconds.
    static let lifetimeSeconds: Int64 = 600

    /// What the form is for, such as the service domain that is signed in to.
    var purpose: String
    var target: ReturnTarget
    /// The browser's half, random.
    var nonce: String

    init(purpose: String, target: ReturnTarget, nonce: String) {
        self.purpose = purpose
        self.target = target
        self.nonce = nonce
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        record.seal([purpose, target.text, nonce], expiresAt: now + LoginTicket.lifetimeSeconds)
    }

    /// - Parameter nonce: what the browser's cookie says; nil for none.
    /// - Returns: nil for a form that was handed out to another browser, or too long ago.
    init?(_ text: String, nonce: String?, _ record: SealedRecord, now: Int64) {
        guard let nonce, let (texts, _) = record.open(Array(text.utf8).span, now: now), texts.count == 3,
            let target = ReturnTarget(texts[1]),
            constantTimeEqual(Array(texts[2].utf8).span, Array(nonce.utf8).span)
        else { return nil }
        self.init(purpose: texts[0], target: target, nonce: texts[2])
    }
}
