import Identity

/// Whom a token is wanted for, and where it is to be used.
package struct IssueRequest: Sendable {
    /// The verified caller. The token's level is the level of the caller's session (AMB-28).
    package let principal: Principal
    /// The caller's backend; nil for callers of an outside issuer without one.
    package let backend: Backend?
    /// Name of the webgate; empty for a route without one.
    package let webgate: String
    /// How long the token is to live, where a grant says so; nil for as long as the issuer likes.
    package let lifetimeSeconds: Int64?
    /// The token that this one is to replace, ended or about to; its refresh token may save a login.
    package let previous: IssuedToken?
    /// What the upstream's own Webgate has asked for (CACHE-08); nil where none has.
    package let challenge: UpstreamChallenge?

    package init(
        principal: Principal, backend: Backend?, webgate: String, lifetimeSeconds: Int64? = nil,
        previous: IssuedToken? = nil, challenge: UpstreamChallenge? = nil
    ) {
        self.principal = principal
        self.backend = backend
        self.webgate = webgate
        self.lifetimeSeconds = lifetimeSeconds
        self.previous = previous
        self.challenge = challenge
    }

    /// The bearer token that the caller presented, for grants that hand it on; empty for any other credential.
    package var credential: [UInt8] { principal.method == .cookie ? [] : principal.token }
}

/// What an upstream behind a Webgate of its own wants to have answered (CACHE-08).
package struct UpstreamChallenge: Sendable {
    /// Name of the upstream's Webgate.
    package let webgate: String
    /// `request-ctx`, exactly as it came.
    package let requestContext: [UInt8]
    /// URL of the resource that was asked for.
    package let resource: String

    package init(webgate: String, requestContext: [UInt8], resource: String) {
        self.webgate = webgate
        self.requestContext = requestContext
        self.resource = resource
    }
}
