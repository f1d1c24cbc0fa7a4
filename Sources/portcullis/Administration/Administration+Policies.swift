import Bytes
import Configuration
import Gateway

/// The environment policies by name (POL-01 to POL-03).
extension Administration {
    /// The policies that are set, as written.
    func listPolicies(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try shown("policies") { _, text in
            let members = text?.root.members ?? []
            return JSONNode(
                .object(members.filter { member in PoliciesSection.names.contains { isSame($0, member.name) } })
            ).serialized
        }
    }

    func showPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        return try shown("policies") { (_, text) throws(AdminFailure) in
            guard let value = text?.root[name] else { throw .notFound("the policy \(name) is not set") }
            return policy(name, value)
        }
    }

    func setPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        let body = try AdminBody(request, known: ["name", "value"])
        guard let value = body["value"], !value.isNull else { throw .malformed("\"value\" is missing") }
        if let named = try body.text("name"), !isSame(named, name) {
            throw .malformed("\"name\" is not that of the path")
        }
        let now = try change("policies", request) { (text, _) throws(AdminFailure) in text.set(name, to: value) }
        var answer = AdminAnswer.changed(name, policy(name, value))
        answer.tag = ConfigurationChange.tag(of: try configuration.text(of: "policies", now.loaded))
        return answer
    }

    /// A policy that is not set is reported, since its name may be mistaken.
    func unsetPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        try change("policies", request) { (text, _) throws(AdminFailure) in
            guard text.root[name] != nil else { throw .notFound("the policy \(name) is not set") }
            text.remove([.member(name)])
        }
        return .changed(name)
    }

    private func policyName(_ request: AdminRequest) throws(AdminFailure) -> String {
        let name = request.path[1]
        guard PoliciesSection.names.contains(where: { isSame($0, name) }) else {
            let near = Suggestion.nearest(to: name, among: PoliciesSection.names)
            throw .notFound("unknown policy \"\(name)\"", suggestion: near)
        }
        return name
    }

    private func policy(_ name: String, _ value: JSONNode) -> [UInt8] {
        JSONNode.object([("name", .text(name)), ("value", value)]).serialized
    }
}
