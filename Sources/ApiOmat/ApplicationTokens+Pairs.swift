import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Token maps: asked for, given out again, refreshed.
extension ApplicationTokens {
    /// `grant_type=aom_user` (AOM-01). The password lives in this request alone.
    func logIn(
        _ form: TokenForm, _ application: Application, _ request: EndpointRequest, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let username = form["username"], let password = form["password"] else { throw .missingParameter }
        let wish = try PairRequest(form, application)
        let login = logins.login(
            username, password: Array(password.utf8), realm: application.realm,
            network: request.address?.subscriberBytes ?? [], now: now)
        let action = "grant.aom_user"
        return login.then { [self] result in
            switch result {
            case .success(let user):
                return claim(wish, application, subject: user.username, action: action, now: now)
            case .failure(let refusal):
                return .done(refused(TokenFailure(refusal), action, application, subject: username))
            }
        }
    }

    /// The living pair of the slot, or a new one in it (AOM-06). Of requests at the same time one makes the pair, and the
    /// store gives it to the others.
    func claim(
        _ wish: PairRequest, _ application: Application, subject: String, action: String, now: Int64
    ) -> Effect<EndpointResponse> {
        let pair = TokenPair.make()
        let proposed = record(of: pair, wish, application, subject: subject, now: now)
        return ask(.claim(proposed), now: now) { [self] answer in
            guard case .success(.record(let held?)) = answer else {
                return .done(refused(.storeUnavailable, action, application, subject: subject))
            }
            if held.id.utf8.elementsEqual(proposed.id.utf8) {
                return .done(tokenMap(pair, held, application, action: action, now: now))
            }
            if isStillWelcome(held, application), let known = self.pair(of: held) {
                return .done(tokenMap(known, held, application, action: action, now: now))
            }
            // Ended with an earlier password, or sealed with another key: nobody can be given that pair again.
            return replace(proposed, pair, application, action: action, now: now)
        }
    }

    private func replace(
        _ record: TokenRecord, _ pair: TokenPair, _ application: Application, action: String, now: Int64
    ) -> Effect<EndpointResponse> {
        ask(.replace(record), now: now) { [self] answer in
            guard case .success(.record(let held?)) = answer else {
                return .done(refused(.storeUnavailable, action, application, subject: record.subject))
            }
            return .done(tokenMap(pair, held, application, action: action, now: now))
        }
    }

    /// `grant_type=refresh_token`: another pair in the same slot, whether the access token still lives (AOM-13) or not
    /// (AOM-14). The user's password plays no part, the application's key does (AOM-12).
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
            guard let old = found, old.refreshLives(at: now), isOf(application, old), isStillWelcome(old, application)
            else { return .done(refused(.invalidRefreshToken, action, application)) }
            let pair = TokenPair.make()
            let proposed = successor(of: old, pair, lifetimes, now: now)
            let rotation = StoreOperation.rotate(
                refresh: digest, application: application.name, proposed: proposed, reuse: .ignored)
            return ask(rotation, now: now) { [self] answer in
                switch answer {
                case .success(.rotated): .done(tokenMap(pair, proposed, application, action: action, now: now))
                // Somebody else was quicker with the same token.
                case .success: .done(refused(.invalidRefreshToken, action, application, subject: old.subject))
                case .failure: .done(refused(.storeUnavailable, action, application, subject: old.subject))
                }
            }
        }
    }

    // MARK: Records

    private func record(
        of pair: TokenPair, _ wish: PairRequest, _ application: Application, subject: String, now: Int64
    ) -> TokenRecord {
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .pair, application: application.name, subject: subject,
            tokenID: AccessTokenMinter.randomID(), accessExpiresAt: now + wish.accessSeconds, issuedAt: now)
        record.slot = PairRequest.slot(application, system: wish.system, subject: subject, extra: wish.extra)
        record.refreshExpiresAt = now + wish.refreshSeconds
        record.scope = wish.scope.text
        record.extra = wish.extra
        put(pair, into: &record)
        return record
    }

    /// The record that takes the place of another: same slot, scope and `extra` (AOM-14), new tokens and dates.
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
        record.kind == .pair && record.application.utf8.elementsEqual(application.name.utf8)
    }

    /// Whether the holder may still log in: an account that was disabled or deleted, or has another password
    /// by now, does not go on by refreshing.
    func isStillWelcome(_ record: TokenRecord, _ application: Application) -> Bool {
        let isRevoked = settings.revocations.isRevoked(
            tokenID: record.tokenID, subject: record.subject, backendID: nil, issuer: ApplicationTokens.issuerName,
            issuedAt: record.issuedAt)
        return !isRevoked && hasAccount(record, application)
    }

    private func hasAccount(_ record: TokenRecord, _ application: Application) -> Bool {
        account(of: record.subject, virtual: record.isOfFacebook, application, issuedAt: record.issuedAt) != nil
    }

    // MARK: The reply

    /// The token map (AOM-02): `expires_in` is what is left of the access token.
    private func tokenMap(
        _ pair: TokenPair, _ record: TokenRecord, _ application: Application, action: String, now: Int64
    ) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("access_token", pair.access)
        writer.member("token_type", "Bearer")
        writer.member("refresh_token", pair.refresh)
        writer.member("expires_in", record.accessExpiresAt - now)
        writer.member("scope", record.scope)
        writer.member("module", application.userClass.module)
        writer.member("model", application.userClass.model)
        if !record.extra.isEmpty { writer.member("extra", record.extra) }
        writer.endObject()
        var response = EndpointResponse.token(status: 200, body: writer.bytes, reason: .tokenIssued)
        response.audit = AuditEntry(
            action: action, outcome: .granted, subject: record.subject, client: application.name,
            tokenID: record.tokenID)
        return response
    }
}

extension TokenRecord {
    /// Whether its holder logged in with Facebook and has no account here (AOM-11).
    var isOfFacebook: Bool { extra.utf8.elementsEqual(PairRequest.facebook.utf8) }
}
