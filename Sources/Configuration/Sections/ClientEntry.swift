import Declaration
import Model

/// An entry of `backends.json` or `clients.json`. Other sections name it by `backend.reference`.
package struct ClientEntry: Sendable {
    /// What it has as long as it is not revoked, and without the effect of a social login.
    package var client: Client
    /// Social login, which excludes other logins; nil if off.
    package var socialLogin: SocialLogin?
    /// Names of the identity providers for logins by browser (SSO-07); empty for the gateway's own form.
    package var identityProviders: [String] = []
    /// Whether the registration was revoked: its secret, keys and tokens are invalid.
    package var isRevoked = false
    package var clientKeys: ClientKeysEntry?
    /// Names of the routes associated from this side; the routes list this client as well.
    package var routes: [String] = []
    /// The place of the entry.
    package var pointer = ""

    /// The client with the rights that it has now. A revoked one has no secret, takes no password and no anonymous key,
    /// and none of its tokens counts.
    package var inForce: Client {
        var client = client
        if let socialLogin { client.restrict(to: socialLogin) }
        if isRevoked { client.revoke() }
        return client
    }

    /// Where the users of a client log in by browser.
    static func readProviders(_ object: inout ObjectReader) -> [String] {
        object.value(
            "identityProvider", .oneOrMore(of: .identityProvider), default: [],
            """
            The [identity providers](guides/identity-providers.md) that its users log in at by browser, one or \
            several to choose from; the gateway's own form by default.
            """)
    }

    /// The entries of `backends.json`, and after them those of `clients.json`.
    /// - Parameter keys: those of backends that other targets declare.
    static func readAll(backends: Field?, clients: Field?, keys: [BackendKey]) -> [ClientEntry] {
        let shape = shape(keys)
        var entries: [ClientEntry] = []
        for element in backends?.elements("an array of backends") ?? [] {
            guard var entry = shape.read(element) else { continue }
            entry.pointer = element.pointer
            for other in entries { compare(entry.client, other.client, element) }
            entries.append(entry)
        }
        return entries + ClientSection.readAll(clients, beside: entries)
    }

    /// A key of entries of `backends.json`.
    typealias BackendKey = @Sendable (inout ObjectReader, inout ClientEntry) -> Void

    static func shape(_ keys: [BackendKey]) -> Shape<ClientEntry> {
        .object("a backend: {\"name\", \"version\", \"mobileBackendId\"}") { read(&$0, keys) }
    }

    private static func read(_ object: inout ObjectReader, _ keys: [BackendKey]) -> ClientEntry {
        var client = Client(
            name: object.required(
                "name", .identifier, "a name", placeholder: "", "Name; unique together with the version."),
            version: object.required(
                "version", .identifier, "a version such as \"1.0\"", placeholder: "",
                "Version, such as `1.0`; other sections name the backend as `name/version`."),
            id: object.required(
                "mobileBackendId", .fieldValue, "a unique id", placeholder: "",
                "Unique id, sent as `\(CallerFields.backendID)`."),
            anonymousKey: object.optional(
                "anonymousKey", .fieldValue, "What anonymous callers present as Basic credentials.") ?? "",
            clientID: object.optional("clientId", .name, "OAuth client id.") ?? "",
            clientSecret: object.optional("clientSecret", .secret, "OAuth client secret."),
            realm: object.value("realm", .name, default: "Default", "Realm of its users."),
            oauthConsumer: object.flag("oauthConsumer", default: true, "Whether its client id is accepted."),
            httpBasic: object.flag("httpBasic", default: true, "Whether Basic credentials are accepted."))
        client.issuer = object.optional(
            "issuer", .reference(to: .issuer),
            """
            Name of the issuer that makes its access tokens; the token service by default. The routes of the \
            backend accept these tokens, by the record of their issue in the store, until they end or are \
            revoked at `/oauth2/revoke`. A token that the module gives to more than one caller opens nothing.
            """)
        let providers = ClientEntry.readProviders(&object)
        let isRevoked = object.flag(
            "revoked", default: false,
            """
            Whether the registration was revoked: no secret, key or token of it counts; set by `portcullis backend \
            revoke`.
            """)
        object.read(
            "tokensNotBefore", .instant, into: &client.tokensNotBefore,
            """
            Tokens that were issued before this second since 1970 are refused; set by `portcullis backend \
            rotate-secret`.
            """)
        let clientKeys = ClientGrants.read(&object, into: &client.grants)
        client.displayName = object.optional(
            "displayName", .text(.text) { $0.name("a name for people") },
            "Name on the pages of logins; `name` by default.")
        object.read(
            "default", .flag, into: &client.isDefault,
            "Whether Basic credentials without `\(CallerFields.backendID)` are for it, unless the route names another.")
        var entry = ClientEntry(
            client: client, identityProviders: providers, isRevoked: isRevoked, clientKeys: clientKeys)
        object.read(
            "routes", .references(to: .route), into: &entry.routes,
            "Names of routes that belong to the backend, beside those that list it.")
        for read in keys { read(&object, &entry) }
        declareRules(object)
        return entry
    }

    /// Whether the backend gets tokens.
    package static let givesTokens = KeyCondition.not(.isOff("oauthConsumer"))
    /// Whether its tokens are bound to a key or a certificate.
    package static let bindsTokens = KeyCondition.any([
        .isOn("dpopBoundAccessTokens"), .isOn("tlsClientCertificateBoundAccessTokens"),
    ])

    /// A client has an id and, unless it is public or revoked, a credential (RFC 6749 section 2.1).
    private static func declareRules(_ object: ObjectReader) {
        object.rules(
            .only(
                "clientSecret", "clientKeys", "refreshTokens", "public", "redirectUris", "deviceGrant", "introspection",
                "tokenExchange", "dpopBoundAccessTokens", "tlsClientCertificateBoundAccessTokens",
                with: .has("clientId")),
            KeyRule.requires(
                .any([.hasAny("clientSecret", "clientKeys"), .isOn("public")]), if: .has("clientId"), at: "clientId",
                because: "the client has no credential",
                expected: "\"clientSecret\" or \"clientKeys\" beside it, or \"public\": true"
            ).when(.not(.isOn("revoked"))),
            .only(
                "refreshTokenSeconds", "refreshFamilySeconds", "refreshReuseInterval", with: .isOn("refreshTokens"),
                because: "the backend has no refresh tokens", expected: "\"refreshTokens\": true beside it"))
        object.rules(
            // Tokens of another server cannot be revoked together with a refresh token.
            .only(
                "issuer", with: .not(.isOn("refreshTokens")),
                because: "\"refreshTokens\" go with tokens of the token service alone",
                expected: "no \"issuer\", or no \"refreshTokens\""),
            .only(
                "issuer", with: .not(bindsTokens), because: "only tokens of the token service can be bound",
                expected: "no \"issuer\", or tokens that are not bound"),
            .only(
                "redirectUris", with: givesTokens, because: "\"redirectUris\" need \"oauthConsumer\"",
                expected: "\"oauthConsumer\": true"),
            .requires(
                givesTokens, if: .isOn("deviceGrant"), at: "deviceGrant",
                because: "\"deviceGrant\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true"))
    }

    private static func compare(_ client: Client, _ other: Client, _ field: Field) {
        func duplicate(_ member: String, _ value: String, _ otherValue: String, isSecret: Bool = false) {
            guard !value.isEmpty, value == otherValue else { return }
            field.findings.error(
                "\(field.pointer)/\(member)", "backend \(other.reference) has this \"\(member)\" already",
                expected: "a unique value", found: isSecret ? nil : "\"\(value)\"")
        }
        if client.reference == other.reference, !client.name.isEmpty {
            field.error("duplicate backend \"\(client.reference)\"", expected: "a unique name and version")
        }
        if client.isDefault, other.isDefault {
            field.error("\(other.reference) is the default backend already", expected: "one \"default\"")
        }
        duplicate("mobileBackendId", client.id, other.id)
        duplicate("anonymousKey", client.anonymousKey, other.anonymousKey, isSecret: true)
        duplicate("clientId", client.clientID, other.clientID)
    }
}
