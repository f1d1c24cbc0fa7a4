import Bytes
import Endpoints
import Identity
import Outbound
import TokenStorage

/// The records of access tokens that issuer modules have made for backends (OAUTH-09): by them the routes of the backend take
/// what its token endpoint gives out, and refuse it once it was revoked. A record holds the claims that the gateway's own
/// token would have had, and ends with the token.
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

    /// Nil for a record that names no holder.
    static func claims(of record: TokenRecord) -> AccessTokenClaims? {
        guard record.kind == .opaque, let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 8),
            let claims = AccessTokenClaims(verified: node), claims.tokenID.isExactly(record.tokenID)
        else { return nil }
        return claims
    }

    /// Records the issue of a token; false where the store does not answer.
    ///
    /// A module may give one token to several callers. Nobody can be recognised by that, so that it opens nothing here.
    ///
    /// - Parameter revocations: told of a token that opens nothing any more.
    func keep(
        _ token: [UInt8], _ claims: AccessTokenClaims, _ revocations: RevocationList, now: Int64
    ) -> Effect<Bool> {
        let digest = key.digest(token.span)
        var claims = claims
        claims.tokenID = key.tokenID(of: token.span)
        var record = TokenRecord(
            id: key.tokenID(of: (token + Array(" \(claims.backendID) \(claims.subject)".utf8)).span), kind: .opaque,
            application: claims.backendID, subject: claims.subject, tokenID: claims.tokenID,
            accessExpiresAt: claims.expiresAt, issuedAt: now)
        record.accessDigest = digest
        record.attributes = claims.json()
        return store.ask(.insert(record), now: now) { [record] answer in
            switch answer {
            case .success(.record(_?)): .done(true)
            case .success(.conflict): disown(record, revocations, now: now)
            default: .done(false)
            }
        }
    }

    /// Replaces the record of another holder, or of none, by one of none that lasts as long as either.
    private func disown(_ rival: TokenRecord, _ revocations: RevocationList, now: Int64) -> Effect<Bool> {
        let digest = rival.accessDigest ?? []
        return store.ask(.find(.access(digest)), now: now) { answer in
            guard case .success(.record(let holder?)) = answer, holder.kind == .opaque else { return .done(false) }
            return replace(holder, rival, revocations, now: now)
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

    /// Records a token that a module has made; nil where that fails. One that the gateway reads by itself needs no record.
    func recorded(_ token: GrantedToken, of issuance: Issuance, now: Int64) -> Effect<GrantedToken?> {
        // A token for another audience opens nothing here.
        if issuance.grant.audience != nil { return .done(token) }
        if let text = String(validating: token.value, as: UTF8.self), ownTokens.signed(text, now: now) != nil {
            return .done(token)
        }
        var grant = issuance.grant
        grant.lifetimeSeconds = token.expiresIn ?? grant.lifetimeSeconds
        let claims = minter.claims(of: grant, tokenID: issuance.tokenID, now: now)
        return grantRecords.keep(token.value, claims, settings.revocations, now: now).map { $0 ? token : nil }
    }

    /// Ends a token that a module has made for this client; nil where the token is none.
    func revokeGranted(_ digest: [UInt8], _ backend: Backend, now: Int64) -> Effect<EndpointResponse> {
        ask(.find(.access(digest)), now: now) { [self] answer in
            guard case .record(let record?) = answer, record.kind == .opaque else {
                return .done(TokenService.revoked(backend, subject: "", tokenID: ""))
            }
            guard record.application.isExactly(backend.mobileBackendID) else {
                return .done(TokenFailure.tokenOfAnotherClient.response)
            }
            return ask(.revoke(.id(record.id)), now: now) { [self] answer in
                if case .removed(let records) = answer { end(records) }
                return .done(TokenService.revoked(backend, subject: record.subject, tokenID: record.tokenID))
            }
        }
    }
}
