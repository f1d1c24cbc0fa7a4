import Bytes
import Declaration
import Model

extension RouteLoginEntry {
    /// The name of a provider, a list of names, or an object.
    static let shape = Shape<RouteLoginEntry>(
        .either([
            ReferenceKind.identityProvider.form, .list(ReferenceKind.identityProvider.form, minimum: 1), members.form(),
        ]),
        read: { field in
            if field.node.string != nil || field.node.array != nil {
                return field.oneOrMore(of: .identityProvider).map { RouteLoginEntry(ways: $0) }
            }
            guard field.node.members != nil else { return field.wrongType(expected) }
            return members.read(field)
        })

    private static let expected =
        "the name of an identity provider, \"local\", a list of names, or {\"providers\", \"sessionLifetime\", \"idleTimeout\", \"claims\", \"tokens\", \"recheck\"}"

    private static let members = Shape<RouteLoginEntry>.object(expected) { object in
        object.removed(["provider"], instead: "\"providers\"")
        var entry = RouteLoginEntry(
            ways: object.required(
                "providers", .oneOrMore(of: .identityProvider), "the name of an identity provider, or a list of names",
                placeholder: [],
                "Names of entries of `identityProviders.json`, or `local` for the gateway's own form. Of several, users choose one."
            ),
            lifetime: object.optional(
                "sessionLifetime", SessionsSection.duration(from: 1),
                "Longest time that a session lasts; that of `sessions` by default. All routes with one of these providers share it."
            ),
            idleTimeout: object.optional(
                "idleTimeout", SessionsSection.duration(from: 0),
                "How long a session may be unused, `\"0s\"` for any time; that of `sessions` by default. Shared likewise."
            ),
            claims: object.optional(
                "claims", ClaimPath.shape.list("an array of claims"),
                """
                [Claims](guides/browser-login.md#claims) of the provider that the session keeps, for rules, header fields \
                and policy servers; by default those of the scopes `profile` and `email`, `groups` and `roles`. Sessions at \
                a provider keep the claims of all logins with it.
                """))
        object.read(
            "tokens", .flag, into: &entry.passesTokens,
            """
            Whether the provider's [tokens](guides/login-tokens.md#tokens) may reach upstreams: by the injection \
            `{"from": "login"}`, or exchanged by an issuer. The gateway keeps them encrypted in the store, and renews them.
            """)
        entry.recheck = object.optional(
            "recheck", SessionsSection.duration(from: 1),
            """
            How often the provider is [asked](guides/login-tokens.md#recheck), with the refresh token, whether the login \
            still holds.
            """)
        return entry
    }
}
