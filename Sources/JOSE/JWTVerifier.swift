import Bytes
import Crypto

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
        let parts: ReceivedToken
        do throws(TokenRejection) {
            parts = try ReceivedToken(token)
        } catch {
            guard error == .encrypted, issuers.contains(where: { !$0.decryption.keys.isEmpty }) else {
                throw .rejected(error)
            }
            return try decrypted(token, now: now, published)
        }
        return try verified(token, parts, encryptedTo: nil, now: now, published)
    }

    /// Decrypts a token and verifies its content, which must be a signed token.
    private func decrypted(
        _ token: Span<UInt8>, now: Int64, _ published: PublishedKeys
    ) throws(Stop) -> VerifiedToken {
        let (content, parts, key) = try JWTVerifier.rejecting { () throws(TokenRejection) in
            let outer = try EncryptedToken(token)
            var keys: [DecryptionKey] = []
            for issuer in issuers where outer.issuer?.isExactly(issuer.issuer) ?? true {
                // Several issuers may encrypt to the same key; it is tried once for each name.
                keys += issuer.decryption.keys.filter { key in
                    !keys.contains { $0.key.identity == key.key.identity && $0.keyID == key.keyID }
                }
            }
            let (content, key) = try outer.opened(with: keys)
            let parts = try JWTVerifier.signedToken(content)
            // RFC 7519 section 5.3: a claim of the header must be that of the content.
            if let name = outer.issuer, parts.registered.issuer?.isExactly(name) != true { throw .unknownIssuer }
            return (content, parts, key)
        }
        return try verified(content.span, parts, encryptedTo: key, now: now, published)
    }

    /// The signed token inside an encrypted one. Neither claims without a signature nor another encrypted token.
    private static func signedToken(_ content: [UInt8]) throws(TokenRejection) -> ReceivedToken {
        do throws(TokenRejection) {
            return try ReceivedToken(content.span)
        } catch {
            throw error == .malformed || error == .encrypted ? .unsigned : error
        }
    }

    /// - Parameter key: that decrypted the token; nil for a token that was not encrypted.
    private func verified(
        _ token: Span<UInt8>, _ parts: ReceivedToken, encryptedTo key: DecryptionKey?, now: Int64,
        _ published: PublishedKeys
    ) throws(Stop) -> VerifiedToken {
        var stop = Stop.rejected(.unknownIssuer)
        guard let name = parts.registered.issuer else { throw stop }
        // Several entries may have the same issuer with different requirements; the first that accepts wins.
        for index in issuers.indices where issuers[index].issuer.isExactly(name) {
            let end: Int64
            do throws(Stop) {
                try JWTVerifier.rejecting { () throws(TokenRejection) in try issuers[index].decryption.check(key) }
                end = try verify(token, parts, issuers[index], index, published, now)
            } catch {
                // An undecided entry takes precedence over one that refuses.
                if case .rejected = stop { stop = error }
                continue
            }
            // `check` throws without an expiry.
            guard let expiresAt = parts.registered.expiresAt else { throw .rejected(.missingExpiry) }
            return VerifiedToken(
                issuerIndex: index, claims: parts.claims, subject: parts.registered.subject,
                expiresAt: min(expiresAt, end),
                issuedAt: parts.registered.issuedAt, tokenID: parts.registered.tokenID, keyID: parts.jws.keyID,
                type: parts.jws.type, algorithm: parts.algorithm
            )
        }
        throw stop
    }

    /// Verifies a token for one entry.
    /// - Returns: last second at which its key is valid.
    private func verify(
        _ token: Span<UInt8>, _ parts: ReceivedToken, _ issuer: TrustedIssuer, _ index: Int, _ published: PublishedKeys,
        _ now: Int64
    ) throws(Stop) -> Int64 {
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
        case .certified(let authorities):
            return try JWTVerifier.rejecting { () throws(TokenRejection) in
                try parts.check(issuer, now: now)
                let signer = try authorities.signer(of: token, now: now)
                let key = JSONWebKey(kid: nil, algorithm: nil, key: signer.key)
                guard key.accepts(parts.algorithm) else { throw .algorithmMismatch }
                try parts.jws.verify(token, with: KeySet(keys: [key], hasNames: false))
                return signer.notAfter
            }
        }
        return .max
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
            // An invalid signature and that of a key which replaces another one are indistinguishable.
            guard error == .badSignature else { throw .rejected(error) }
            need.wasTriedInVain = true
            _ = try self.keys(of: source, need, index, published, now)
            throw .rejected(error)
        }
    }

    private func keys(
        of source: any KeySource, _ need: KeyNeed, _ index: Int, _ published: PublishedKeys, _ now: Int64
    ) throws(Stop) -> KeySet {
        let keys: KeyAvailability
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
