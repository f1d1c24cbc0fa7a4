import Bytes
import Endpoints
import Identity
import Model
import Outbound
import TokenStorage

extension TokenService {
    /// RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each refresh token is good for one use, and one
    /// that comes a second time ends all that came of the same login, because one of its two holders is a thief.
    func refresh(
        _ form: TokenForm, _ backend: Backend, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        // OAUTH-05: who has not opted in gets the answer of a server without refresh tokens.
        guard let lifetimes = backend.grants.refresh else { throw .unsupportedGrantType }
        guard let token = form["refresh_token"] else { throw .missingParameter }
        let digest = settings.storeKey.digest(token)
        let wanted = form["scope"]
        let renewed: @Sendable (TokenRecord) -> Effect<EndpointResponse> = { [self] record in
            do throws(TokenFailure) {
                let next = try renewal(of: record, scope: wanted, backend, lifetimes, now: now)
                return renew(digest, next, backend, lifetimes, now: now)
            } catch {
                return .done(error.response)
            }
        }
        return ask(.find(.refresh(digest)), now: now) { [self] answer in
            if case .record(let record?) = answer { return renewed(record) }
            guard lifetimes.reuseSeconds > 0 else { return refuseUnknown(digest, backend, now: now) }
            // Whoever has lost the answer comes again with the token of before, and gets another pair in its place.
            return ask(.successor(of: digest), now: now) { [self] answer in
                guard case .record(let record?) = answer else { return refuseUnknown(digest, backend, now: now) }
                return renewed(record)
            }
        }
    }

    /// The digest is nobody's now. Where it once was, the family ends here.
    private func refuseUnknown(_ digest: [UInt8], _ backend: Backend, now: Int64) -> Effect<EndpointResponse> {
        // Nothing is put in the place of nothing.
        let nothing = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .refresh, application: backend.mobileBackendID, subject: "",
            tokenID: "", accessExpiresAt: 0, issuedAt: now)
        return ask(
            .rotate(refresh: digest, application: backend.mobileBackendID, proposed: nothing, reuse: .detected()),
            now: now
        ) { .done(TokenService.refusal(of: $0).response) }
    }

    private static func refusal(of answer: StoreAnswer) -> TokenFailure {
        if case .reused = answer { .refreshTokenReused } else { .invalidRefreshToken }
    }

    /// What a refresh token leads to.
    private struct Renewal: Sendable {
        let issuance: Issuance
        let record: TokenRecord
    }

    private func renewal(
        of record: TokenRecord, scope: String?, _ backend: Backend, _ lifetimes: RefreshLifetimes, now: Int64
    ) throws(TokenFailure) -> Renewal {
        // Bound to the client that it was issued to (RFC 6749 section 10.4).
        guard record.kind == .refresh, record.application.utf8.elementsEqual(backend.mobileBackendID.utf8),
            record.refreshLives(at: now), let family = RefreshFamily(record.attributes),
            family.authenticatedAt + lifetimes.familySeconds > now,
            // A user whose tokens were all revoked is not let in by what is left of them: the date is that of the login,
            // whatever has come of it since.
            !settings.revocations.isRevoked(
                tokenID: nil, subject: record.subject, backendID: record.application,
                issuer: OwnAccessTokens.issuerName, issuedAt: family.authenticatedAt),
            let roles = roles(of: record.subject, family, realm: backend.realm)
        else { throw .invalidRefreshToken }
        var grant = AccessTokenMinter.Grant(
            subject: record.subject, kind: .user, backend: backend, lifetimeSeconds: userTokenSeconds(of: backend))
        grant.roles = roles
        grant.level = family.level
        grant.virtual = family.virtual
        grant.authenticatedAt = family.authenticatedAt
        grant.methods = family.methods
        let scope = try GrantedScope(requested: scope, granted: record.scope, allowed: settings.scopes)
        grant.scope = scope.claim
        var issuance = Issuance(grant, scope, action: "refresh_token")
        var next = refreshRecord(&issuance, family, lifetimes, id: record.id, now: now)
        // RFC 6749 section 6: the new refresh token keeps the scope of the old one.
        next.scope = record.scope
        return Renewal(issuance: issuance, record: next)
    }

    /// The roles that the user has now, or nil for one that may no longer log in.
    private func roles(of subject: String, _ family: RefreshFamily, realm: String) -> [String]? {
        if family.virtual { return family.roles }
        guard let user = settings.users.user(named: subject, realm: realm), user.enabled else { return nil }
        return settings.catalogue.names(of: settings.catalogue.roles(named: user.roles))
    }

    private func renew(
        _ digest: [UInt8], _ next: Renewal, _ backend: Backend, _ lifetimes: RefreshLifetimes, now: Int64
    ) -> Effect<EndpointResponse> {
        let operation = StoreOperation.rotate(
            refresh: digest, application: backend.mobileBackendID, proposed: next.record,
            reuse: .detected(graceSeconds: lifetimes.reuseSeconds))
        return ask(operation, now: now) { [self] answer in
            guard case .rotated(let old) = answer else { return .done(TokenService.refusal(of: answer).response) }
            end([old])
            return issue(next.issuance, now: now)
        }
    }

    // MARK: The first of a family

    /// Keeps the refresh token that goes with a fresh access token.
    func beginFamily(_ issuance: Issuance, _ lifetimes: RefreshLifetimes, now: Int64) -> Effect<EndpointResponse> {
        var issuance = issuance
        let record = refreshRecord(
            &issuance, RefreshFamily(issuance.grant, now: now), lifetimes, id: AccessTokenMinter.randomID(), now: now)
        return ask(.insert(record), now: now) { [self, issuance] answer in
            guard case .record = answer else { return .done(TokenFailure.storeUnavailable.response) }
            return issue(issuance, now: now)
        }
    }

    /// Gives an issuance a refresh token; what the store is to know of it.
    private func refreshRecord(
        _ issuance: inout Issuance, _ family: RefreshFamily, _ lifetimes: RefreshLifetimes, id: String, now: Int64
    ) -> TokenRecord {
        let grant = issuance.grant
        let token = RefreshFamily.randomToken()
        issuance.refreshToken = token
        var record = TokenRecord(
            id: id, kind: .refresh, application: grant.backend.mobileBackendID, subject: grant.subject,
            tokenID: issuance.tokenID, accessExpiresAt: now + grant.lifetimeSeconds, issuedAt: now)
        record.refreshDigest = settings.storeKey.digest(token)
        record.refreshExpiresAt = min(now + lifetimes.tokenSeconds, family.authenticatedAt + lifetimes.familySeconds)
        record.scope = grant.scope ?? ""
        record.attributes = family.json()
        return record
    }

    /// How long a user's access token of this backend lives.
    func userTokenSeconds(of backend: Backend) -> Int64 {
        backend.grants.accessTokenSeconds ?? settings.userTokenSeconds
    }
}
