import Bytes
import Configuration
import Declaration

/// The identity providers of a service domain (RP-01 to RP-03).
package struct RelyingPartyEntry: Sendable {
    /// Names of the providers, in the order shown to users.
    package var providers: [String]
    /// Providers that are declared here.
    package var inline: [IdentityProviderEntry]
    /// Whether users are named by e-mail address or by the provider's subject; nil for the rule of the provider.
    package var usernameFromEmail: Bool?
    /// Whether applications get the provider's access token.
    package var exposesToken: Bool

    /// - Parameter domain: name of the domain, the default name of a provider that is declared here.
    static func read(_ object: inout ObjectReader, domain: String) -> RelyingPartyEntry {
        let provider = IdentityProviderEntry.shape(name: domain)
        var inline: [IdentityProviderEntry] = []
        let read = { (field: Field) -> String? in
            guard field.node.members != nil else { return field.reference(to: .identityProvider) }
            guard let entry = provider.read(field) else { return nil }
            inline.append(entry)
            return entry.name
        }
        let one = Form.named("providerOrName", .either([Shape.identifier.form(), provider.form()]))
        let member = object.take(
            "provider", Shape<[String]>(.either([one, .list(one, minimum: 1)]), read: { _ in nil }),
            """
            With `relyingParty`, required: the name of an identity provider, or one itself, whose name is the domain's if it \
            names no other; or several, from which users choose. With one of kind `local` among them the domain accepts \
            passwords as well.
            """)
        object.rules(.requires("provider", expected: "the name of an identity provider, or one itself"))
        let names = member.flatMap { member -> [String]? in
            let field = member.field
            guard field.node.array != nil else { return read(field).map { [$0] } }
            let names = field.names("an array of identity providers", read)
            if names?.isEmpty == true { field.error("the list is empty", expected: "an identity provider") }
            return names
        }
        return RelyingPartyEntry(
            providers: names ?? [], inline: inline,
            usernameFromEmail: object.optional(
                "usernameFrom", .choice(["email", "subject"]),
                "With `relyingParty`: what users are named by; by default as the provider's entry says."
            )
            .map { $0 == "email" },
            exposesToken: object.flag(
                "exposeProviderToken", default: false,
                """
                With `relyingParty`: whether `authenticate` gives the application the provider's access token, in \
                `accessTokens` by the provider's name.
                """))
    }
}
