import Bytes

/// How a service domain uses an identity provider (RP-01 to RP-03).
package struct RelyingPartyEntry: Sendable {
    /// Names of the providers, in the order in which users may choose.
    package var providers: [String]
    /// Those that stand here themselves.
    package var inline: [IdentityProviderEntry]
    /// Whether users have the names of their e-mail addresses, or of the provider's subjects; nil where the provider's
    /// entry says it.
    package var usernameFromEmail: Bool?
    /// Whether applications are given the provider's access token.
    package var exposesToken: Bool

    private static let members = ["provider", "usernameFrom", "exposeProviderToken"]

    /// - Parameters:
    ///   - domain: name of the domain, which a provider that stands here has if it names no other.
    ///   - isWanted: whether the domain has any use for the members.
    static func read(_ object: inout ObjectReader, domain: String, isWanted: Bool) -> RelyingPartyEntry? {
        guard isWanted else {
            for field in members.compactMap({ object.take($0) }) {
                field.error(
                    "nobody is sent to an identity provider here", expected: "\"type\": \"relyingParty\" beside it")
            }
            return nil
        }
        var inline: [IdentityProviderEntry] = []
        let read = { (field: Field) -> String? in
            guard field.node.members != nil else { return field.reference(to: .identityProvider) }
            let entry = IdentityProviderEntry.read(field, name: domain)
            inline.append(entry)
            return entry.name
        }
        let names = object.required(
            "provider", "the name of an identity provider, or one itself", standIn: []
        ) { (field: Field) -> [String]? in
            guard field.node.array != nil else { return read(field).map { [$0] } }
            let names = field.names("an array of identity providers", read)
            if names?.isEmpty == true { field.error("the list is empty", expected: "an identity provider") }
            return names
        }
        return RelyingPartyEntry(
            providers: names, inline: inline,
            usernameFromEmail: object.optional("usernameFrom") { $0.choice(["email", "subject"]) }.map {
                $0 == "email"
            },
            exposesToken: object.flag("exposeProviderToken", default: false))
    }
}
