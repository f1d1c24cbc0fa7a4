import Identity
import Model

/// Caller and target of a token.
package struct IssueRequest: Sendable {
    /// The verified caller. The token's level is that of the caller's session (AMB-28).
    package let principal: Principal
    /// The caller's client; nil for callers of an outside issuer without one.
    package let client: Client?
    /// Name of the webgate; empty for a route without one.
    package let webgate: String
    /// Lifetime required by a grant; nil for the issuer's default.
    package let lifetimeSeconds: Int64?
    /// The token to replace: expired, about to, or refused by the upstream. Its refresh token may save a login.
    package let previous: IssuedToken?
    /// The challenge of the upstream's own Webgate (CACHE-08); nil without one.
    package let challenge: UpstreamChallenge?
    /// Which claims of the caller are known.
    package let selection: ClaimSelection
    /// The provider's tokens of the caller's login, which stand for a token of the caller's own; nil for none.
    package private(set) var login: ProvidedTokens?

    package init(
        principal: Principal, client: Client?, webgate: String, lifetimeSeconds: Int64? = nil,
        previous: IssuedToken? = nil, challenge: UpstreamChallenge? = nil, selection: ClaimSelection = .none
    ) {
        self.principal = principal
        self.client = client
        self.webgate = webgate
        self.lifetimeSeconds = lifetimeSeconds
        self.previous = previous
        self.challenge = challenge
        self.selection = selection
    }

    /// The same with tokens of the caller's login.
    func with(_ tokens: ProvidedTokens) -> IssueRequest {
        var request = self
        request.login = tokens
        return request
    }

    /// The caller's bearer token or that of the login, for grants that forward it; empty for other credentials.
    package var credential: [UInt8] { credential(isIDToken: false) }

    /// - Parameter isIDToken: whether the ID token of a login is meant.
    func credential(isIDToken: Bool) -> [UInt8] {
        guard let login else { return principal.method == .bearer ? principal.token : [] }
        return Array(((isIDToken ? login.idToken : login.access) ?? "").utf8)
    }

    /// The caller's SAML assertion as it came; empty for other credentials.
    package var assertion: [UInt8] { principal.method == .saml ? principal.token : [] }
}

/// The challenge of an upstream's own Webgate (CACHE-08).
package struct UpstreamChallenge: Sendable {
    /// Name of the upstream's Webgate.
    package let webgate: String
    /// `request-ctx`, unchanged.
    package let requestContext: [UInt8]
    /// URL of the requested resource.
    package let resource: String

    package init(webgate: String, requestContext: [UInt8], resource: String) {
        self.webgate = webgate
        self.requestContext = requestContext
        self.resource = resource
    }
}
