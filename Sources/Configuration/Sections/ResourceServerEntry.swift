/// Somebody who may ask about access tokens (RFC 7662) and has none itself.
package struct ResourceServerEntry: Sendable {
    package var clientID: String
    package var clientSecret: Secret
    /// `name/version` of the backends whose tokens it may ask about; nil for all.
    package var backends: [String]?

    static let list = shape.list("an array of resource servers", isUnique: false).reading(readAll)

    private static func readAll(_ field: Field) -> [ResourceServerEntry]? {
        var entries: [ResourceServerEntry] = []
        for element in field.elements("an array of resource servers") ?? [] {
            guard let entry = shape.read(element) else { continue }
            if !entry.clientID.isEmpty, entries.contains(where: { $0.clientID == entry.clientID }) {
                element.error("duplicate resource server \"\(entry.clientID)\"", expected: "a unique \"clientId\"")
            }
            entries.append(entry)
        }
        return entries
    }

    private static let shape = Shape.object("a resource server: {\"clientId\", \"clientSecret\"}") { object in
        ResourceServerEntry(
            clientID: object.required("clientId", .name, "a unique id", standIn: "", "Unique id."),
            clientSecret: object.required(
                "clientSecret", .secret, "a secret", standIn: Secret(value: "", origin: .literal), "Its secret."),
            backends: object.optional(
                "backends", .references(to: .backend), "Backends whose tokens it may ask about; all by default."))
    }
}
