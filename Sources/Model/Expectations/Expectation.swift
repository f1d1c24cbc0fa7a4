import Bytes

/// What becomes of a request.
package enum RequestOutcome: String, Sendable, CaseIterable {
    /// It reaches the upstream of its route.
    case forwarded
    /// The gateway answers it itself: an endpoint, a route without an upstream, a preflight.
    case answered
    /// A browser is sent to a login.
    case login
    case refused
}

/// A described request, and what must be decided about it.
package struct Expectation: Sendable {
    package var request: RequestDescription
    /// What it is called in reports; nil for its request and caller.
    package var name: String?
    // What must come, each nil where it does not matter.
    package var outcome: RequestOutcome?
    /// Of the gateway's own answer.
    package var status: Int?
    /// The code of a refusal.
    package var reason: String?
    /// Name of the entry of the route.
    package var route: String?
    /// Values of fields that the upstream gets; nil for fields that it must not get.
    package var identity: [(name: String, value: String?)] = []
    /// The issuers of the tokens that the upstream gets, by the field that has them; nil where it does not matter.
    package var tokens: [(field: String, issuer: String)]?

    package init(_ request: RequestDescription) { self.request = request }

    /// What it is called in reports.
    package var title: String { name ?? "\(request.method) \(request.target) by \(request.caller)" }
}

extension CallerDescription: CustomStringConvertible {
    package var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .token(let issuer, let claims): "a token of \(issuer)\(CallerDescription.text(claims))"
        case .client(let id, nil, _): "the client \(id)"
        case .client(let id, let user?, _): "\(user) with the client \(id)"
        case .user(let name, _): name
        case .login(let provider, let claims): "a login at \(provider)\(CallerDescription.text(claims))"
        case .consumer(let name, _): "the consumer \(name)"
        }
    }

    private static func text(_ claims: JSONNode) -> String {
        claims.members?.isEmpty != false ? "" : " with \(claims.onOneLine)"
    }
}
