import Bytes
import Crypto
import Identity
import OAuthServer

/// The purpose of a login at an identity provider, with the state to restore on return.
package struct LoginPurpose: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// A browser login at a scheme's form (SCH-02).
        case form
        /// An application that redirected the browser (RP-02).
        case application
        /// A client of the token service: `LoginFlow` (SSO-07).
        case client
    }

    package var kind: Kind
    /// State of the component that started the login.
    package var texts: [String]

    package init(_ kind: Kind, _ texts: [String]) {
        self.kind = kind
        self.texts = texts
    }
}

/// A pending login at a provider, carried by `state` through the browser or in a cookie (`LoginsUnderWay`). Sealed, so
/// that the code verifier is secret and the target cannot be changed; bound to the browser by a cookie; usable once and
/// for a short time.
struct ProviderTicket: Equatable, Sendable {
    /// Unique id, which makes it single-use.
    let id: String
    /// Name of the provider that the browser was redirected to (RFC 9700 section 4.4).
    let provider: String
    let secrets: LoginSecrets
    /// The browser's half, also in its cookie.
    let nonce: String
    let purpose: LoginPurpose
    /// Seconds since 1970.
    let expiresAt: Int64

    init(provider: String, purpose: LoginPurpose, nonce: String, now: Int64) {
        id = AccessTokenMinter.randomID()
        self.provider = provider
        secrets = LoginSecrets()
        self.nonce = nonce
        self.purpose = purpose
        expiresAt = now + LoginStart.lifetimeSeconds
    }

    /// Whether it is of the browser with this half, and not too old.
    /// - Parameters:
    ///   - nonce: from the browser's cookie; nil without one.
    ///   - now: seconds since 1970.
    func isOpen(to nonce: String?, now: Int64) -> Bool {
        guard let nonce, now < expiresAt else { return false }
        return constantTimeEqual(Array(self.nonce.utf8).span, Array(nonce.utf8).span)
    }

    /// Whether a text has the format of an id.
    static func isID(_ text: String) -> Bool { text.isExactly(LoginTicket.nonce(text)) }

    func sealed(_ record: SealedRecord) -> String {
        record.seal(
            [id, provider, secrets.verifier, secrets.nonce, nonce, purpose.kind.rawValue] + purpose.texts,
            expiresAt: expiresAt)
    }

    /// Nil for a text that was not sealed here. It may be of another browser, or of an earlier time.
    init?(_ text: String, _ record: SealedRecord) {
        let bytes = Array(text.utf8)
        guard let opened = try? record.open(bytes.span, now: .min), opened.texts.count >= 6,
            let kind = LoginPurpose.Kind(rawValue: opened.texts[5])
        else { return nil }
        let texts = opened.texts
        id = texts[0]
        provider = texts[1]
        secrets = LoginSecrets(verifier: texts[2], nonce: texts[3])
        nonce = texts[4]
        purpose = LoginPurpose(kind, Array(texts.dropFirst(6)))
        expiresAt = opened.expiresAt
    }
}
