/// Somebody who may ask about access tokens (RFC 7662) and has none itself.
package struct ResourceServerEntry: Sendable {
    package var clientID: String
    package var clientSecret: Secret
    /// `name/version` of the backends whose tokens it may ask about; nil for all.
    package var backends: [String]?

    static func readAll(_ field: Field) -> [ResourceServerEntry]? {
        var entries: [ResourceServerEntry] = []
        for element in field.elements("an array of resource servers") ?? [] {
            let entry = read(element)
            if !entry.clientID.isEmpty, entries.contains(where: { $0.clientID == entry.clientID }) {
                element.error("duplicate resource server \"\(entry.clientID)\"", expected: "a unique \"clientId\"")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func read(_ field: Field) -> ResourceServerEntry {
        var object = field.object("a resource server: {\"clientId\", \"clientSecret\"}")
        let entry = ResourceServerEntry(
            clientID: object.required("clientId", "a unique id", standIn: "") { $0.name() },
            clientSecret: object.required(
                "clientSecret", "a secret", standIn: Secret(value: "", origin: .literal)
            ) { $0.secret() },
            backends: object.optional("backends") { $0.references(to: .backend) })
        object.finish()
        return entry
    }
}
