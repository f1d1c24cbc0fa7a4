import Bytes
import Identity
import Model

extension APIKeyKind: JudgedKind {
    static var place: CredentialPlace { .key }
    static var methods: [Principal.Method] { [.apiKey] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        Judge()
    }

    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool {
        !settings.consumers.isEmpty
    }

    /// The consumer of a key, which may come beside another credential.
    static func judge(
        key: FieldCredentials.Key, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        switch key {
        case .token(let place, let issuers):
            if place.isEmpty { return .rejected(.malformedToken) }
            return policy.authenticate(token: bytes.slice(place), now: shown.now, cache: shown.cache)
                .limited(to: issuers)
        case .basic(let place):
            guard let key = policy.consumerKeys.key(inBasic: bytes.slice(place)) else {
                return .rejected(.apiKeyUnknown)
            }
            return policy.consumerKeys.authenticate(key.span, now: shown.now)
        }
    }

    private struct Judge: CredentialJudge {
        func judge(
            _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
        ) -> AuthenticationOutcome {
            shown.key.map { APIKeyKind.judge(key: $0, shown, bytes, policy: policy) } ?? .none
        }

        func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
            policy.consumerKeys.renew(principal, now: again.now)
        }
    }
}
