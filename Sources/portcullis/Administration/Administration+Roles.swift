import Bytes
import Configuration
import Gateway
import Model

/// The role catalogue (ROLE-04, UPS-05).
extension Administration {
    func listRoles(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        var writer = JSONWriter()
        writer.beginArray()
        for name in reading.configuration.roles { writer.role(name, reading.configuration.roleDescriptions[name]) }
        writer.endArray()
        return .shown(
            writer.bytes, tag: ConfigurationChange.tag(of: try configuration.text(of: "roles", reading.loaded)))
    }

    func addRole(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["name", "description"])
        let (name, description) = (try body.required("name"), try body.text("description"))
        _ = try configuration.change("roles", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            if before.roles.contains(where: { isSame($0, name) }) {
                throw .conflict("there is a role \"\(name)\" already")
            }
            text.append([Administration.node(name, description)])
        }
        return .changed(name, status: 201, role(name, description))
    }

    /// Roles have a description, and their name stays.
    func changeRole(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["description"])
        let (name, description) = (request.path[1], try body.text("description"))
        let changed = try configuration.change("roles", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            let index = try findRole(name, before)
            guard body.has("description") else { return before.roleDescriptions[name] }
            text.replace([.element(index)], with: Administration.node(name, description))
            return description
        }
        return .changed(name, role(name, changed.value))
    }

    /// Whatever names the role keeps it (UPS-05): without it the configuration would not be valid.
    func removeRole(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        do throws(AdminFailure) {
            _ = try configuration.change("roles", empty: "[]", condition: request.condition) {
                (text, before) throws(AdminFailure) in
                text.remove([.element(try findRole(name, before))])
            }
        } catch .invalid(_, let findings) {
            let places = findings.filter { $0.severity == .error }.prefix(3).map(\.pointer)
            throw .conflict("the role \"\(name)\" is in use at \(places.joined(separator: ", "))")
        }
        return .changed(name)
    }

    private func findRole(_ name: String, _ configuration: GatewayConfiguration) throws(AdminFailure) -> Int {
        let roles = configuration.roles
        guard let index = roles.firstIndex(where: { isSame($0, name) }) else {
            throw .notFound("there is no role \"\(name)\"", suggestion: Suggestion.nearest(to: name, among: roles))
        }
        return index
    }

    private static func node(_ name: String, _ description: String?) -> JSONNode {
        guard let description else { return .text(name) }
        return .object([("name", .text(name)), ("description", .text(description))])
    }

    private func role(_ name: String, _ description: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.role(name, description)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func role(_ name: String, _ description: String?) {
        beginObject()
        member("name", name)
        if let description { member("description", description) }
        endObject()
    }
}
