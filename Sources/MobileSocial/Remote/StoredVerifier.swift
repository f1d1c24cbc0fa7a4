import Bytes
import Crypto
import Identity
import JOSE
import TokenStorage

/// The password of a user's last login at the server, as far as it takes to recognise it (OMS-12): a record of the kind
/// `.verifier`, one for each user of a service domain. The hash is sealed, so that nobody who reads the store can try
/// passwords on it without the key of the installation.
///
/// Each state of it has a random digest of its own, and takes the place of the one before by `StoreOperation.rotate`: of
/// two processes that change one state, one finds nothing and looks again.
package struct StoredVerifier: Sendable, Equatable {
    package private(set) var record: TokenRecord
    package private(set) var failures: Int64
    /// When an attempt was counted last, in seconds since 1970.
    private(set) var triedAt: Int64

    /// Whether it says nothing any more but that it was missed too often.
    var isWiped: Bool { record.sealed.isEmpty }

    package var standing: LoginPlace.Standing { isWiped ? .wiped : .kept(failures: failures) }

    /// Of a login at the server.
    ///
    /// - Parameters:
    ///   - hash: `{scheme}payload`.
    ///   - seconds: how long it is good.
    ///   - now: seconds since 1970, when the login began.
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

    /// Nil for a record of another kind, and for one that has ended.
    init?(_ record: TokenRecord, now: Int64) {
        guard record.kind == .verifier, record.refreshLives(at: now),
            let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 2),
            let failures = node["failures"]?.integer, failures >= 0, let triedAt = node["tried"]?.integer
        else { return nil }
        self.record = record
        self.failures = failures
        self.triedAt = triedAt
    }

    /// The hash; nil where it was wiped, or sealed with another key.
    func hash(_ key: TokenDigestKey) -> String? {
        guard !isWiped else { return nil }
        return key.open(record.sealed, id: record.id).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The state after one more attempt, which counts as a failure until it turns out to be none.
    func tried(now: Int64) -> StoredVerifier {
        var next = self
        next.failures += 1
        next.triedAt = now
        next.renew()
        return next
    }

    /// The state after a right password.
    func cleared() -> StoredVerifier {
        var next = self
        next.failures = 0
        next.renew()
        return next
    }

    /// The state without the password.
    func wiped() -> StoredVerifier {
        var next = self
        next.record.sealed = []
        next.renew()
        return next
    }

    private mutating func renew() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("failures", failures)
        writer.member("tried", triedAt)
        writer.endObject()
        record.attributes = writer.bytes
        record.refreshDigest = SecureRandom.bytes(TokenDigestKey.digestLength)
    }

    // MARK: Names

    /// A keyed digest: the names of the users say nothing to who lists ids.
    static func id(domain: String, user: String, _ key: TokenDigestKey) -> String {
        // No name of a domain has a control character.
        let name = Array("oic verifier\u{1f}\(domain)\u{1f}\(user)".utf8)
        return key.tokenID(of: name.span)
    }

    /// What all verifiers of a domain have as their application.
    static func register(of domain: String) -> String { "\u{1f}verifiers\u{1f}\(domain)" }
}
