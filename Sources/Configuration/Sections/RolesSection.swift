import Bytes

/// The role catalogue (ROLE-04): names, some of them with a description (UPS-05).
struct RolesSection {
    var names: [String] = []
    /// By name.
    var descriptions: [String: String] = [:]

    private static let maximumCount = 256

    static func read(_ field: Field) -> RolesSection {
        var section = RolesSection()
        let names = field.names("an array of role names") { element -> String? in
            guard element.node.members != nil else { return roleName(element) }
            var object = element.object("a role: {\"name\"}")
            let name = object.required("name", "the name of a role", standIn: nil) { .some(roleName($0)) }
            let description = object.optional("description") { $0.name() }
            object.finish()
            if let name { section.descriptions[name] = description }
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
