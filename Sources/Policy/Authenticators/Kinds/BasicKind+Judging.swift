import Bytes
import Identity
import Model

extension BasicKind: JudgedKind {
    static var place: CredentialPlace { .password }
    static var methods: [Principal.Method] { [.basic] }
    static var usualIssuer: String? { Principal.ownIssuer }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        entry.issuer == nil ? PasswordJudge() : IssuerCredentials(entry, settings, claims)
    }

    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool {
        entry.issuer != nil || !settings.users.users.isEmpty
    }
}

extension AnonymousKeyKind: JudgedKind {
    static var place: CredentialPlace { .password }
    static var methods: [Principal.Method] { [.anonymousKey, .social] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        PasswordJudge()
    }

    /// A backend can withdraw its key.
    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool {
        false
    }
}

/// The gateway's own users and the anonymous keys of clients. One judgement for both, whichever of them the list has first:
/// a wrong password counts once.
private struct PasswordJudge: CredentialJudge {
    func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        guard case .password(let place) = shown.inFields else { return .none }
        var accepted: BasicCredentials.Accepted = []
        // Passwords that an issuer verifies are none of the gateway's own.
        if chain.entries.contains(where: { $0.entry.kind == .basic && $0.entry.issuer == nil }) {
            accepted.insert(.passwords)
        }
        if chain.lists(.anonymousKey) { accepted.insert(.anonymousKeys) }
        return policy.passwords.authenticate(
            bytes.slice(place), on: shown.route, accepting: accepted, bytes: bytes, headers: shown.headers,
            from: shown.address, now: shown.now)
    }

    func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
        policy.passwords.renew(principal, on: again.route).map { .principal($0) } ?? .rejected(.unknownSubject)
    }
}
