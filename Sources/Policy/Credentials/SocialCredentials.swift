import Bytes
import HTTP
import Identity
import Model
import Outbound

/// The social authenticator: beside a client's anonymous key, the name of a provider and its token (FB-01).
struct SocialCredentials: Sendable {
    private let verifier: (any SocialVerifier)?
    private let roles: RoleCatalogue

    init(_ settings: PolicySettings) {
        verifier = settings.socialVerifier
        roles = settings.roles
    }

    /// Who is calling, once the anonymous key of the client was right; nil where neither of the two fields was sent, or
    /// the client has no social login and they mean nothing.
    ///
    /// - Parameter bytes: the buffer of `headers`.
    func authenticate(
        _ client: Client, bytes: Span<UInt8>, headers: HeaderTable, now: Int64
    ) -> AuthenticationOutcome? {
        guard let login = client.socialLogin, let verifier else { return nil }
        let providers = headers.occurrences(.socialProvider)
        let tokens = headers.occurrences(.socialToken)
        if providers == 0, tokens == 0 { return nil }
        // Half of it is no anonymous call, and of two tokens each side could mean another one.
        guard providers == 1, tokens == 1, let provider = headers.value(.socialProvider),
            let token = headers.value(.socialToken)
        else { return .rejected(.malformedCredential) }
        guard bytesEqualIgnoringCase(login.provider.utf8.span, bytes.slice(provider)) else {
            return .rejected(.unknownIssuer)
        }
        let copy = [UInt8](copying: bytes.slice(token))
        let id = client.id
        let effect = verifier.verdict(on: copy, for: login, now: now)
        return .resolve(
            effect.map { [roles] verdict in
                switch verdict {
                case .valid(let userID, let endsAt):
                    .success(SocialCredentials.principal(userID, login, id, roles, endsAt))
                case .invalid: .failure(.invalidToken)
                case .unavailable: .failure(.identityProviderUnavailable)
                }
            })
    }

    /// An earlier caller under the current configuration; the provider is not asked again.
    func renew(_ principal: Principal, _ client: Client) -> Principal? { client.socialLogin == nil ? nil : principal }

    /// FB-07: users that only the provider knows have no roles.
    private static func principal(
        _ userID: String, _ login: SocialLogin, _ backendID: String, _ roles: RoleCatalogue, _ endsAt: Int64?
    ) -> Principal {
        Principal(
            kind: .user, method: .social, subject: login.subject(userID), issuer: login.provider, backendID: backendID,
            roles: RoleSet(), catalogue: roles, level: SocialLogin.level, virtual: true, expiresAt: endsAt)
    }
}
