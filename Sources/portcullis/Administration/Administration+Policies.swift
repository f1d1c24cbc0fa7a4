import Bytes
import Configuration
import Gateway

/// The environment policies under their own names (POL-01 to POL-03).
extension Administration {
    /// Those that are set, as they are written.
    func listPolicies(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        let text = try configuration.text(of: "policies", reading.loaded)
        var writer = JSONWriter()
        writer.beginObject()
        for member in text?.root.members ?? [] where PoliciesSection.names.contains(where: { isSame($0, member.name) })
        {
            writer.member(member.name, member.node)
        }
        writer.endObject()
        return .shown(writer.bytes, tag: ConfigurationChange.tag(of: text))
    }

    func showPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        let reading = try configuration.read()
        let text = try configuration.text(of: "policies", reading.loaded)
        guard let value = text?.root[name] else { throw .notFound("the policy \(name) is not set") }
        return .shown(policy(name, value), tag: ConfigurationChange.tag(of: text))
    }

    func setPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        let body = try AdminBody(request, known: ["name", "value"])
        guard let value = body["value"], !value.isNull else { throw .malformed("\"value\" is missing") }
        if let named = try body.text("name"), !isSame(named, name) {
            throw .malformed("\"name\" is not that of the path")
        }
        let now = try configuration.change("policies", empty: "{}", condition: request.condition) {
            (text, _) throws(AdminFailure) in text.set(name, to: value)
        }
        var answer = AdminAnswer.changed(name, policy(name, value))
        answer.tag = ConfigurationChange.tag(of: try configuration.text(of: "policies", now.loaded))
        return answer
    }

    /// What is not set cannot be unset, and is said to be so: the name was perhaps another one.
    func unsetPolicy(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try policyName(request)
        _ = try configuration.change("policies", empty: "{}", condition: request.condition) {
            (text, _) throws(AdminFailure) in
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
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.member("value", value)
        writer.endObject()
        return writer.bytes
    }
}
