import Bytes
import Identity
import JOSE
import Model

extension BearerKind: JudgedKind {
    static var place: CredentialPlace { .token }
    static var methods: [Principal.Method] { [.bearer] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        Judge()
    }

    private struct Judge: CredentialJudge {
        func judge(
            _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
        ) -> AuthenticationOutcome {
            guard case .token(let place, let issuers, let hasProof) = shown.inFields else { return .none }
            if place.isEmpty { return .rejected(.malformedToken) }
            let outcome = policy.authenticate(token: bytes.slice(place), now: shown.now, cache: shown.cache)
                .limited(to: issuers)
            return hasProof ? outcome.boundToKey() : outcome
        }

        func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
            let token = principal.token
            // A withdrawn key is not fetched again: it is missing among those at hand.
            return policy.authenticate(token: token.span, now: again.now, cache: again.cache, with: .atHand)
        }
    }
}
