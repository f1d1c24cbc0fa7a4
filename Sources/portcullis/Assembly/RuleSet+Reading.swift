import Bytes
import Configuration
import Declaration
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
        for var server in configuration.policies.servers where policyServers[server.name] == nil {
            // Names files of its own directory.
            server.tls = nil
            policyServers[server.name] = "\(server)"
        }
    }
}

extension Assembly.Reading {
    /// The entries and keys that were read, by their names. Users, clients and consumers are the same with a new password, secret
    /// or key.
    static func settings(of loaded: LoadedConfiguration) -> [Setting: [UInt8]] {
        let lists: [(section: String, name: [String], make: (String) -> Setting)] = [
            ("routes", ["name", "path"], Setting.route), ("trustedIssuers", ["name"], Setting.issuer),
            ("identityProviders", ["name"], Setting.provider), ("users", ["username"], Setting.user),
            ("clients", ["clientId"], Setting.client), ("consumers", ["name"], Setting.consumer),
        ]
        let secrets = ["password", "otpSecret", "securityQuestions", "clientSecret", "digest", "created", "id"]
        let absent = loaded.absences?.references ?? []
        var settings: [Setting: [UInt8]] = [:]
        for (section, node) in loaded.sections {
            guard let list = lists.first(where: { $0.section == section }), let elements = node.array else {
                settings[.key(section)] = node.serialized
                continue
            }
            for element in elements {
                guard let name = list.name.lazy.compactMap({ element[$0]?.string }).first else { continue }
                let isSecret = section == "users" || section == "clients" || section == "consumers"
                var text = (isSecret ? element.without(secrets) : element).serialized
                // Whose signatures count.
                let signers = [
                    element["jwksFile"], element["metadataFile"], element["certificateFile"], element["x5c"]?["caFile"],
                ]
                for file in signers.compactMap({ $0?.string }) {
                    let path = file.hasPrefix("/") ? file : "\(loaded.directory)/\(file)"
                    let reference = Absences.reference(to: path, in: loaded.directory)
                    if !absent.contains(reference) { text += (try? FileText.read(path)) ?? [] }
                }
                settings[list.make(name), default: []] += text
            }
        }
        return settings
    }
}

extension JSONNode {
    /// Without the members of these names, here and within.
    fileprivate func without(_ names: [String]) -> JSONNode {
        if let array { return JSONNode(.array(array.map { $0.without(names) })) }
        guard let members else { return self }
        let rest = members.filter { !names.contains($0.name) }
        return JSONNode(.object(rest.map { JSONMember(name: $0.name, node: $0.node.without(names)) }))
    }
}

extension Assembly.Reading {
    /// Decides by the rules that were read.
    var simulator: Simulator { Simulator(snapshot.policy, of: configuration) }

    /// The rules that were read.
    var rules: RuleSet {
        var rules = RuleSet(snapshot.policy, of: configuration)
        rules.settings = Assembly.Reading.settings(of: loaded)
        return rules
    }
}
