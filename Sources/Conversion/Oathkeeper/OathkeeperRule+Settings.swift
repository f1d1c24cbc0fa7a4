import Bytes

extension OathkeeperRule {
    /// What a setting of a handler has.
    private enum Kind {
        case text, texts, flag, mapping

        func fits(_ node: JSONNode) -> Bool {
            switch self {
            case .text: node.string != nil
            case .texts: node.array?.allSatisfy { $0.string != nil } == true
            case .flag: node.bool != nil
            case .mapping: node.members != nil
            }
        }

        var name: String {
            switch self {
            case .text: "a text"
            case .texts: "a list of texts"
            case .flag: "true or false"
            case .mapping: "a mapping"
            }
        }
    }

    private static let ofTokens: [String: Kind] = [
        "required_scope": .texts, "target_audience": .texts, "trusted_issuers": .texts, "scope_strategy": .text,
        "token_from": .mapping,
    ]

    private static let ofServers: [String: Kind] = [
        "remote": .text, "headers": .mapping, "retry": .mapping, "forward_response_headers_to_upstream": .texts,
    ]

    /// Settings of the handlers that are translated. Of others every request is refused, or every credential.
    private static let settings: [String: [String: Kind]] = [
        "authenticators noop": [:], "authenticators unauthorized": [:], "authenticators anonymous": ["subject": .text],
        "authenticators jwt": ofTokens.merging([
            "allowed_algorithms": .texts, "jwks_urls": .texts, "jwks_max_wait": .text, "jwks_ttl": .text,
        ]) { first, _ in first },
        "authenticators oauth2_introspection": ofTokens.merging([
            "introspection_url": .text, "pre_authorization": .mapping, "prefix": .text, "retry": .mapping,
            "introspection_request_headers": .mapping, "cache": .mapping, "preserve_host": .flag,
        ]) { first, _ in first },
        "authorizers allow": [:], "authorizers deny": [:], "authorizers remote": ofServers,
        "authorizers remote_json": ofServers.merging(["payload": .text]) { first, _ in first },
        "mutators noop": [:], "mutators header": ["headers": .mapping],
        "mutators id_token": ["issuer_url": .text, "jwks_url": .text, "ttl": .text, "claims": .text],
    ]

    /// What is wrong with the settings of a handler, of which a restriction would be lost otherwise.
    /// - Parameter config: of the rule, or of the configuration.
    static func problems(_ section: String, _ name: String, _ config: JSONNode?) -> [String] {
        guard let config, !config.isNull, let known = settings["\(section) \(name)"] else { return [] }
        guard let members = config.members else { return ["config of \(name) is no mapping"] }
        return members.compactMap { member in
            guard let kind = known[member.name] else { return "\(name) has an unknown setting \"\(member.name)\"" }
            return kind.fits(member.node) ? nil : "\(member.name) of \(name) is not \(kind.name)"
        }
    }
}
