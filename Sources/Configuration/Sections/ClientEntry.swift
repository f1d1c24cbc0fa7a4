import Bytes
import Model

/// An entry of `backends.json` (MBE-01) or `clients.json`. Other sections name it by `backend.reference`.
package struct ClientEntry: Sendable {
    /// What it has as long as it is not revoked, and without the effect of `facebook`.
    package var client: Client
    /// Login with Facebook, which excludes other logins; nil if off.
    package var facebook: SocialLogin?
    /// Names of the identity providers for logins by browser (SSO-07); empty for the gateway's own form.
    package var identityProviders: [String] = []
    /// Whether the registration was revoked: its secret, keys and tokens are invalid (MBE-06).
    package var isRevoked = false
    package var clientKeys: ClientKeysEntry?
    /// Names of the routes associated from this side (MBE-07); the routes list this client as well.
    package var routes: [String] = []
    /// The place of the entry.
    package var pointer = ""

    /// The client with the rights that it has now. A revoked one has no secret, takes no password and no anonymous key,
    /// and none of its tokens counts (MBE-06).
    package var inForce: Client {
        var client = client
        if let facebook { client.restrict(to: facebook) }
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
    static func readAll(backends: Field?, clients: Field?) -> [ClientEntry] {
        var entries: [ClientEntry] = []
        for element in backends?.elements("an array of backends") ?? [] {
            guard var entry = shape.read(element) else { continue }
            entry.pointer = element.pointer
            for other in entries { compare(entry.client, other.client, element) }
            entries.append(entry)
        }
        return entries + ClientSection.readAll(clients, beside: entries)
    }

    static let shape = Shape.object("a backend: {\"name\", \"version\", \"mobileBackendId\"}") { object in
        var client = Client(
            name: object.required(
                "name", .identifier, "a name", placeholder: "", "Name; unique together with the version."),
            version: object.required(
                "version", .identifier, "a version such as \"1.0\"", placeholder: "",
                "Version, such as `1.0`; other sections name the backend as `name/version`."),
            id: object.required(
                "mobileBackendId", .fieldValue, "a unique id", placeholder: "",
                "Unique id, sent as `Oracle-Mobile-Backend-ID`."),
            anonymousKey: object.optional(
                "anonymousKey", .fieldValue, "What anonymous callers present as Basic credentials.") ?? "",
            clientID: object.optional("clientId", .name, "OAuth client id.") ?? "",
            clientSecret: object.optional("clientSecret", .secret, "OAuth client secret."),
            realm: object.value("realm", .name, default: "Default", "Realm of its users."),
            oauthConsumer: object.flag("oauthConsumer", default: true, "Whether its client id is accepted."),
            httpBasic: object.flag("httpBasic", default: true, "Whether Basic credentials are accepted."),
            enableSSO: object.flag(
                "enableSso", default: false,
                """
                Whether browsers get its tokens by [single sign-on](guides/single-sign-on.md); needs \
                `oauthConsumer` and an identity provider.
                """))
        let facebook = object.optional(
            "facebook", SocialLogin.shape,
            """
            Login with Facebook, which then is the only way to log in; needs `anonymousKey` and `httpBasic`.
            """)
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
            "Whether Basic credentials without `Oracle-Mobile-Backend-ID` are for it, unless the route names another.")
        var entry = ClientEntry(
            client: client, facebook: facebook ?? nil, identityProviders: providers, isRevoked: isRevoked,
            clientKeys: clientKeys)
        object.read(
            "routes", .references(to: .route), into: &entry.routes,
            "Names of routes that belong to the backend, beside those that list it.")
        declareRules(object)
        check(entry, object)
        return entry
    }

    /// A client has an id and, unless it is public or revoked, a credential (RFC 6749 section 2.1).
    private static func declareRules(_ object: ObjectReader) {
        let givesTokens = KeyCondition.not(.isOff("oauthConsumer"))
        let isBound = KeyCondition.any([
            .isOn("dpopBoundAccessTokens"), .isOn("tlsClientCertificateBoundAccessTokens"),
        ])
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
                "issuer", with: .not(isBound), because: "only tokens of the token service can be bound",
                expected: "no \"issuer\", or tokens that are not bound"),
            .requires(
                .not(isBound), if: .isOn("enableSso"), at: "enableSso",
                because: "single sign-on gives browsers tokens that are not bound",
                expected: "no \"enableSso\", or tokens that are not bound"),
            // MBE-05: single sign-on is offered only where OAuth Consumer is.
            .requires(
                givesTokens, if: .isOn("enableSso"), at: "enableSso", because: "\"enableSso\" needs \"oauthConsumer\"",
                expected: "\"oauthConsumer\": true"),
            .only(
                "redirectUris", with: givesTokens, because: "\"redirectUris\" need \"oauthConsumer\"",
                expected: "\"oauthConsumer\": true"),
            .requires(
                givesTokens, if: .isOn("deviceGrant"), at: "deviceGrant",
                because: "\"deviceGrant\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true"))
    }

    /// Login with Facebook needs the anonymous key, since the provider's token comes beside it (FB-01, FB-02), and excludes
    /// other logins.
    private static func check(_ entry: ClientEntry, _ object: ObjectReader) {
        guard entry.facebook != nil else { return }
        let (client, field) = (entry.client, object.field)
        if !client.httpBasic {
            field.error("Facebook login needs \"httpBasic\"", expected: "\"httpBasic\": true")
        }
        if !object.holds(.has("anonymousKey")) {
            field.error("Facebook login needs \"anonymousKey\"", expected: "\"anonymousKey\"")
        }
        let others = [
            ("redirectUris", client.grants.authorization != nil), ("deviceGrant", client.grants.allowsDevices),
        ]
        for (name, isThere) in others where isThere {
            field.error(
                "with Facebook login there is no other login", expected: "no \"\(name)\", or no \"facebook\"")
        }
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

extension SocialLogin {
    /// Facebook login of a client or an application (FB-02); nil if it is off.
    package static let shape = Shape<SocialLogin?>.object("an object") { object in
        let isEnabled = object.flag("enabled", default: false, "Whether it is on.")
        let login = SocialLogin(
            appID: object.optional("appId", .name, "App that tokens must be made for.") ?? "",
            appSecret: object.optional("appSecret", .secret, "App secret.")?.value ?? "",
            verifyURL: object.optional(
                "verifyUrl", Shape(.pattern("^https?://"), read: { $0.verifyURL() }),
                "Where tokens are inspected, by https, or http on loopback; `https://graph.facebook.com/debug_token` by default."
            ))
        object.rules(.requires("appId", "appSecret", if: .isOn("enabled")))
        return isEnabled ? login : nil
    }
}

extension Field {
    /// An `https` URL, or one of this machine, since it transports tokens and the app secret.
    fileprivate func verifyURL() -> WebURL? {
        guard let url = url(allowHTTP: true) else { return nil }
        guard url.isSecure || url.origin.isLocal else {
            return error("the URL must begin with https://", found: summary)
        }
        return url
    }
}
