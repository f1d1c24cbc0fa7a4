import Bytes
import Configuration
import Declaration
import Gateway
import HTTP
import Simulation

/// The environment policies by name (POL-01 to POL-03).
struct PolicyAdministration: ResourceAdministration {
    let administration: Administration

    /// Requests that are decided for a comparison at most: other changes wait meanwhile.
    private static let budget = 100_000

    static let operations = [
        operation(.get, "policies", "policies.list", Self.list),
        operation(.get, "policies/*", "policies.get", Self.show),
        operation(.put, "policies/*", "policies.set", Self.set),
        operation(.delete, "policies/*", "policies.unset", Self.unset),
        operation(.get, "changes", "changes.show", Self.changes),
    ]

    /// The policies that are set, as written.
    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("policies") { _, text in
            let members = text?.root.members ?? []
            return JSONNode(
                .object(members.filter { member in PoliciesSection.names.contains { $0.isExactly(member.name) } })
            ).serialized
        }
    }

    /// Which requests the files decide otherwise than the configuration in force.
    func changes(_: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        guard let (rules, host) = administration.servedRules?() else {
            throw .unavailable("a running gateway alone has a configuration in force: use --admin")
        }
        let directory = administration.configuration.directory
        let examination = Assembly.examine(directory, checksExpectations: false)
        guard let reading = examination.reading else { throw .alreadyInvalid(examination.errors) }
        let difference = Difference(from: rules, to: reading.rules, host: host, budget: PolicyAdministration.budget)
        let members = (difference.json.members ?? []).map { (name: $0.name, value: $0.node) }
        let more: [(name: String, value: JSONNode)] = [
            ("gains", .flag(difference.someoneGains)), ("text", .text(difference.text)),
            ("directory", .text(directory)),
        ]
        return .shown(JSONNode.object(members + more).serialized)
    }

    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        return try administration.shown("policies") { (_, text) throws(AdminFailure) in
            guard let value = text?.root[name] else { throw .notFound("the policy \(name) is not set") }
            return policy(name, value)
        }
    }

    func set(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        let body = try AdminBody(request, known: ["name", "value"])
        guard let value = body["value"], !value.isNull else { throw .malformed("\"value\" is missing") }
        if let named = try body.text("name"), !named.isExactly(name) {
            throw .malformed("\"name\" is not that of the path")
        }
        let now = try administration.change("policies", request) { (text, _) throws(AdminFailure) in
            text.set(name, to: value)
        }
        var answer = AdminAnswer.changed(name, policy(name, value))
        answer.tag = ConfigurationChange.tag(of: try administration.configuration.text(of: "policies", now.loaded))
        return answer
    }

    /// A policy that is not set is reported, since its name may be mistaken.
    func unset(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        try administration.change("policies", request) { (text, _) throws(AdminFailure) in
            guard text.root[name] != nil else { throw .notFound("the policy \(name) is not set") }
            text.remove([.member(name)])
        }
        return .changed(name)
    }

    private func policyName(_ request: AdminRequest) throws(AdminFailure) -> String {
        let name = request.path[1]
        guard PoliciesSection.names.contains(where: { $0.isExactly(name) }) else {
            let near = Suggestion.nearest(to: name, among: PoliciesSection.names)
            throw .notFound("unknown policy \"\(name)\"", suggestion: near)
        }
        return name
    }

    private func policy(_ name: String, _ value: JSONNode) -> [UInt8] {
        JSONNode.object([("name", .text(name)), ("value", value)]).serialized
    }
}
