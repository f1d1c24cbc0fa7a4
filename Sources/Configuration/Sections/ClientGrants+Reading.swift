import Bytes
import Declaration
import Model

extension ClientGrants {
    /// - Returns: the keys of the client.
    static func read(_ object: inout ObjectReader, into grants: inout ClientGrants) -> ClientKeysEntry? {
        var lifetimes = RefreshLifetimes()
        let refreshTokens = object.flag(
            "refreshTokens", default: false, "Whether its users get refresh tokens (RFC 6749), each good for one use.")
        object.read(
            "refreshTokenSeconds", .seconds, into: &lifetimes.tokenSeconds,
            "How long a refresh token may lie unused.")
        object.read(
            "refreshFamilySeconds", .seconds, into: &lifetimes.familySeconds,
            "How long all tokens of one login live.")
        object.read(
            "refreshReuseInterval", reuse, into: &lifetimes.reuseSeconds, reuseMeaning)
        grants.refresh = refreshTokens ? lifetimes : nil
        object.read(
            "accessTokenSeconds", .seconds, into: &grants.accessTokenSeconds,
            "Lifetime of its users' access tokens; the token service's by default.")
        object.read(
            "deviceGrant", .flag, into: &grants.allowsDevices,
            """
            Whether its users may [log in on another device](guides/device-login.md) (RFC 8628), such as for a \
            program without a browser; needs an identity provider.
            """)
        return readShared(&object, into: &grants, targets: "backends")
    }

    /// What clients of both files have.
    /// - Parameter targets: the key of `tokenExchange` with the clients that it may have tokens for.
    /// - Returns: the keys of the client.
    static func readShared(
        _ object: inout ObjectReader, into grants: inout ClientGrants, targets: String
    ) -> ClientKeysEntry? {
        let clientKeys = object.optional(
            "clientKeys", ClientKeysEntry.shape,
            """
            A JWK set, or a file with one. The client may then authenticate with an assertion that it has signed \
            (`private_key_jwt`, RFC 7523) and needs no `clientSecret`. An assertion is accepted once, at most \
            five minutes after its `iat`.
            """)
        object.read(
            "introspection", .flag, into: &grants.introspection, "Whether it may ask about its own tokens (RFC 7662).")
        object.read(
            "tokenExchange", ExchangeRules.shape(targets: targets), into: &grants.exchange,
            "Lets it exchange access tokens for others with fewer rights (RFC 8693).")
        object.read(
            "dpopBoundAccessTokens", .flag, into: &grants.requiresProofKey,
            "Whether it gets only tokens that are [bound](guides/bound-tokens.md) to its key by a proof (RFC 9449).")
        object.read(
            "tlsClientCertificateBoundAccessTokens", .flag, into: &grants.bindsToCertificate,
            "Whether it gets only tokens that are [bound](guides/bound-tokens.md) to its certificate (RFC 8705).")
        object.read(
            "public", .flag, into: &grants.isPublic,
            """
            Whether the client cannot keep a secret, such as an application in a browser or on a device. It has no \
            `clientSecret` and gets tokens for authorization codes, device codes and refresh tokens only.
            """)
        grants.authorization = AuthorizationRules.read(&object)
        // RFC 6749 section 2.1.
        let isPublic = KeyCondition.isOn("public")
        object.rules(
            .only(
                "clientSecret", "clientKeys", with: .not(isPublic), because: "a public client has no credential",
                expected: "no \"clientSecret\" and no \"clientKeys\", or no \"public\""),
            .only(
                "introspection", "tokenExchange", with: .not(isPublic),
                because: "only a client with a credential has this", expected: "no \"public\""))
        return clientKeys
    }

    static let reuse = Shape.durationOrOff.reading(reuseInterval)
        .map({ ($0.milliseconds + 999) / 1000 }, back: { .seconds($0) })
    static let reuseMeaning = """
        How long a repeated refresh gets the same pair of tokens again, at most `60s`: for parallel requests of one \
        client, and for one that lost the response. It must have the same scope, resource and proof key, and the new \
        refresh token must be unused. The response is kept sealed for as long. With `0s`, a second use ends the login.
        """

    /// Short, since a stolen token is not detected during this time.
    private static func reuseInterval(_ field: Field) -> Duration? {
        guard let interval = field.duration(from: 0) else { return nil }
        guard interval <= .seconds(60) else {
            return field.error("out of range", expected: "a duration from \"0s\" to \"60s\"", found: field.summary)
        }
        return interval
    }
}

/// The key set of a client (RFC 7517 section 5).
package enum ClientKeysEntry: Sendable {
    /// The JSON text of the set.
    case inline([UInt8])
    /// Absolute path of a file with a key set.
    case file(String)

    static let shape = Shape(
        .either([.text, .schema([JSONMember(name: "type", node: .text("object")), .required("keys")])]), read: read)

    private static func read(_ field: Field) -> ClientKeysEntry? {
        if field.node.string != nil { return field.readableFile().map { .file($0) } }
        guard field.node.members != nil else { return field.wrongType("a JWK set, or the name of a file with one") }
        return .inline(field.node.serialized)
    }
}

extension ExchangeRules {
    static func shape(targets: String) -> Shape<ExchangeRules> { .object("an object") { read(&$0, targets) } }

    private static func read(_ object: inout ObjectReader, _ targets: String) -> ExchangeRules {
        var rules = ExchangeRules()
        object.read(
            "subjects", .references(to: .client), into: &rules.subjects,
            "Clients whose tokens it may bring, beside its own.")
        object.read(
            targets, .references(to: .client), into: &rules.clients,
            "Clients that it may have tokens for, beside its own.")
        object.read(
            "audiences", .names("an array of audiences"), into: &rules.audiences,
            "Values of `aud` that it may have tokens for.")
        object.read(
            "scopes", .scopes, into: &rules.scopes,
            "The scopes that such a token may have; all of the token that is brought by default.")
        object.read("actors", .flag, into: &rules.actors, "Whether it may name an actor.")
        object.read("lifetimeSeconds", .seconds, into: &rules.lifetimeSeconds, "The longest lifetime.")
        return rules
    }
}
