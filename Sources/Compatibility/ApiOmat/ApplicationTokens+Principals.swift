import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Bearer tokens of applications on routes (AOM-15, AOM-16).
extension ApplicationTokens: OpaqueTokens {
    /// Issuer name of these tokens in the deny list and in principals.
    static let issuerName = "apiomat"

    package func resolve(
        _ token: Span<UInt8>, now: Int64
    ) -> Effect<Result<Principal, OpaqueTokenRefusal>>? {
        // Random tokens (UUIDs) have the form of manual tokens too; the store tells them apart.
        guard UserObjectChange.isManualToken(token) else { return nil }
        let digest = settings.key.digest(token)
        let isRandom = UnknownTokens.canHold(token)
        if isRandom, unknown.holds(digest, now: now) { return .done(.failure(.unknown)) }
        var copy: [UInt8] = []
        copy.reserveCapacity(token.count)
        for i in token.indices { copy.append(token[i]) }
        return ask(.find(.access(digest)), now: now) { [self, copy] answer in
            guard case .success(.record(let found)) = answer else { return .done(.failure(.unavailable)) }
            if found == nil, isRandom { unknown.note(digest, now: now) }
            guard let record = found, record.kind == .pair else { return .done(.failure(.unknown)) }
            guard record.accessLives(at: now) else { return .done(.failure(.expired)) }
            guard let principal = principal(of: record, token: copy) else { return .done(.failure(.unknownSubject)) }
            return .done(.success(principal))
        }
    }

    package func renew(_ principal: Principal) -> Principal? {
        guard let name = principal.application, let application = settings.applications.application(named: name),
            let account = account(
                of: principal.subject, virtual: principal.virtual, application, issuedAt: principal.issuedAt ?? .min)
        else { return nil }
        return Principal(
            kind: .user, method: .bearer, subject: principal.subject, issuer: principal.issuer, backendID: nil,
            roles: settings.catalogue.roles(named: account.roles), catalogue: settings.catalogue,
            level: principal.level, virtual: principal.virtual, expiresAt: principal.expiresAt,
            issuedAt: principal.issuedAt, tokenID: principal.tokenID, token: principal.token, application: name,
            isReadOnly: principal.isReadOnly)
    }

    /// The holder of a token with the current roles (ROLE-03); nil without application or account.
    private func principal(of record: TokenRecord, token: [UInt8]) -> Principal? {
        guard let application = settings.applications.application(named: record.application),
            let account = account(of: record, application)
        else { return nil }
        return Principal(
            kind: .user, method: .bearer, subject: record.subject, issuer: ApplicationTokens.issuerName, backendID: nil,
            roles: settings.catalogue.roles(named: account.roles), catalogue: settings.catalogue,
            level: record.isOfFacebook ? SocialLogin.level : settings.passwordLevel, virtual: record.isOfFacebook,
            expiresAt: record.accessExpiresAt, issuedAt: record.issuedAt, tokenID: record.tokenID, token: token,
            application: application.name, isReadOnly: !ApplicationScope(recorded: record.scope).canWrite)
    }

    func account(of record: TokenRecord, _ application: Application) -> User? {
        account(of: record.subject, virtual: record.isOfFacebook, application, issuedAt: record.issuedAt)
    }

    /// The enabled user whose tokens of that time are still accepted. A user known to Facebook only is a stand-in
    /// without roles (FB-07).
    private func account(
        of subject: String, virtual: Bool, _ application: Application, issuedAt: Int64
    ) -> User? {
        if virtual { return application.socialLogin == nil ? nil : User(username: subject) }
        let user = settings.users.user(named: subject, realm: application.realm)
        guard let user, user.enabled, issuedAt >= user.tokensNotBefore else { return nil }
        return user
    }
}

/// Bearer tokens of applications at the endpoints, and their revocation by the holder (AOM-21, AOM-22).
extension ApplicationTokens {
    /// Revokes the pair of the presented token, or all tokens of its holder in the application. A token without `write`
    /// revokes only itself. Logging in gives new tokens (AOM-24).
    package func revoke(_ request: EndpointRequest, everything: Bool, now: Int64) -> Effect<EndpointResponse> {
        // CON-12: ApiOmat's clients use both.
        guard request.method == .get || request.method == .post else {
            return .done(.methodNotAllowed("GET, POST"))
        }
        return bearer(request, now: now) { [self] record, application in
            guard !everything || ApplicationScope(recorded: record.scope).canWrite else {
                return .refuse(.insufficientScope)
            }
            let selector: TokenSelector =
                everything ? .subject(application: application.name, subject: record.subject) : .id(record.id)
            return ask(.revoke(selector), now: now) { answer in
                guard case .success = answer else { return .refuse(.storeUnavailable) }
                return .done(
                    .personal(Array("{}".utf8), reason: .revoked).audited(
                        everything ? "revoke.all" : "revoke", .changed, subject: record.subject,
                        client: application.name, tokenID: everything ? "" : record.tokenID))
            }
        }
    }

    /// Continues with the valid record of the request's bearer token and its application, whose key the request must
    /// carry (AOM-16).
    func bearer(
        _ request: EndpointRequest, now: Int64,
        _ next: @escaping @Sendable (TokenRecord, Application) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard let token = request.credentials() else { return .refuse(.missingCredential) }
        guard let key = request.field("x-apiomat-apikey") else { return .refuse(.missingKey) }
        return ask(.find(.access(settings.key.digest(token.span))), now: now) { [self] answer in
            guard case .success(.record(let found)) = answer else { return .refuse(.storeUnavailable) }
            guard let record = found, record.kind == .pair, record.accessLives(at: now),
                let application = settings.applications.application(named: record.application),
                mayContinue(record, application)
            else { return .refuse(.invalidToken) }
            guard application.hasKey(Array(key.utf8).span) else { return .refuse(.mismatch) }
            return next(record, application)
        }
    }
}
