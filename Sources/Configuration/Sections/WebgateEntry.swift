import Bytes
import Declaration
import Model

/// A group of routes with the same challenge (CHAL-01).
package struct WebgateEntry: Sendable {
    package var name: String
    /// Authentication level that its routes require, 0 to 10; nil for the level of the scheme.
    package var level: Int?
    /// Name of the authentication scheme (SCH-01).
    package var authenticationScheme: String?
    /// Values of `User-Agent`, exact or as prefixes that end in `*` (DEC-07); empty for all clients.
    package var userAgents: [String]
    /// Nil for the default: `redirect` with a form, else `bearer`.
    package var userAgentMismatch: UserAgentMismatch?
    /// Empty for none.
    package var injections: [InjectionEntry]

    static func readAll(_ field: Field) -> [WebgateEntry] {
        shape.readAll(field, "an array of webgates", unique: "webgate", by: \.name)
    }

    static let shape = Shape.object("a webgate: {\"name\", \"level\"}") { object in
        let entry = WebgateEntry(
            name: object.required("name", .identifier, EntryName.rule, placeholder: "", "Unique name."),
            level: object.optional(
                "level", .level, "Authentication level that its routes require, where no scheme says it."),
            authenticationScheme: object.optional(
                "authenticationScheme", .reference(to: .authenticationScheme),
                "Name of a scheme in `authenticationSchemes.json`, which gives level and login."),
            userAgents: object.optional(
                "userDefinedParameters", userDefinedParameters,
                """
                `User-Agent`: which clients are challenged with `OAM-Auth`. Each value is the whole field or, with \
                `*` at its end, a prefix; without it, all clients are.
                """) ?? [],
            userAgentMismatch: object.optional(
                "userAgentMismatch", .choice,
                """
                What other clients get: `redirect` to the login form, a `bearer` challenge, or `oam-auth` all the \
                same. By default `redirect` where the scheme has a form, else `bearer`; without `User-Agent` only an \
                explicit `redirect` has an effect.
                """),
            injections: object.optional(
                "injection", InjectionEntry.oneOrMore(isOfRoute: false),
                "Which token the upstreams of its routes get, and how; or a list of them.") ?? []
        )
        object.rules(.exactlyOne(of: "authenticationScheme", "level", several: "the level is that of the scheme"))
        return entry
    }

    private static let userDefinedParameters = Shape.object("an object with \"User-Agent\"") { object in
        let agents = Shape.texts(.either([.text, .list(.text)])) { place in
            place.node.array == nil ? place.name("a string or an array of strings").map { [$0] } : place.names()
        }
        return object.optional("User-Agent", agents, "A value or a list of them.") ?? []
    }
}
