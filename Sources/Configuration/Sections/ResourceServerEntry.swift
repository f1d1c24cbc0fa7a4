import Declaration
import Model

/// A resource server that may introspect access tokens (RFC 7662).
package struct ResourceServerEntry: Sendable {
    package var clientID: String
    package var clientSecret: Secret
    /// References of the clients whose tokens it may introspect; nil for all.
    package var clients: [String]?

    static let list = shape.list("an array of resource servers", isUnique: false).reading(readAll)

    private static func readAll(_ field: Field) -> [ResourceServerEntry]? {
        shape.readAll(
            field, "an array of resource servers", unique: "resource server", by: \.clientID,
            expecting: "a unique \"clientId\"")
    }

    private static let shape = Shape.object("a resource server: {\"clientId\", \"clientSecret\"}") { object in
        object.removed(["backends"], instead: "\"clients\"")
        return ResourceServerEntry(
            clientID: object.required("clientId", .name, "a unique id", placeholder: "", "Unique id."),
            clientSecret: object.required(
                "clientSecret", .secret, "a secret", placeholder: Secret(""), "Its secret."),
            clients: object.optional(
                "clients", .references(to: .client), "Clients whose tokens it may ask about; all by default."))
    }
}
