import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import Outbound
import TokenStorage

/// Refresh tokens: the first of a login, and their exchange for the next.
struct RefreshTokens: Sendable {
    let service: TokenService

    /// RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each refresh token is single-use. Reuse revokes
    /// everything derived from the same login, because one of the two users of the token is a thief.
    func redeem(
        _ form: TokenForm, _ client: Client, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        // OAUTH-05: without opt-in, answers like a server without refresh tokens.
        guard let lifetimes = client.grants.refresh else { throw .unsupportedGrantType }
        guard let token = form["refresh_token"] else { throw .missingParameter }
        let digest = service.settings.storeKey.digest(token)
        let wanted = (scope: form["scope"], resources: form.resources)
        let arrival = service.settings.raceClock?.now()
        let request = RepeatedAnswer.request(form, binding)
        let renewed: @Sendable (TokenRecord) -> Effect<EndpointResponse> = { [self] record in
            do throws(TokenFailure) {
                let next = try renewal(of: record, to: wanted, client, lifetimes, binding, now: now)
                return renew(digest, next, client, lifetimes, request, now: now)
            } catch {
                return .done(error.response)
            }
        }
        return service.ask(.find(.refresh(digest)), now: now) { [self] answer in
            if case .record(let record?) = answer { return renewed(record) }
            guard lifetimes.reuseSeconds > 0 else { return refuseUnknown(digest, client, arrival: arrival, now: now) }
            // A client that lost the answer retries with the old token and gets the same pair.
            return service.ask(.successor(of: digest), now: now) { [self] answer in
                guard case .record(let record?) = answer, record.application.isExactly(client.id) else {
                    return refuseUnknown(digest, client, arrival: nil, now: now)
                }
                return `repeat`(record, client, request, now: now)
            }
        }
    }

    /// The digest is not current. If it was used before, the family is revoked.
    /// - Parameter arrival: of the request, by `raceClock`.
    private func refuseUnknown(
        _ digest: [UInt8], _ client: Client, arrival: Int64?, now: Int64
    ) -> Effect<EndpointResponse> {
        // A placeholder: there is nothing to replace.
        let nothing = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .refresh, application: client.id, subject: "",
            tokenID: "", accessExpiresAt: 0, issuedAt: now)
        return service.ask(
            .rotate(refresh: digest, application: client.id, proposed: nothing, reuse: .detected()),
            now: now
        ) { [self] answer in
            if case .record(let successor?) = answer {
                let isRace = RefreshFamily(successor)?.answeredAt.flatMap { end in arrival.map { $0 <= end } } ?? false
                if !isRace { return endFamily(of: successor, now: now) }
            }
            return .done(Self.refusal(of: answer).response)
        }
    }

    /// Seconds in which requests that found a token unused may still be on their way to the store.
    private static let raceSeconds: Int64 = 10

    /// Ends a login whose refresh token was used twice (RFC 9700 section 4.14.2).
    private func endFamily(of record: TokenRecord, now: Int64) -> Effect<EndpointResponse> {
        service.ask(.revoke(.id(record.id)), now: now) { [self] answer in
            if case .removed(let records) = answer { service.end(records) }
            return .done(TokenFailure.refreshTokenReused.response)
        }
    }

    private static func refusal(of answer: StoreAnswer) -> TokenFailure {
        if case .reused = answer { .refreshTokenReused } else { .invalidRefreshToken }
    }

    /// The result of using a refresh token.
    private struct Renewal: Sendable {
        let issuance: Issuance
        let record: TokenRecord
    }

    private func renewal(
        of record: TokenRecord, to wanted: (scope: String?, resources: [String]), _ client: Client,
        _ lifetimes: RefreshLifetimes, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Renewal {
        // Bound to the client that it was issued to (RFC 6749 section 10.4).
        guard record.kind == .refresh, record.application.isExactly(client.id),
            record.refreshLives(at: now), let family = RefreshFamily(record),
            family.login.authenticatedAt + lifetimes.familySeconds > now,
            family.login.authenticatedAt >= client.tokensNotBefore,
            // After a revocation of all of a user's tokens, older refresh tokens are refused: the date is that of the
            // login, regardless of rotations since.
            !service.settings.revocations.isRevoked(
                tokenID: family.name, subject: record.subject, backendID: client.tokenClientID,
                issuer: OwnAccessTokens.issuerName, issuedAt: family.login.authenticatedAt, origins: family.origins,
                session: family.session),
            let roles = roles(of: record.subject, family, at: client)
        else { throw .invalidRefreshToken }
        var grant = AccessTokenMinter.Grant(
            subject: record.subject, kind: .user, client: client,
            lifetimeSeconds: service.settings.userSeconds(of: client))
        grant.rights.take(family.login)
        // Of a client with credentials of its own the refresh token is bound to these: another key may follow the one of
        // the login (RFC 9449 section 5).
        if let key = family.key, binding?.key != key { throw .proofRequired }
        grant.binding = binding
        grant.session = family.session
        grant.origins = family.origins
        // Only the authorization endpoint grants scopes beyond the configured ones.
        let allowed = record.scope.isEmpty ? service.settings.terms.scopes : service.settings.scopesOfUsers
        let granted = try service.settings.remaining(record.scope, of: client)
        let scope = try GrantedScope(requested: wanted.scope, granted: granted, allowed: allowed)
        grant.scope = scope.claim
        // The new refresh token keeps those of the old one (RFC 8707 section 2.2).
        grant.limit(
            to: try service.settings.resources.narrowed(wanted.resources, of: family.resources, client))
        service.settings.give(roles, to: &grant)
        var issuance = Issuance(grant, scope, action: "refresh_token")
        let claims = record.providedClaims(service.settings.storeKey)
        issuance.identify(provided: claims)
        var next = attach(to: &issuance, family, lifetimes, id: record.id, now: now)
        // RFC 6749 section 6: the new refresh token keeps the scope of the old one.
        next.scope = record.scope
        next.keep(claims, service.settings.storeKey)
        // One entry ends all access tokens of the family, until the last of them has expired.
        if next.tokenID.isExactly(record.tokenID) {
            next.accessExpiresAt = max(next.accessExpiresAt, record.accessExpiresAt)
        }
        return Renewal(issuance: issuance, record: next)
    }

    /// The user's current roles; nil if the user may no longer log in.
    private func roles(of subject: String, _ family: RefreshFamily, at client: Client) -> [String]? {
        if family.login.isVirtual {
            let providers = client.loginChoices.filter { !$0.provider.isExactly(LoginChoice.ownForm) }.map(\.provider)
            let isRefused = providers.allSatisfy(service.settings.accountProviders.contains) && !providers.isEmpty
            return isRefused ? nil : family.login.roles
        }
        let realm = client.realm
        // The tokens are not those of a later bearer of the name, nor of a namesake in another realm.
        guard family.realm.isExactly(realm), let user = service.settings.users.user(named: subject, realm: realm),
            user.enabled, family.login.authenticatedAt >= user.tokensNotBefore
        else { return nil }
        return service.settings.catalogue.names(
            of: service.settings.catalogue.roles(named: user.roles + family.provided))
    }

    /// Gives the answer of the first use again. A request that differs is not of the same client.
    private func `repeat`(
        _ record: TokenRecord, _ client: Client, _ request: [UInt8], now: Int64
    ) -> Effect<EndpointResponse> {
        guard let answer = RepeatedAnswer(record, service.settings.storeKey), answer.until > now,
            constantTimeEqual(answer.request.span, request.span)
        else { return endFamily(of: record, now: now) }
        var response = EndpointResponse.token(status: 200, body: Array(answer.body.utf8), reason: .tokenIssued)
        response.audit = AuditEntry(
            action: "grant.refresh_token", outcome: .granted, subject: record.subject, client: client.reference,
            tokenID: record.tokenID)
        return .done(response)
    }

    /// Makes the answer first where it may be asked for again, since the record keeps it.
    private func renew(
        _ digest: [UInt8], _ next: Renewal, _ client: Client, _ lifetimes: RefreshLifetimes, _ request: [UInt8],
        now: Int64
    ) -> Effect<EndpointResponse> {
        guard lifetimes.reuseSeconds > 0 else { return rotate(digest, next, client, now: now) }
        return service.issue(next.issuance, now: now).then { [self] response in
            guard response.status == 200 else { return .done(response) }
            let until = now + lifetimes.reuseSeconds
            let kept = RepeatedAnswer(response.body, to: request, until: until)
            var record = next.record
            record.sealed = kept.sealed(service.settings.storeKey, in: record)
            let operation = StoreOperation.rotate(
                refresh: digest, application: client.id, proposed: record,
                reuse: .detected(graceSeconds: lifetimes.reuseSeconds))
            return service.ask(operation, now: now) { [self, record] answer in
                switch answer {
                case .rotated(let old):
                    if !old.tokenID.isExactly(record.tokenID) { service.end([old]) }
                    eraseAnswer(of: record.id, at: until)
                    return .done(response)
                // A request at the same time was first.
                case .record(let successor?): return `repeat`(successor, client, request, now: now)
                default: return .done(Self.refusal(of: answer).response)
                }
            }
        }
    }

    /// Erases a kept answer once its interval ends, unless a refresh has replaced the record before.
    private func eraseAnswer(of id: String, at end: Int64) {
        let (store, key) = (service.settings.store, service.settings.storeKey)
        service.settings.later(end) {
            store.perform(.find(.id(id)), now: end) { result in
                guard case .success(.record(let record?)) = result, let kept = RepeatedAnswer(record, key),
                    kept.until <= end
                else { return }
                var erased = record
                erased.keep(record.providedClaims(key), key)
                if erased.sealed.isEmpty { erased.sealed = key.seal([], id: id) }
                store.perform(.rekey(from: record, to: erased), now: end) { _ in }
            }
        }
    }

    private func rotate(
        _ digest: [UInt8], _ next: Renewal, _ client: Client, now: Int64
    ) -> Effect<EndpointResponse> {
        let clock = service.settings.raceClock
        let end = clock.map { $0.now() + RaceClock.pause }
        var record = next.record
        if var family = RefreshFamily(record) {
            family.answeredAt = end
            record.attributes = family.json()
        }
        let operation = StoreOperation.rotate(
            refresh: digest, application: client.id, proposed: record,
            reuse: .detected(graceSeconds: RefreshTokens.raceSeconds))
        return service.ask(operation, now: now) { [self] answer in
            // A request at the same time was first, which found the token unused as well: no reuse, but no answer either.
            guard case .rotated(let old) = answer else { return .done(Self.refusal(of: answer).response) }
            if !old.tokenID.isExactly(next.record.tokenID) { service.end([old]) }
            let issued = service.issue(next.issuance, now: now)
            guard let clock, let end else { return issued }
            return issued.then { clock.hold($0, until: end) }
        }
    }

    // MARK: The first of a family

    /// Stores the refresh token issued with a new access token.
    func beginFamily(_ issuance: Issuance, _ lifetimes: RefreshLifetimes, now: Int64) -> Effect<EndpointResponse> {
        var issuance = issuance
        let record = attach(
            to: &issuance, RefreshFamily(issuance.grant, now: now), lifetimes, id: AccessTokenMinter.randomID(),
            now: now)
        return service.ask(.insert(record), now: now) { [self, issuance] answer in
            guard case .record = answer else { return .done(TokenFailure.storeUnavailable.response) }
            return service.issue(issuance, now: now)
        }
    }

    /// Adds a refresh token to an issuance, whose access token joins the family, and returns its record.
    func attach(
        to issuance: inout Issuance, _ family: RefreshFamily, _ lifetimes: RefreshLifetimes, id: String, now: Int64
    ) -> TokenRecord {
        let grant = issuance.grant
        let token = RefreshFamily.randomToken()
        issuance.refreshToken = token
        var family = family
        family.name = service.settings.terms.revokesOnRefresh ? nil : family.name ?? AccessTokenMinter.randomID()
        if let name = family.name { issuance.join(name) }
        var record = TokenRecord(
            id: id, kind: .refresh, application: grant.client.id, subject: grant.subject,
            tokenID: family.name ?? issuance.tokenID, accessExpiresAt: now + grant.lifetimeSeconds, issuedAt: now)
        record.refreshDigest = service.settings.storeKey.digest(token)
        let end = family.login.authenticatedAt + lifetimes.familySeconds
        record.refreshExpiresAt = min(now + lifetimes.tokenSeconds, end)
        record.scope = grant.scope ?? ""
        record.attributes = family.json()
        return record
    }
}
