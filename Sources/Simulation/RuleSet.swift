import Model
import Policy

/// A configuration as far as rules depend on it.
package struct RuleSet: Sendable {
    package let simulator: Simulator
    package var users: [User] = []
    package var clients: [Client] = []
    package var consumers: [Consumer] = []
    /// Rules of the identity providers, by name.
    package var providers: [(name: String, rules: ExternalIdentityRules)] = []
    /// The origins that may send cross-site requests where a route does not say it.
    package var origins = AllowOriginPolicy.disallow
    /// The entries and keys of the configuration as they are written, without passwords and secrets.
    package var settings: [Setting: [UInt8]] = [:]
    /// The settings of policy servers by name, as a text that is compared.
    package var policyServers: [String: String] = [:]

    package init(_ simulator: Simulator) { self.simulator = simulator }

    var policy: PolicySnapshot { simulator.policy }

    /// The name of a client in the configuration, by its OAuth id.
    package func reference(ofClient id: String) -> String {
        clients.first { $0.clientID == id }?.reference ?? id
    }

    func route(_ target: RequestTarget) -> Route? {
        switch target {
        case .route(let index), .lackingMethod(let index): policy.routes.routes[index]
        case .none, .endpoint: nil
        }
    }
}

/// An entry or a key of a configuration.
package enum Setting: Hashable, Sendable {
    case route(String)
    case issuer(String)
    case provider(String)
    case user(String)
    case client(String)
    case consumer(String)
    /// Of `gateway.json`, or another section.
    case key(String)

    /// For people.
    package var text: String {
        switch self {
        case .route(let name): "the route \(name)"
        case .issuer(let name): "the trusted issuer \(name)"
        case .provider(let name): "the identity provider \(name)"
        case .user(let name): "the user \(name)"
        case .client(let name): "the client \(name)"
        case .consumer(let name): "the consumer \(name)"
        case .key(let name): "\"\(name)\""
        }
    }

    /// Whether a change decides nothing about who is let in, or only what is computed.
    package var isHarmless: Bool {
        guard case .key(let name) = self else { return false }
        return [
            "$schema", "workers", "engine", "watchFiles", "limits", "rateLimits", "log", "tracing", "pages", "errors",
            "roles", "upstreams", "tokenCache", "issuedTokenCache", "tokenCleaner", "expectations", "optionalFiles",
            "environment", "acme",
        ].contains(name)
    }
}

/// A value before a change and after it.
struct Both<Value> {
    var old: Value
    var new: Value

    init(_ old: Value, _ new: Value) { (self.old, self.new) = (old, new) }

    func map<Other>(_ transform: (Value) -> Other) -> Both<Other> { Both<Other>(transform(old), transform(new)) }

    var values: [Value] { [old, new] }
}

extension Both: Sendable where Value: Sendable {}

extension Both where Value: Equatable {
    var isSame: Bool { old == new }
}
