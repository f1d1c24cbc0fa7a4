import Bytes
import Identity
import Model

extension CertificateKind: JudgedKind {
    static var place: CredentialPlace { .elsewhere }
    static var methods: [Principal.Method] { [.certificate] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        Judge()
    }

    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool {
        route.entry.options.takesCertificates
    }

    private struct Judge: CredentialJudge {
        func judge(
            _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
        ) -> AuthenticationOutcome {
            shown.certificate.map { policy.certificates.authenticate($0, now: shown.now) } ?? .none
        }

        func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
            again.certificate.map { policy.certificates.authenticate($0, now: again.now) } ?? .none
        }
    }
}
