import Bytes
import Identity
import Outbound
import TokenStorage

/// Records of access tokens that issuer modules issued for clients (OAUTH-09). With them, the client's routes accept
/// tokens of its token endpoint, and refuse them after revocation. A record holds the claims that the gateway's own
/// token would have, and expires with the token.
package struct GrantRecords: GrantedTokens {
    /// Longest token that is looked up.
    private static let longestToken = 8192

    let store: any TokenStore
    let key: TokenDigestKey

    package init(store: any TokenStore, key: TokenDigestKey) {
        self.store = store
        self.key = key
    }

    package func claims(
        of token: [UInt8], now: Int64
    ) -> Effect<Result<AccessTokenClaims, OpaqueTokenRefusal>> {
        guard token.count <= GrantRecords.longestToken else { return .done(.failure(.unknown)) }
        return store.ask(.find(.access(key.digest(token.span))), now: now) { answer in
            guard case .success(.record(let found)) = answer else { return .done(.failure(.unavailable)) }
            guard let record = found, record.kind == .opaque else { return .done(.failure(.unknown)) }
            guard record.accessLives(at: now) else { return .done(.failure(.expired)) }
            return .done(GrantRecords.claims(of: record).map { .success($0) } ?? .failure(.unknown))
        }
    }

    /// Nil for a record without a holder.
    static func claims(of record: TokenRecord) -> AccessTokenClaims? {
        guard record.kind == .opaque, let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 8),
            let claims = AccessTokenClaims(verified: node), claims.tokenID.isExactly(record.tokenID)
        else { return nil }
        return claims
    }

    /// Records an issued token; false if the store fails.
    ///
    /// A module may issue one token to several callers. Such a token identifies no caller and is refused here.
    ///
    /// - Parameter revocations: receives tokens that are no longer accepted.
    func keep(
        _ token: [UInt8], _ claims: AccessTokenClaims, _ revocations: RevocationList, now: Int64
    ) -> Effect<Bool> {
        let digest = key.digest(token.span)
        var claims = claims
        // A token that was revoked under the name that a former key gives stays revoked.
        let names = key.keyedNames(of: token)
        claims.tokenID =
            names.first { revocations.isRevoked(tokenID: $0, subject: "", backendID: nil, issuedAt: now) } ?? names[0]
        var record = TokenRecord(
            id: key.tokenID(of: (token + Array(" \(claims.backendID) \(claims.subject)".utf8)).span), kind: .opaque,
            application: claims.backendID, subject: claims.subject, tokenID: claims.tokenID,
            accessExpiresAt: claims.expiresAt, issuedAt: now)
        record.accessDigest = digest
        record.attributes = claims.json()
        return store.ask(.insert(record), now: now) { [record, claims] answer in
            switch answer {
            case .success(.record(_?)): .done(true)
            case .success(.conflict): disown(record, claims, revocations, now: now)
            default: .done(false)
            }
        }
    }

    /// Replaces the record of another holder by one without a holder, which lasts as long as either.
    private func disown(
        _ rival: TokenRecord, _ claims: AccessTokenClaims, _ revocations: RevocationList, now: Int64
    ) -> Effect<Bool> {
        let digest = rival.accessDigest ?? []
        return store.ask(.find(.access(digest)), now: now) { answer in
            guard case .success(.record(let holder?)) = answer, holder.kind == .opaque else { return .done(false) }
            guard holder.subject.isExactly(rival.subject), holder.application.isExactly(rival.application),
                !holder.subject.isEmpty
            else { return replace(holder, rival, revocations, now: now) }
            return renew(holder, rival, claims, now: now)
        }
    }

    /// The same holder's record has names under a former key of the store, and keeps them.
    private func renew(
        _ holder: TokenRecord, _ rival: TokenRecord, _ claims: AccessTokenClaims, now: Int64
    ) -> Effect<Bool> {
        var (record, claims) = (rival, claims)
        (record.id, record.tokenID, claims.tokenID) = (holder.id, holder.tokenID, holder.tokenID)
        record.attributes = claims.json()
        return store.ask(.insert(record), now: now) { answer in
            if case .success(.record(_?)) = answer { .done(true) } else { .done(false) }
        }
    }

    private func replace(
        _ holder: TokenRecord, _ rival: TokenRecord, _ revocations: RevocationList, now: Int64
    ) -> Effect<Bool> {
        store.ask(.revoke(.id(holder.id)), now: now) { answer in
            guard case .success(.removed(_)) = answer else { return .done(false) }
            let ends = max(holder.accessExpiresAt, rival.accessExpiresAt)
            revocations.revoke(tokenID: rival.tokenID, until: ends)
            var record = TokenRecord(
                id: rival.tokenID, kind: .opaque, application: rival.application, subject: "",
                tokenID: rival.tokenID, accessExpiresAt: ends, issuedAt: now)
            record.accessDigest = rival.accessDigest
            return store.ask(.insert(record), now: now) { answer in
                if case .success(.record(_?)) = answer { .done(true) } else { .done(false) }
            }
        }
    }
}

extension TokenService {
    var grantRecords: GrantRecords { GrantRecords(store: settings.store, key: settings.storeKey) }

    /// Records a token of a module; nil if that fails. Tokens that the gateway can verify by itself need no record.
    func recorded(_ token: GrantedToken, of issuance: Issuance, now: Int64) -> Effect<GrantedToken?> {
        // A token for another audience is not accepted here.
        if issuance.grant.audience != nil { return .done(token) }
        if let text = String(validating: token.value, as: UTF8.self), ownTokens.signed(text, now: now) != nil {
            return .done(token)
        }
        var grant = issuance.grant
        grant.lifetimeSeconds = token.expiresIn ?? grant.lifetimeSeconds
        let claims = minter.claims(of: grant, tokenID: issuance.tokenID, now: now)
        return grantRecords.keep(token.value, claims, settings.revocations, now: now).map { $0 ? token : nil }
    }
}
