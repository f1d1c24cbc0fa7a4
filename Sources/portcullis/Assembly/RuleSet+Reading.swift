import Configuration
import Declaration
import Gateway
import Model
import Policy
import Simulation

extension RuleSet {
    /// The rules of a configuration.
    ///
    /// - Parameter directory: of its files.
    init(_ policy: PolicySnapshot, of configuration: GatewayConfiguration, in directory: String) {
        self.init(Simulator(policy, of: configuration))
        users = configuration.users
        clients = configuration.clients.map(\.client)
        consumers = configuration.consumers
        providers = configuration.allIdentityProviders.filter { $0.kind != .local }
            .map { ($0.name, $0.users.identity) }
        origins = configuration.policies.allowOrigin
        others = RuleSet.others(of: configuration, in: directory)
        policyServers = Dictionary(configuration.policies.servers.map { ($0.name, "\($0)") }) { first, _ in first }
    }
}

extension RuleSet {
    /// Whose credentials count, as far as it is not computed: their keys, and credentials of other families. Users, clients and
    /// consumers are the same persons and programs with a new password, secret or key.
    private static func others(of configuration: GatewayConfiguration, in directory: String) -> [String: String] {
        var others: [String: String] = [:]
        // The same file has another path in another directory.
        func add(_ what: String, _ values: Any...) {
            others[what] = values.map { "\($0)" }.joined(separator: " ").replacing("\(directory)/", with: "")
        }
        for issuer in configuration.trustedIssuers {
            add(
                "which tokens of the issuer \(issuer.name) are valid", issuer.issuer, issuer.keys as Any,
                issuer.algorithms?.map(\.rawValue).sorted() as Any, issuer.tokenType, issuer.acceptIDTokens,
                issuer.requireAudience, issuer.clockSkew, issuer.maximumLifetime as Any, issuer.tokenSources,
                issuer.decryptionKeys, issuer.encryption, issuer.keyFile.flatMap { try? FileText.read($0) } as Any)
        }
        for provider in configuration.allIdentityProviders where provider.kind != .local {
            add("which logins at the provider \(provider.name) are valid", provider.settings as Any)
        }
        add(
            "which client certificates are valid, and their users",
            configuration.listeners.map { listener in
                [
                    listener.tls?.rules.clientAuthentication as Any, listener.tls?.clientAuthoritiesFile as Any,
                    listener.tls?.clientUsers as Any, listener.clientCertificateField as Any,
                ]
            })
        add("which proxies tell addresses", configuration.trustedProxies, configuration.forwardedFields)
        add("the tokens of applications", configuration.applications)
        return others
    }
}

extension TrustedIssuerEntry {
    /// The file with its keys; nil for keys from elsewhere.
    fileprivate var keyFile: String? { if case .file(let path)? = keys { path } else { nil } }
}

extension Assembly.Reading {
    /// Decides by the rules that were read.
    var simulator: Simulator { Simulator(snapshot.policy, of: configuration) }

    /// The rules that were read.
    var rules: RuleSet { RuleSet(snapshot.policy, of: configuration, in: loaded.directory) }
}
