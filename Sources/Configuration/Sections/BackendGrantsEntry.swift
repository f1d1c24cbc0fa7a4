import Bytes

/// What the client of a backend may have beyond the grants of OAUTH-01 and OAUTH-03.
package struct BackendGrantsEntry: Sendable {
    /// Whether its users get refresh tokens (RFC 6749 section 6).
    package var refreshTokens: Bool
    /// How long a refresh token may lie unused.
    package var refreshTokenSeconds: Int
    /// How long all that comes of one login lives.
    package var refreshFamilySeconds: Int
    /// How long after its use a refresh token may come again for an answer that was lost; zero for never.
    package var refreshReuseInterval: Duration
    /// Lifetime of its users' access tokens; nil for the token service's.
    package var accessTokenSeconds: Int?
    /// What its client assertions are signed with (RFC 7523).
    package var clientKeys: ClientKeysEntry?
    /// Whether it may ask about its tokens (RFC 7662).
    package var introspection: Bool
    package var tokenExchange: TokenExchangeEntry?

    static func read(_ object: inout ObjectReader) -> BackendGrantsEntry {
        let refreshTokens = object.flag("refreshTokens", default: false)
        return BackendGrantsEntry(
            refreshTokens: refreshTokens,
            refreshTokenSeconds: object.value("refreshTokenSeconds", default: 2_592_000) {
                lifetime($0, refreshTokens)
            },
            refreshFamilySeconds: object.value("refreshFamilySeconds", default: 7_776_000) {
                lifetime($0, refreshTokens)
            },
            refreshReuseInterval: object.value("refreshReuseInterval", default: .zero) {
                reuseInterval($0, refreshTokens)
            },
            accessTokenSeconds: object.optional("accessTokenSeconds") { $0.seconds() },
            clientKeys: object.optional("clientKeys", ClientKeysEntry.read),
            introspection: object.flag("introspection", default: false),
            tokenExchange: object.optional("tokenExchange", TokenExchangeEntry.read))
    }

    private static func lifetime(_ field: Field, _ refreshTokens: Bool) -> Int? {
        hasRefreshTokens(field, refreshTokens) ? field.seconds() : nil
    }

    /// For as long a stolen token may go unnoticed.
    private static func reuseInterval(_ field: Field, _ refreshTokens: Bool) -> Duration? {
        guard hasRefreshTokens(field, refreshTokens), let interval = field.durationOrOff() else { return nil }
        guard interval <= .seconds(60) else {
            field.error("out of range", expected: "a duration from \"0s\" to \"60s\"", found: field.summary)
            return nil
        }
        return interval
    }

    private static func hasRefreshTokens(_ field: Field, _ refreshTokens: Bool) -> Bool {
        if !refreshTokens {
            field.error("there are no refresh tokens to limit", expected: "\"refreshTokens\": true beside it")
        }
        return refreshTokens
    }
}

/// Where the keys of a client are: RFC 7517 section 5.
package enum ClientKeysEntry: Sendable {
    /// The JSON text of the set.
    case inline([UInt8])
    /// Absolute path of a file with one.
    case file(String)

    static func read(_ field: Field) -> ClientKeysEntry? {
        if field.node.string != nil { return field.readableFile().map { .file($0) } }
        guard field.node.members != nil else {
            field.wrongType("a JWK set, or the name of a file with one")
            return nil
        }
        var writer = JSONWriter()
        writer.value(field.node)
        return .inline(writer.bytes)
    }
}

/// What a client may exchange (RFC 8693).
package struct TokenExchangeEntry: Sendable {
    /// `name/version` of backends whose tokens it may bring.
    package var subjects: [String]
    /// `name/version` of backends that it may have tokens for.
    package var backends: [String]
    /// Values of `aud` that it may have tokens for.
    package var audiences: [String]
    package var scopes: [String]
    package var actors: Bool
    package var lifetimeSeconds: Int

    static func read(_ field: Field) -> TokenExchangeEntry? {
        var object = field.object("an object")
        let entry = TokenExchangeEntry(
            subjects: object.value("subjects", default: []) { $0.references(to: .backend) },
            backends: object.value("backends", default: []) { $0.references(to: .backend) },
            audiences: object.value("audiences", default: []) { $0.names("an array of audiences") },
            scopes: object.value("scopes", default: []) { $0.scopes() },
            actors: object.flag("actors", default: false),
            lifetimeSeconds: object.value("lifetimeSeconds", default: 3600) { $0.seconds() })
        object.finish()
        return entry
    }
}
