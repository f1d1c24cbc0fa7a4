import Configuration
import Gateway
import Model
import Policy
import Simulation

extension RuleSet {
    /// The rules of a configuration.
    init(_ policy: PolicySnapshot, of configuration: GatewayConfiguration) {
        self.init(Simulator(policy, of: configuration))
        users = configuration.users
        clients = configuration.clients.map(\.client)
        consumers = configuration.consumers
        providers = configuration.allIdentityProviders.filter { $0.kind != .local }
            .map { ($0.name, $0.users.identity) }
        origins = configuration.policies.allowOrigin
        policyServers = Dictionary(configuration.policies.servers.map { ($0.name, "\($0)") }) { first, _ in first }
    }
}

extension Assembly.Reading {
    /// The rules that were read.
    var rules: RuleSet { RuleSet(snapshot.policy, of: configuration) }
}
