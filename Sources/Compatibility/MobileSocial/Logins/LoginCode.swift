import Bytes
import Crypto
import Identity
import Model
import OAuthServer
import TokenStorage

/// The one-time code of an application for a login by browser, valid for a minute and this application only (RP-02).
/// The store holds the login.
struct LoginCode: Sendable {
    static let lifetimeSeconds: Int64 = 60

    /// Of the session to open.
    let facts: MobileSession.Facts
    let subject: String
    /// Name of the user at the provider.
    let username: String
    /// PKCE challenge (RFC 7636); empty for none.
    let challenge: String
    /// The provider's, if the application gets it.
    let accessToken: String?

    private static let prefix = "rc"

    static func random() -> String { TokenType.random(prefix) }

    /// Whether it has the form of a code, so that no other record is revoked by it.
    static func isCode(_ text: String) -> Bool { text.utf8.starts(with: "\(prefix).v1.".utf8) }

    init(facts: MobileSession.Facts, subject: String, username: String, challenge: String, accessToken: String?) {
        self.facts = facts
        self.subject = subject
        self.username = username
        self.challenge = challenge
        self.accessToken = accessToken
    }

    /// - Parameter text: the code, of which the record has a digest only.
    func record(_ text: String, _ backend: Client, _ key: TokenDigestKey, now: Int64) -> TokenRecord {
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .code, application: backend.id, subject: subject,
            tokenID: "", accessExpiresAt: now + LoginCode.lifetimeSeconds, issuedAt: now)
        record.accessDigest = key.digest(text)
        if let accessToken { record.sealed = key.seal(Array(accessToken.utf8), id: record.id) }
        record.attributes = JSONWriter.object { writer in
            writer.member("facts", String(decoding: facts.json, as: UTF8.self))
            writer.member("user", username)
            writer.member("challenge", challenge)
        }
        return record
    }

    /// Nil for a record of another kind.
    init?(_ record: TokenRecord, _ key: TokenDigestKey) {
        guard record.kind == .code, let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 4),
            let facts = node["facts"]?.string.flatMap({ MobileSession.Facts(Array($0.utf8)) }),
            let username = node["user"]?.string, let challenge = node["challenge"]?.string
        else { return nil }
        var token: String?
        if !record.sealed.isEmpty {
            token = key.open(record.sealed, id: record.id).flatMap { String(validating: $0, as: UTF8.self) }
        }
        self.init(facts: facts, subject: record.subject, username: username, challenge: challenge, accessToken: token)
    }

    /// Whether the verifier matches the challenge (RFC 7636 section 4.6). A verifier without a challenge is refused,
    /// since it indicates a downgrade (RFC 9700 section 4.8.2).
    func isProven(by verifier: String?) -> Bool {
        guard let verifier else { return challenge.isEmpty }
        let expected = LoginSecrets.challenge(of: verifier)
        return !challenge.isEmpty && constantTimeEqual(Array(expected.utf8).span, Array(challenge.utf8).span)
    }
}
