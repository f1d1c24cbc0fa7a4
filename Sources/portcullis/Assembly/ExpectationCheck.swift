import Configuration
import Identity
import Model
import Policy
import Reactor
import Simulation

/// What must be decided about described requests, compared with what the rules decide.
struct ExpectationCheck: AssemblyPart {
    let context: AssemblyContext

    /// Whether the configuration has no error, of its expectations either; reports each that is not met.
    ///
    /// - Parameters:
    ///   - settings: of the policy. What other gateways have withdrawn is no rule, and not considered.
    ///   - severity: of one that is not met; nil for none to be looked at.
    func admits(_ settings: PolicySettings, unmet severity: Severity?) -> Bool {
        if context.hasErrors { return false }
        guard let severity, !configuration.policies.expectations.isEmpty else { return true }
        var settings = settings
        settings.users = UserStore(users: configuration.users, hasher: configuration.passwords.hasher)
        settings.clients = settings.clients.asConfigured
        (settings.withdrawn, settings.revocations) = (nil, RevocationList())
        let simulator = Simulator(PolicySnapshot(settings), of: configuration)
        for (index, expectation) in configuration.policies.expectations.enumerated() {
            for mismatch in simulator.mismatches(expectation) {
                context.report(
                    "/expectations/\(index)/\(mismatch.member)", "\(expectation.title): \(mismatch.text)",
                    expected: nil,
                    severity: severity)
            }
        }
        return !context.hasErrors
    }
}

extension Simulator {
    /// Decides by the rules of a configuration.
    init(_ policy: PolicySnapshot, of configuration: GatewayConfiguration) {
        let host = configuration.baseURL.host
        let providers = configuration.allIdentityProviders.filter { $0.kind != .local }.map { ($0.name, $0.users) }
        self.init(
            policy, host: host.contains(":") ? "[\(host)]" : host,
            accounts: Accounts(
                users: UserStore(users: configuration.users, hasher: configuration.passwords.hasher),
                realm: RouteLogins.realm(configuration)),
            providers: Dictionary(providers) { first, _ in first }, now: Clock.wallSeconds)
    }
}
