import Configuration
import Gateway
import Model
import Simulation

extension Assembly.Reading {
    /// The rules that were read.
    var rules: RuleSet {
        var rules = RuleSet(simulator)
        rules.users = configuration.users
        rules.clients = configuration.clients.map(\.client)
        rules.consumers = configuration.consumers
        rules.providers = configuration.allIdentityProviders.filter { $0.kind != .local }
            .map { ($0.name, $0.users.identity) }
        rules.origins = configuration.policies.allowOrigin
        rules.policyServers = Dictionary(configuration.policies.servers.map { ($0.name, "\($0)") }) { first, _ in first }
        return rules
    }
}
