import Bytes
import Identity
import Model

/// A kind of credential that requests are judged by.
protocol JudgedKind: CredentialKind {
    /// Where requests have it, and what a challenge asks for.
    static var place: CredentialPlace { get }
    /// The methods of the callers that it identifies.
    static var methods: [Principal.Method] { get }
    /// The issuer whose callers an entry without one accepts; nil for any.
    static var usualIssuer: String? { get }

    /// What judges the credentials of an entry. Routes with equal entries share it.
    ///
    /// - Returns: nil where the settings do not have what it needs: no credential of the kind counts.
    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)?

    /// Whether requests on a route can be served by it while the revoked tokens are unknown.
    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool
}

extension JudgedKind {
    static var usualIssuer: String? { nil }

    static func servesWithoutTokens(_ entry: Authenticator, on route: Route, _ settings: PolicySettings) -> Bool {
        !methods.contains(where: \.isSigned)
    }
}

/// Where requests have credentials of a kind.
enum CredentialPlace: Sendable, Equatable {
    /// In `Authorization: Bearer`, or where the route has its tokens.
    case token
    /// In `Authorization: Basic`. Kinds at this place share one judgement.
    case password
    /// With the tokens, or in `Authorization: Basic`, marked as the key of a consumer.
    case key
    /// In `Authorization` under a scheme of its own, and in the header field that an entry names.
    case scheme([UInt8])
    /// In no field of its own, such as the certificate of the connection.
    case elsewhere
}

/// Judges the credentials of an entry of `authenticators`. It gets the time with each request, and has no side effects
/// outside.
protocol CredentialJudge: Sendable {
    /// The caller by what a request has shown.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of what is shown.
    ///   - chain: the list with the entry.
    func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
    ) -> AuthenticationOutcome

    /// An earlier caller under the current rules. What would have to wait for another server gives `.resolve`, and is not
    /// done: the caller stays.
    func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome

    /// What was compared in a credential under its own scheme that was refused just now.
    func evidence(on credential: Span<UInt8>) -> Evidence?
}

extension CredentialJudge {
    func evidence(on credential: Span<UInt8>) -> Evidence? { nil }
}

/// What is left of the request of an earlier caller.
struct PresentedAgain {
    let route: Route
    /// Of the connection; nil where certificates do not count as credentials.
    let certificate: PresentedCertificate?
    /// Seconds since 1970.
    let now: Int64
    let cache: VerifiedTokenCache
}

/// Credentials of a kind do not count.
private struct NoJudge: CredentialJudge {
    func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        .rejected(.unsupportedScheme)
    }

    func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
        .rejected(.unsupportedScheme)
    }
}

/// An entry of a list, with what its kind says of it.
struct ListedKind: Sendable {
    let entry: Authenticator
    let judge: any CredentialJudge
    let place: CredentialPlace
    private let type: any JudgedKind.Type
    private let methods: [Principal.Method]
    /// Of the callers that count; nil for any.
    private let issuer: String?

    init(_ entry: Authenticator, judge: (any CredentialJudge)?) {
        type = ListedKind.type(of: entry)
        (self.entry, self.judge) = (entry, judge ?? NoJudge())
        (place, methods, issuer) = (type.place, type.methods, entry.issuer ?? type.usualIssuer)
    }

    /// What judges an entry; nil where the settings do not have what it needs.
    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        type(of: entry).judge(for: entry, settings, claims)
    }

    private static func type(of entry: Authenticator) -> any JudgedKind.Type {
        guard let type = entry.kind.type as? any JudgedKind.Type else {
            preconditionFailure("nothing judges credentials of the kind \(entry.kind.name)")
        }
        return type
    }

    /// Whether callers of the method are identified by the kind.
    func identifies(by method: Principal.Method) -> Bool { methods.contains(method) }

    /// Whether a caller's credential is of the entry. A key beside it is not looked at.
    func accepts(_ principal: Principal) -> Bool {
        identifies(by: principal.method) && issuer?.isExactly(principal.issuer) != false
    }

    /// Whether credentials of the kind name who issued them.
    var namesIssuers: Bool {
        switch type.issuer?.role {
        case .signsTokens, .namesItself: true
        case .verifiesPasswords, nil: false
        }
    }

    func servesWithoutTokens(on route: Route, _ settings: PolicySettings) -> Bool {
        type.servesWithoutTokens(entry, on: route, settings)
    }
}
