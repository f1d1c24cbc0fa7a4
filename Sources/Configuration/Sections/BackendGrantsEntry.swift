import Bytes

/// Grants of a backend's client beyond those of OAUTH-01 and OAUTH-03.
package struct BackendGrantsEntry: Sendable {
    /// Whether its users get refresh tokens (RFC 6749 section 6).
    package var refreshTokens: Bool
    /// Lifetime of an unused refresh token.
    package var refreshTokenSeconds: Int
    /// Lifetime of all refresh tokens of one login.
    package var refreshFamilySeconds: Int
    /// How long a used refresh token may be repeated after a lost response; zero for never.
    package var refreshReuseInterval: Duration
    /// Lifetime of its users' access tokens; nil for the token service's.
    package var accessTokenSeconds: Int?
    /// Keys of its client assertions (RFC 7523).
    package var clientKeys: ClientKeysEntry?
    /// Whether it may introspect its tokens (RFC 7662).
    package var introspection: Bool
    package var tokenExchange: TokenExchangeEntry?

    static func read(_ object: inout ObjectReader) -> BackendGrantsEntry {
        let refreshTokens = object.flag(
            "refreshTokens", default: false, "Whether its users get refresh tokens (RFC 6749), each good for one use.")
        return BackendGrantsEntry(
            refreshTokens: refreshTokens,
            refreshTokenSeconds: object.value(
                "refreshTokenSeconds", Shape.seconds.reading { lifetime($0, refreshTokens) }, default: 2_592_000,
                "How long a refresh token may lie unused."),
            refreshFamilySeconds: object.value(
                "refreshFamilySeconds", Shape.seconds.reading { lifetime($0, refreshTokens) }, default: 7_776_000,
                "How long all tokens of one login live."),
            refreshReuseInterval: object.value(
                "refreshReuseInterval", Shape.durationOrOff.reading { reuseInterval($0, refreshTokens) },
                default: .zero,
                """
                How long after its use the refresh token that was used last may come again, up to `60s`, for a \
                client that lost the answer: it gets another pair, and the lost one is void. With `0s`, that ends \
                the login like any other reuse.
                """),
            accessTokenSeconds: object.optional(
                "accessTokenSeconds", .seconds, "Lifetime of its users' access tokens; the token service's by default."),
            clientKeys: object.optional(
                "clientKeys", ClientKeysEntry.shape,
                """
                A JWK set, or a file with one. The client may then authenticate with an assertion that it has signed \
                (`private_key_jwt`, RFC 7523) and needs no `clientSecret`. An assertion is accepted once, at most \
                five minutes after its `iat`.
                """),
            introspection: object.flag(
                "introspection", default: false, "Whether it may ask about its own tokens (RFC 7662)."),
            tokenExchange: object.optional(
                "tokenExchange", TokenExchangeEntry.shape,
                "Lets it exchange access tokens for others with fewer rights (RFC 8693)."))
    }

    private static func lifetime(_ field: Field, _ refreshTokens: Bool) -> Int? {
        hasRefreshTokens(field, refreshTokens) ? field.seconds() : nil
    }

    /// Short, since a stolen token is not detected during this time.
    private static func reuseInterval(_ field: Field, _ refreshTokens: Bool) -> Duration? {
        guard hasRefreshTokens(field, refreshTokens), let interval = field.duration(from: 0) else { return nil }
        guard interval <= .seconds(60) else {
            return field.error("out of range", expected: "a duration from \"0s\" to \"60s\"", found: field.summary)
        }
        return interval
    }

    private static func hasRefreshTokens(_ field: Field, _ refreshTokens: Bool) -> Bool {
        if !refreshTokens {
            field.error("the backend has no refresh tokens", expected: "\"refreshTokens\": true beside it")
        }
        return refreshTokens
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

/// What a client may exchange (RFC 8693).
package struct TokenExchangeEntry: Sendable {
    /// `name/version` of backends whose tokens it may exchange.
    package var subjects: [String]
    /// `name/version` of backends that it may get tokens for.
    package var backends: [String]
    /// Values of `aud` that it may get tokens for.
    package var audiences: [String]
    package var scopes: [String]
    package var actors: Bool
    package var lifetimeSeconds: Int

    static let shape = Shape.object("an object") { object in
        TokenExchangeEntry(
            subjects: object.value(
                "subjects", .references(to: .backend), default: [],
                "Backends whose tokens it may bring, beside its own."),
            backends: object.value(
                "backends", .references(to: .backend), default: [],
                "Backends that it may have tokens for, beside its own."),
            audiences: object.value(
                "audiences", .names("an array of audiences"), default: [],
                "Values of `aud` that it may have tokens for."),
            scopes: object.value(
                "scopes", .scopes, default: [],
                "The scopes that such a token may have; all of the token that is brought by default."),
            actors: object.flag("actors", default: false, "Whether it may name an actor."),
            lifetimeSeconds: object.value("lifetimeSeconds", .seconds, default: 3600, "The longest lifetime."))
    }
}
