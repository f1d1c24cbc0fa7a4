import Bytes
import Configuration
import Declaration
import Gateway
import HTTP
import Model

/// The role catalogue (ROLE-04, UPS-05).
struct RoleAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "roles", "roles.list", Self.list),
        operation(.post, "roles", "roles.add", Self.add),
        operation(.patch, "roles/*", "roles.change", Self.change),
        operation(.delete, "roles/*", "roles.remove", Self.remove),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("roles") { reading, _ in
            let (roles, descriptions) = (reading.configuration.roles.names, reading.configuration.roles.descriptions)
            return JSONNode(.array(roles.map { Self.role($0, descriptions[$0]) })).serialized
        }
    }

    func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["name", "description"])
        let (name, description) = (try body.required("name"), try body.text("description"))
        try administration.change("roles", request) { (text, before) throws(AdminFailure) in
            if before.roles.names.contains(where: { $0.isExactly(name) }) {
                throw .conflict("there is a role \"\(name)\" already")
            }
            text.append([Self.entry(name, description)])
        }
        return .changed(name, status: 201, Self.role(name, description).serialized)
    }

    /// Changes the description of a role.
    func change(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["description"])
        let (name, description) = (request.path[1], try body.text("description"))
        let changed = try administration.change("roles", request) { (text, before) throws(AdminFailure) in
            let index = try Administration.index(of: name, in: before.roles.names, "role")
            guard body.has("description") else { return before.roles.descriptions[name] }
            text.replace([.element(index)], with: Self.entry(name, description))
            return description
        }
        return .changed(name, Self.role(name, changed.value).serialized)
    }

    /// Removes an unused role (UPS-05): a reference to a missing role makes the configuration invalid.
    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = request.path[1]
        do throws(AdminFailure) {
            try administration.change("roles", request) { (text, before) throws(AdminFailure) in
                text.remove([.element(try Administration.index(of: name, in: before.roles.names, "role"))])
            }
        } catch .invalid(_, let findings) {
            let places = findings.filter { $0.severity == .error }.prefix(3).map(\.pointer)
            throw .conflict("the role \"\(name)\" is in use at \(places.joined(separator: ", "))")
        }
        return .changed(name)
    }

    /// The entry of `roles.json`.
    private static func entry(_ name: String, _ description: String?) -> JSONNode {
        description == nil ? .text(name) : role(name, description)
    }

    private static func role(_ name: String, _ description: String?) -> JSONNode {
        .object([("name", .text(name))] + (description.map { [("description", .text($0))] } ?? []))
    }
}
