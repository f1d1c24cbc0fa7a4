import Identity
import Model

extension SessionKind: JudgedKind {
    static var place: CredentialPlace { .elsewhere }
    static var methods: [Principal.Method] { [.cookie] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        Judge()
    }

    private struct Judge: CredentialJudge {
        func judge(
            _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
        ) -> AuthenticationOutcome {
            guard let login = shown.route.login else { return .none }
            return policy.authenticate(
                session: login, secure: shown.secure, bytes: bytes, headers: shown.headers, now: shown.now,
                cache: shown.cache)
        }

        func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
            let cookie = principal.token
            return again.route.login.map { login in
                policy.authenticate(cookie: cookie.span, of: login, now: again.now, cache: again.cache)
            } ?? .rejected(.sessionInvalid)
        }
    }
}
