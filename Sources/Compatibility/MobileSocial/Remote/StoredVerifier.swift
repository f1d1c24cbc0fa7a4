import Bytes
import Crypto
import TokenStorage

/// The hash of the password of a user's last login at the server (OMS-12): a record of the kind `.verifier`, one for
/// each user of a service domain. The hash is sealed, so that a reader of the store cannot try passwords without the
/// key of the installation.
///
/// Each state has a random digest and replaces the previous one by `StoreOperation.rotate`. If two processes change one
/// state, one of them fails and tries again.
package struct StoredVerifier: Sendable, Equatable {
    package private(set) var record: TokenRecord
    package private(set) var failures: Int64
    /// Time of the last counted attempt in seconds since 1970.
    private(set) var triedAt: Int64

    /// Whether the hash was removed after too many failures.
    var isWiped: Bool { record.sealed.isEmpty }

    package var state: PasswordSource.VerifierState { isWiped ? .wiped : .kept(failures: failures) }

    /// The verifier of a login at the server.
    ///
    /// - Parameters:
    ///   - hash: `{scheme}payload`.
    ///   - seconds: its lifetime.
    ///   - now: start of the login in seconds since 1970.
    init(hash: String, domain: String, user: String, seconds: Int64, _ key: TokenDigestKey, now: Int64) {
        let id = StoredVerifier.id(domain: domain, user: user, key)
        record = TokenRecord(
            id: id, kind: .verifier, application: StoredVerifier.register(of: domain), subject: user, tokenID: "",
            accessExpiresAt: now + seconds, issuedAt: now)
        record.refreshExpiresAt = now + seconds
        record.sealed = key.seal(Array(hash.utf8), id: id)
        failures = 0
        triedAt = 0
        renew()
    }

    /// Nil for a record of another kind and for an expired one.
    init?(_ record: TokenRecord, now: Int64) {
        guard record.kind == .verifier, record.refreshLives(at: now),
            let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 2),
            let failures = node["failures"]?.integer, failures >= 0, let triedAt = node["tried"]?.integer
        else { return nil }
        self.record = record
        self.failures = failures
        self.triedAt = triedAt
    }

    /// The hash; nil if it was wiped or sealed with another key.
    func hash(_ key: TokenDigestKey) -> String? {
        guard !isWiped else { return nil }
        return key.open(record.sealed, id: record.id).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The state after one more attempt, which counts as a failure until the password is found right.
    func tried(now: Int64) -> StoredVerifier {
        changed {
            $0.failures += 1
            $0.triedAt = now
        }
    }

    /// The state after a right password.
    func cleared() -> StoredVerifier { changed { $0.failures = 0 } }

    /// The state without the password.
    func wiped() -> StoredVerifier { changed { $0.record.sealed = [] } }

    private func changed(_ change: (inout StoredVerifier) -> Void) -> StoredVerifier {
        var next = self
        change(&next)
        next.renew()
        return next
    }

    private mutating func renew() {
        record.attributes = JSONWriter.object { writer in
            writer.member("failures", failures)
            writer.member("tried", triedAt)
        }
        record.refreshDigest = SecureRandom.bytes(TokenDigestKey.digestLength)
    }

    // MARK: Names

    /// A keyed digest, so that ids do not reveal user names.
    static func id(domain: String, user: String, _ key: TokenDigestKey) -> String {
        ids(domain: domain, user: user, key)[0]
    }

    /// Under all keys, that of the one in use in front.
    static func ids(domain: String, user: String, _ key: TokenDigestKey) -> [String] {
        // No name of a domain has a control character.
        key.keyedNames(of: Array("oic verifier\u{1f}\(domain)\u{1f}\(user)".utf8))
    }

    /// `TokenRecord.application` of all verifiers of a domain.
    static func register(of domain: String) -> String { "\u{1f}verifiers\u{1f}\(domain)" }
}
