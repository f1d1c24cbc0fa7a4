import Bytes

/// Verifies JSON Web Tokens.
///
/// The unverified `iss` selects the issuer; nothing else of the token is used before its signature is verified with a
/// key of that issuer. Immutable and thread-safe.
package final class JWTVerifier: Sendable {
    package let issuers: [TrustedIssuer]

    package init(issuers: [TrustedIssuer]) { self.issuers = issuers }

    /// Verifies a token in compact serialisation.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - keys: the source of published keys.
    package func verify(_ token: Span<UInt8>, now: Int64, with keys: PublishedKeys = .asked) -> VerificationOutcome {
        do throws(Stop) {
            return .verified(try verified(token, now: now, keys))
        } catch {
            switch error {
            case .rejected(let rejection): return .rejected(rejection)
            case .needsKeys(let need, let index): return .needsKeys(issuerIndex: index, need)
            case .keysUnavailable: return .keysUnavailable
            }
        }
    }

    /// The source of published keys of a verification.
    package enum PublishedKeys {
        /// Their source, which may need to fetch them first.
        case asked
        /// Their source without fetching; the result is never `.needsKeys`.
        case atHand
        /// Keys that were just fetched for the issuer at this index.
        case fetched(KeySet, issuerIndex: Int)
    }

    /// Why a token was not verified.
    private enum Stop: Error {
        case rejected(TokenRejection)
        case needsKeys(KeyNeed, issuerIndex: Int)
        case keysUnavailable
    }

    private func verified(
        _ token: Span<UInt8>, now: Int64, _ published: PublishedKeys
    ) throws(Stop) -> VerifiedToken {
        let parts = try JWTVerifier.rejecting { () throws(TokenRejection) in try ReceivedToken(token) }
        var stop = Stop.rejected(.unknownIssuer)
        guard let name = parts.registered.issuer else { throw stop }
        // Several entries may have the same issuer with different requirements; the first that accepts wins.
        for index in issuers.indices where issuers[index].issuer.isExactly(name) {
            do throws(Stop) {
                try verify(token, parts, issuers[index], index, published, now)
            } catch {
                // An undecided entry takes precedence over one that refuses.
                if case .rejected = stop { stop = error }
                continue
            }
            // `check` throws without an expiry.
            guard let expiresAt = parts.registered.expiresAt else { throw .rejected(.missingExpiry) }
            return VerifiedToken(
                issuerIndex: index, claims: parts.claims, subject: parts.registered.subject, expiresAt: expiresAt,
                issuedAt: parts.registered.issuedAt, tokenID: parts.registered.tokenID, keyID: parts.jws.keyID,
                type: parts.jws.type
            )
        }
        throw stop
    }

    /// Verifies a token for one entry.
    private func verify(
        _ token: Span<UInt8>, _ parts: ReceivedToken, _ issuer: TrustedIssuer, _ index: Int, _ published: PublishedKeys,
        _ now: Int64
    ) throws(Stop) {
        guard issuer.allows(parts.jws.algorithm) else { throw .rejected(.unsupportedAlgorithm) }
        var keys = issuer.keys
        if case .fetched(let fetched, issuerIndex: index) = published { keys = .fixed(fetched) }
        switch keys {
        case .fixed(let keys):
            _ = try JWTVerifier.rejecting { () throws(TokenRejection) in try parts.jws.verify(token, with: keys) }
            try JWTVerifier.rejecting { () throws(TokenRejection) in try parts.check(issuer, now: now) }
        case .published(let source):
            // Before fetching keys, which a token that is refused anyway must not cause.
            try JWTVerifier.rejecting { () throws(TokenRejection) in try parts.check(issuer, now: now) }
            try verify(token, parts.jws, source, index, published, now)
        }
    }

    private func verify(
        _ token: Span<UInt8>, _ jws: CompactJWS, _ source: any KeySource, _ index: Int, _ published: PublishedKeys,
        _ now: Int64
    ) throws(Stop) {
        var need = KeyNeed(keyID: jws.keyID, algorithm: jws.algorithm)
        let keys = try keys(of: source, need, index, published, now)
        do throws(TokenRejection) {
            try jws.verify(token, with: keys)
        } catch {
            // Without a `kid`, a new key and an invalid signature are indistinguishable.
            guard error == .badSignature, need.keyID == nil else { throw .rejected(error) }
            need.wasTriedInVain = true
            _ = try self.keys(of: source, need, index, published, now)
            throw .rejected(error)
        }
    }

    private func keys(
        of source: any KeySource, _ need: KeyNeed, _ index: Int, _ published: PublishedKeys, _ now: Int64
    ) throws(Stop) -> KeySet {
        let keys: KeysNow
        if case .atHand = published {
            keys = source.keysAtHand(for: need, now: now)
        } else {
            keys = source.keys(for: need, now: now)
        }
        switch keys {
        case .ready(let keys): return keys
        case .fetch: throw .needsKeys(need, issuerIndex: index)
        case .unavailable: throw .keysUnavailable
        }
    }

    private static func rejecting<T>(_ body: () throws(TokenRejection) -> T) throws(Stop) -> T {
        do throws(TokenRejection) { return try body() } catch { throw .rejected(error) }
    }
}
