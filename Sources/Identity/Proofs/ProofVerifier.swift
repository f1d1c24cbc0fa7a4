import Crypto
import JOSE

/// Checks proofs of possession (RFC 9449 section 4.3) and makes the nonces for them.
package struct ProofVerifier: Sendable {
    /// How far in the future `iat` may be, in seconds.
    package static let clockSkewSeconds: Int64 = 5
    /// How long a nonce is accepted, in seconds.
    package static let nonceSeconds: Int64 = 300
    /// Purpose of the sealed nonces.
    private static let purpose = "portcullis dpop nonce 1"

    /// A proof that counts.
    package struct Accepted: Sendable, Equatable {
        /// SHA-256 thumbprint of its key.
        package let key: [UInt8]
        /// Whether the client should get another nonce, since its own ends soon.
        package let needsNonce: Bool
    }

    private let lifetimeSeconds: Int64
    private let replays: ProofReplays
    /// Seals the nonces; nil where none is required. A nonce is the time of its end, which all instances with the same
    /// keys can read.
    private let nonces: SealedRecord?

    /// - Parameters:
    ///   - lifetimeSeconds: the greatest age of a proof by its `iat`.
    ///   - keys: of the nonces; nil where none is required.
    package init(
        lifetimeSeconds: Int64 = 60, replays: ProofReplays = ProofReplays(), nonceKeys keys: AEADKeyRing? = nil
    ) {
        self.lifetimeSeconds = lifetimeSeconds
        self.replays = replays
        nonces = keys.map { SealedRecord(keys: $0, purpose: ProofVerifier.purpose) }
    }

    /// A nonce for the next proof of a client; nil where none is required.
    /// - Parameter now: seconds since 1970.
    package func nonce(now: Int64) -> String? {
        nonces?.seal([], expiresAt: now + ProofVerifier.nonceSeconds)
    }

    /// Checks a proof, which counts once.
    /// - Parameters:
    ///   - text: the value of the only `DPoP` field.
    ///   - key: thumbprint of the key that it must be signed with; nil for any.
    ///   - token: the access token that it must be for; nil where the request has none.
    ///   - now: seconds since 1970.
    ///   - isForRequest: whether `htm` and `htu` are those of the request.
    package func check(
        _ text: Span<UInt8>, key: [UInt8]?, token: [UInt8]?, now: Int64,
        isForRequest: (_ method: String, _ url: String) -> Bool
    ) throws(ProofRejection) -> Accepted {
        let proof = try PossessionProof(text)
        if let key, key != proof.thumbprint { throw .otherKey }
        guard isForRequest(proof.method, proof.url) else { throw .otherRequest }
        guard proof.issuedAt <= now + ProofVerifier.clockSkewSeconds, proof.issuedAt >= now - lifetimeSeconds else {
            throw .outOfTime
        }
        if let token, proof.tokenDigest != DigestAlgorithm.sha256.digest(token.span) { throw .otherToken }
        try proof.verify(text)
        let nonceEnd = try end(of: proof.nonce, now: now)
        // Only what would count is remembered: others fill no memory.
        let life = lifetimeSeconds + ProofVerifier.clockSkewSeconds + 1
        guard replays.remember(proof, for: life, now: now) else { throw .replayed }
        return Accepted(key: proof.thumbprint, needsNonce: nonceEnd < now + ProofVerifier.nonceSeconds / 2)
    }

    /// When a nonce ends; `.max` where none is required.
    private func end(of nonce: String?, now: Int64) throws(ProofRejection) -> Int64 {
        guard let nonces else { return .max }
        guard let nonce, let opened = try? nonces.open(Array(nonce.utf8).span, now: now) else { throw .nonceRequired }
        return opened.expiresAt
    }
}
