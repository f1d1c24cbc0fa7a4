import Bytes
import Identity
import Model
import Outbound
import TokenStorage

/// Tokens of applications on routes (AOM-15, AOM-16).
extension ApplicationTokens: OpaqueTokens {
    /// What the deny list and principals call the issuer of these tokens.
    static let issuerName = "apiomat"

    package func resolve(
        _ token: Span<UInt8>, now: Int64
    ) -> Effect<Result<Principal, OpaqueTokenRefusal>>? {
        // A UUID as much as a manual token: what else there is to know, the store knows.
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

    /// The holder of a token with the roles of now (ROLE-03); nil where the application or the account is gone.
    private func principal(of record: TokenRecord, token: [UInt8]) -> Principal? {
        guard let application = settings.applications.application(named: record.application),
            let account = account(
                of: record.subject, virtual: record.isOfFacebook, application, issuedAt: record.issuedAt)
        else { return nil }
        return Principal(
            kind: .user, method: .bearer, subject: record.subject, issuer: ApplicationTokens.issuerName, backendID: nil,
            roles: settings.catalogue.roles(named: account.roles), catalogue: settings.catalogue,
            level: record.isOfFacebook ? SocialLogin.level : settings.passwordLevel, virtual: record.isOfFacebook,
            expiresAt: record.accessExpiresAt, issuedAt: record.issuedAt, tokenID: record.tokenID, token: token,
            application: application.name, isReadOnly: !ApplicationScope(recorded: record.scope).canWrite)
    }

    /// The enabled user, whose tokens of that time still count; for somebody whom only Facebook knows, a stand-in without
    /// roles (FB-07).
    func account(
        of subject: String, virtual: Bool, _ application: Application, issuedAt: Int64
    ) -> User? {
        if virtual { return application.facebook == nil ? nil : User(username: subject) }
        let user = settings.users.user(named: subject, realm: application.realm)
        guard let user, user.enabled, issuedAt >= user.tokensNotBefore else { return nil }
        return user
    }
}
