import Bytes
import Identity
import Model

extension AssertionKind: JudgedKind {
    static var place: CredentialPlace { .scheme(Array("SAML".utf8)) }
    static var methods: [Principal.Method] { [.saml] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        settings.settings(AssertionSettings.self).map { AssertionCredentials($0, settings, claims) }
    }
}

extension AssertionCredentials: CredentialJudge {
    func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        guard case .own(.saml, let place) = shown.inFields else { return .none }
        if place.isEmpty { return .rejected(.malformedCredential) }
        let assertion = bytes.slice(place)
        shown.cache.adopt(generation: policy.generation, keyEpoch: policy.keyEpoch)
        let reading = policy.revocations.reading
        guard
            let known = shown.cache.principal(
                for: assertion, now: shown.now, revocations: policy.revocations, generation: reading.generation)
        else { return .resolve(authenticate([UInt8](copying: assertion), now: shown.now)) }
        guard known.method == .saml else { return .rejected(.malformedCredential) }
        return reading.isBlind ? .rejected(.storeUnavailable) : .principal(known)
    }

    func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
        renew(principal, now: again.now)
    }
}
