import Identity
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
    /// Settings that say whose credentials count and are not computed with, by what they are, as texts that are compared.
    package var others: [String: String] = [:]
    /// The settings of policy servers by name, as a text that is compared.
    package var policyServers: [String: String] = [:]

    package init(_ simulator: Simulator) { self.simulator = simulator }

    var policy: PolicySnapshot { simulator.policy }
    var description: PolicyDescription { PolicyDescription(simulator.policy) }

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
