import Identity
import Model

/// What a configuration decides about a described request.
package struct Verdict: Sendable {
    package var outcome: RequestOutcome
    /// Of the answer; nil where an upstream or an endpoint decides it.
    package var status: Int?
    /// Why it is refused, or why a login is asked for.
    package var reason: Reason?
    /// Name of the entry of the route; nil where none matches.
    package var route: String?
    /// Name of the endpoint that the request reaches.
    package var endpoint: String?
    /// Name of the upstream.
    package var upstream: String?
    /// Path and host that the upstream gets, where they differ from the client's.
    package var rewritten: String?
    /// The fields about the caller that the upstream gets, and those of the route, in their order.
    package var fields: [(name: String, value: String)] = []
    /// The tokens that the upstream gets: the issuer, and the field that has the token.
    package var tokens: [(issuer: String, field: String)] = []
    /// Whether the upstream gets the client's own credential.
    package var passesCredential = false
    /// Names of the policy servers that are asked besides, and may refuse the request.
    package var policyServers: [String] = []
    /// Whether the message in the body is judged besides.
    package var judgesMessages = false
    /// The caller that counts on the route.
    package var principal: Principal?

    init(_ outcome: RequestOutcome, status: Int? = nil, reason: Reason? = nil) {
        self.outcome = outcome
        self.status = status
        self.reason = reason
    }

    /// Whether the request is let in: it reaches what is behind the rules.
    package var isAdmitted: Bool { outcome == .forwarded || outcome == .answered && endpoint == nil && route != nil }
}

/// What a request reaches by host, path, method, fields and query, before anything is asked of its caller.
enum RequestTarget: Hashable, Sendable {
    case none
    /// By its name.
    case endpoint(String)
    /// By its index.
    case route(Int)
    /// The route of the most specific pattern lacks the method.
    case lackingMethod(Int)
}
