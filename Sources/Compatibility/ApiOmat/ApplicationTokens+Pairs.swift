import Bytes
import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Token maps: granted, given out again, refreshed.
extension ApplicationTokens {
    /// `grant_type=aom_user` (AOM-01). The password is kept for this request only.
    func logIn(
        _ form: TokenForm, _ application: Application, _ request: EndpointRequest, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let username = form["username"], let password = form["password"] else { throw .missingParameter }
        let wanted = try PairRequest(form, application)
        let login = logins.login(
            username, password: Array(password.utf8), realm: application.realm,
            network: request.address?.subscriberBytes ?? [], now: now)
        let action = "grant.aom_user"
        return login.then { [self] result in
            switch result {
            case .success(let user):
                return claim(wanted, application, subject: user.username, action: action, now: now)
            case .failure(let refusal):
                return .done(refused(TokenFailure(refusal), action, application, subject: username))
            }
        }
    }

    /// `grant_type=aom_facebook` with the Facebook token as `facebook_token`: a pair in the slot `facebook` (AOM-11).
    func logInWithFacebook(
        _ form: TokenForm, _ application: Application, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let login = application.socialLogin, let social = settings.social else { throw .unauthorizedClient }
        guard let token = form["facebook_token"] else { throw .missingParameter }
        guard form["extra"] == nil else { throw .invalidParameter }
        var wanted = try PairRequest(form, application)
        wanted.extra = PairRequest.facebook
        let action = "grant.aom_facebook"
        return social.verdict(on: Array(token.utf8), for: login, now: now).then { [self, wanted] verdict in
            switch verdict {
            case .valid(let userID, _):
                claim(wanted, application, subject: login.subject(userID), action: action, now: now)
            case .invalid: .done(refused(.invalidGrant, action, application))
            case .unavailable: .done(refused(.providerUnavailable, action, application))
            }
        }
    }

    /// The valid pair of the slot, or a new one in it (AOM-06). The store gives concurrent requests the same pair.
    private func claim(
        _ wanted: PairRequest, _ application: Application, subject: String, action: String, now: Int64
    ) -> Effect<EndpointResponse> {
        let pair = TokenPair.make()
        let proposed = record(of: pair, wanted, application, subject: subject, now: now)
        return stored(.claim(proposed), application, subject: subject, action: action, now: now) { [self] held in
            if held.id.isExactly(proposed.id) {
                return .done(tokenMap(pair, held, application, action: action, now: now))
            }
            if mayContinue(held, application), let known = self.pair(of: held) {
                return .done(tokenMap(known, held, application, action: action, now: now))
            }
            // Revoked with an earlier password, or sealed with another key: this pair cannot be given out again.
            return stored(.replace(proposed), application, subject: subject, action: action, now: now) { [self] held in
                .done(tokenMap(pair, held, application, action: action, now: now))
            }
        }
    }

    /// Continues with the record that the store answers; without one the response is 503.
    private func stored(
        _ operation: StoreOperation, _ application: Application, subject: String, action: String, now: Int64,
        _ next: @escaping @Sendable (TokenRecord) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        ask(operation, now: now) { [self] answer in
            guard case .success(.record(let held?)) = answer else {
                return .done(refused(.storeUnavailable, action, application, subject: subject))
            }
            return next(held)
        }
    }

    /// `grant_type=refresh_token`: another pair in the same slot, whether the access token is still valid (AOM-13) or
    /// expired (AOM-14). It needs the application's key and no password (AOM-12).
    func refresh(
        _ form: TokenForm, _ application: Application, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let token = form["refresh_token"] else { throw .missingParameter }
        let lifetimes = try PairRequest.expirations(form, application.expirations)
        let digest = settings.key.digest(token)
        let action = "grant.refresh_token"
        return ask(.find(.refresh(digest)), now: now) { [self] answer in
            guard case .success(.record(let found)) = answer else {
                return .done(refused(.storeUnavailable, action, application))
            }
            guard let old = found, old.refreshLives(at: now), isOf(application, old), mayContinue(old, application)
            else { return .done(refused(.invalidRefreshToken, action, application)) }
            let pair = TokenPair.make()
            let proposed = successor(of: old, pair, lifetimes, now: now)
            let rotation = StoreOperation.rotate(
                refresh: digest, application: application.name, proposed: proposed, reuse: .ignored)
            return ask(rotation, now: now) { [self] answer in
                switch answer {
                case .success(.rotated): .done(tokenMap(pair, proposed, application, action: action, now: now))
                // A concurrent request used the token first.
                case .success: .done(refused(.invalidRefreshToken, action, application, subject: old.subject))
                case .failure: .done(refused(.storeUnavailable, action, application, subject: old.subject))
                }
            }
        }
    }

    // MARK: Records

    private func record(
        of pair: TokenPair, _ wanted: PairRequest, _ application: Application, subject: String, now: Int64
    ) -> TokenRecord {
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .pair, application: application.name, subject: subject,
            tokenID: AccessTokenMinter.randomID(), accessExpiresAt: now + wanted.accessSeconds, issuedAt: now)
        record.slot = PairRequest.slot(application, system: wanted.system, subject: subject, extra: wanted.extra)
        record.refreshExpiresAt = now + wanted.refreshSeconds
        record.scope = wanted.scope.text
        record.extra = wanted.extra
        put(pair, into: &record)
        return record
    }

    /// The record that replaces another: same slot, scope and `extra` (AOM-14), new tokens and dates.
    private func successor(
        of old: TokenRecord, _ pair: TokenPair, _ lifetimes: (access: Int64, refresh: Int64), now: Int64
    ) -> TokenRecord {
        var record = old
        record.tokenID = AccessTokenMinter.randomID()
        record.issuedAt = now
        record.accessExpiresAt = now + lifetimes.access
        record.refreshExpiresAt = now + lifetimes.refresh
        put(pair, into: &record)
        return record
    }

    private func put(_ pair: TokenPair, into record: inout TokenRecord) {
        record.accessDigest = settings.key.digest(pair.access)
        record.refreshDigest = settings.key.digest(pair.refresh)
        record.sealed = settings.key.seal(pair.plaintext, id: record.id)
    }

    private func pair(of record: TokenRecord) -> TokenPair? {
        settings.key.open(record.sealed, id: record.id).flatMap(TokenPair.init(plaintext:))
    }

    func isOf(_ application: Application, _ record: TokenRecord) -> Bool {
        record.kind == .pair && record.application.isExactly(application.name)
    }

    /// Whether the holder may still log in: refreshing ends when the account is disabled, deleted or has a new
    /// password.
    func mayContinue(_ record: TokenRecord, _ application: Application) -> Bool {
        let isRevoked = settings.revocations.isRevoked(
            tokenID: record.tokenID, subject: record.subject, backendID: nil, issuer: ApplicationTokens.issuerName,
            issuedAt: record.issuedAt)
        return !isRevoked && account(of: record, application) != nil
    }

    /// The token map (AOM-02): `expires_in` is the remaining lifetime of the access token.
    private func tokenMap(
        _ pair: TokenPair, _ record: TokenRecord, _ application: Application, action: String, now: Int64
    ) -> EndpointResponse {
        let body = JSONWriter.object { writer in
            writer.member("access_token", pair.access)
            writer.member("token_type", "Bearer")
            writer.member("refresh_token", pair.refresh)
            writer.member("expires_in", record.accessExpiresAt - now)
            writer.member("scope", record.scope)
            writer.member("module", application.userClass.module)
            writer.member("model", application.userClass.model)
            if !record.extra.isEmpty { writer.member("extra", record.extra) }
        }
        return EndpointResponse.token(status: 200, body: body, reason: .tokenIssued).audited(
            action, .granted, subject: record.subject, client: application.name, tokenID: record.tokenID)
    }
}

extension TokenRecord {
    /// Whether its holder logged in with Facebook and has no account here (AOM-11).
    var isOfFacebook: Bool { extra.isExactly(PairRequest.facebook) }
}
