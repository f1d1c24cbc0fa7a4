import Bytes
import Declaration

/// The role catalogue (ROLE-04): names with optional descriptions (UPS-05).
package struct RolesSection: Sendable {
    package var names: [String] = []
    /// By name.
    package var descriptions: [String: String] = [:]

    private static let maximumCount = 256

    /// A name or an object with a description.
    private struct Role {
        let name: String?
        let description: String?
    }

    static var form: Form { .list(.either([name.form(), role.form()]), maximum: maximumCount) }

    private static let name = Shape(
        .named(
            "name",
            .schema([
                JSONMember(name: "type", node: .text("string")),
                JSONMember(name: "pattern", node: .text("^[^,\\u0000-\\u001f\\u007f]+$")),
                JSONMember(name: "maxLength", node: .number(128)),
            ])), read: { roleName($0) })

    private static let role = Shape.object("a role: {\"name\"}") { object in
        Role(
            name: object.required("name", name, "the name of a role", "Unique name."),
            description: object.optional("description", .name, "What the role is for."))
    }

    static func read(_ field: Field) -> RolesSection {
        var section = RolesSection()
        let names = field.names("an array of role names") { element -> String? in
            guard element.node.members != nil else { return roleName(element) }
            guard let entry = role.read(element), let name = entry.name else { return nil }
            section.descriptions[name] = entry.description
            return name
        }
        section.names = names ?? []
        if section.names.count > maximumCount {
            field.error(
                "too many roles", expected: "at most \(maximumCount) role names", found: "\(section.names.count)")
        }
        return section
    }

    /// Names are sent to upstreams as one comma-separated field.
    private static func roleName(_ field: Field) -> String? {
        guard let name = field.name() else { return nil }
        if name.contains(",") || name.utf8.count > 128 {
            field.error("invalid role name", expected: "at most 128 bytes without a comma", found: field.summary)
        }
        return name
    }
}
