import Bytes
import Crypto
import HTTP
import Identity
import OAuthServer

/// What a login at an identity provider was begun for, and what is to be known of it when it comes back.
package struct LoginErrand: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// A browser at the form of a scheme (SCH-02).
        case form
        /// An application that has sent a browser (RP-02).
        case application
        /// A browser that wants a token for an application (SSO-07).
        case relay
    }

    package var kind: Kind
    /// Of whoever has begun it.
    package var texts: [String]

    package init(_ kind: Kind, _ texts: [String]) {
        self.kind = kind
        self.texts = texts
    }
}

/// A login that is under way at a provider, as `state` carries it through the browser, or a cookie (`LoginsUnderWay`):
/// sealed, so that nobody reads the code verifier or changes where the login leads; bound to the browser by a cookie; good
/// once, and not for long.
struct ProviderTicket: Equatable, Sendable {
    /// Tells it from others, so that it is good once.
    let id: String
    /// Name of the provider that the browser was sent to (RFC 9700 section 4.4).
    let provider: String
    let secrets: LoginSecrets
    /// The browser's half, which its cookie has.
    let nonce: String
    let errand: LoginErrand
    /// Seconds since 1970.
    let expiresAt: Int64

    init(provider: String, errand: LoginErrand, nonce: String, now: Int64) {
        id = AccessTokenMinter.randomID()
        self.provider = provider
        secrets = LoginSecrets()
        self.nonce = nonce
        self.errand = errand
        expiresAt = now + LoginStart.lifetimeSeconds
    }

    /// Whether a text looks like the id of one.
    static func isID(_ text: String) -> Bool { text.isExactly(LoginTicket.nonce(text)) }

    func sealed(_ record: SealedRecord) -> String {
        record.seal(
            [id, provider, secrets.verifier, secrets.nonce, nonce, errand.kind.rawValue] + errand.texts,
            expiresAt: expiresAt)
    }

    /// - Parameters:
    ///   - nonce: what the browser's cookie says; nil for none.
    ///   - now: seconds since 1970.
    init(_ text: String, nonce: String?, _ record: SealedRecord, now: Int64) throws(BrowserLoginFailure) {
        let bytes = Array(text.utf8)
        let opened: SealedRecord.Opened
        do throws(SealedRecord.Failure) {
            opened = try record.open(bytes.span, now: now)
        } catch {
            throw error == .expired ? .expiredForm : .foreignForm
        }
        let texts = opened.texts
        guard let nonce, texts.count >= 6, let kind = LoginErrand.Kind(rawValue: texts[5]),
            constantTimeEqual(Array(texts[4].utf8).span, Array(nonce.utf8).span)
        else { throw .foreignForm }
        id = texts[0]
        provider = texts[1]
        secrets = LoginSecrets(verifier: texts[2], nonce: texts[3])
        self.nonce = nonce
        errand = LoginErrand(kind, Array(texts.dropFirst(6)))
        expiresAt = opened.expiresAt
    }
}
