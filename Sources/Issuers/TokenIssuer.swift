import Identity

/// A module that obtains the token which a request carries to its upstream (ISS-01). Modules neither block nor open
/// sockets: what would block is handed back as `.offload`. Cache, single flight, refresh ahead, purge and the short
/// memory for failures are the framework's (`IssuedTokenStore`).
package protocol TokenIssuer: Sendable {
    /// The module's name in `issuers.json`, such as `embedded`.
    var kind: String { get }
    /// Names the settings that this issuer's tokens depend on. It differs wherever they differ, so that no cached token
    /// outlives a change of configuration. It holds no secret.
    var configurationID: String { get }
    /// Obtains a token. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func issue(_ request: IssueRequest, now: Int64) -> IssueOutcome
}

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

    package init(principal: Principal, backend: Backend?, webgate: String, lifetimeSeconds: Int64? = nil) {
        self.principal = principal
        self.backend = backend
        self.webgate = webgate
        self.lifetimeSeconds = lifetimeSeconds
    }
}

/// What an issuer says to a request.
package enum IssueOutcome: Sendable {
    case issued(IssuedToken)
    case denied(IssueFailure)
    /// Work that blocks or takes long, to be run on the blocking pool. It does not answer `.offload` again.
    case offload(@Sendable () -> IssueOutcome)
}

/// Why there is no token. The caller is authenticated, so none of these is ever answered with 401 (ISS-03).
package enum IssueFailure: String, Error, Sendable, CaseIterable {
    /// The issuer refuses this caller.
    case refused = "issuer_refused"
    /// The issuer can't be reached or is overloaded; a later request may succeed.
    case unavailable = "issuer_unavailable"
    /// The issuer's answer makes no sense, or its token has ended already.
    case invalidToken = "issuer_invalid_token"

    /// The status that the client gets.
    package var status: Int {
        switch self {
        case .refused: 403
        case .unavailable: 503
        case .invalidToken: 502
        }
    }

    /// Seconds for a `Retry-After`; nil where waiting does not help.
    package var retryAfterSeconds: Int? { self == .unavailable ? 1 : nil }
}
