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
        check(entry, object)
        object.constrain(json: constraints)
        return entry
    }

    private static func check(_ entry: ClientEntry, _ object: ObjectReader) {
        let (client, field) = (entry.client, object.field)
        let names = Set(object.entries.map(\.name))
        let hasCredential = names.contains("clientSecret") || names.contains("clientKeys")
        let isPublic = client.grants.isPublic
        checkClient(entry, names, hasCredential: hasCredential, field)
        // A revoked client has an id but no secret.
        if names.contains("clientId") != hasCredential, !(entry.isRevoked || isPublic) || hasCredential {
            field.error(
                names.contains("clientKeys")
                    ? "\"clientKeys\" need \"clientId\"" : "\"clientId\" and \"clientSecret\" belong together",
                expected: names.contains("clientId") ? "\"clientSecret\"" : "\"clientId\"")
        }
        for name in ["refreshTokens", "introspection", "tokenExchange"]
        where names.contains(name) && !hasCredential && !isPublic {
            field.error("\"\(name)\" is for a client", expected: "\"clientId\" beside it")
        }
        // Tokens of another server cannot be revoked together with a refresh token.
        if client.grants.refresh != nil, client.issuer != nil {
            field.error(
                "\"refreshTokens\" go with tokens of the token service alone",
                expected: "no \"issuer\", or no \"refreshTokens\"")
        }
        for name in ["dpopBoundAccessTokens", "tlsClientCertificateBoundAccessTokens"] where names.contains(name) {
            if !hasCredential { field.error("\"\(name)\" is for a client", expected: "\"clientId\" beside it") }
            guard client.grants.requiresProofKey || client.grants.bindsToCertificate else { continue }
            if client.issuer != nil {
                field.error(
                    "only tokens of the token service can be bound", expected: "no \"issuer\", or no \"\(name)\"")
            }
            if client.enableSSO {
                field.error(
                    "single sign-on gives browsers tokens that are not bound",
                    expected: "no \"enableSso\", or no \"\(name)\"")
            }
        }
        // MBE-05: single sign-on is offered only where OAuth Consumer is.
        if client.enableSSO, !client.oauthConsumer {
            field.error("\"enableSso\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true")
        }
        // FB-02
        if entry.facebook != nil, !client.httpBasic {
            field.error("Facebook login needs \"httpBasic\"", expected: "\"httpBasic\": true")
        }
        // FB-01: the provider's token comes beside it.
        if entry.facebook != nil, !names.contains("anonymousKey") {
            field.error("Facebook login needs \"anonymousKey\"", expected: "\"anonymousKey\"")
        }
    }

    /// A public client has no credential, and nothing that needs one (RFC 6749 section 2.1).
    private static func checkClient(
        _ entry: ClientEntry, _ names: Set<String>, hasCredential: Bool, _ field: Field
    ) {
        let (client, hasID) = (entry.client, names.contains("clientId"))
        if client.grants.authorization != nil {
            if !hasID { field.error("\"redirectUris\" are for a client", expected: "\"clientId\" beside them") }
            if !client.oauthConsumer {
                field.error("\"redirectUris\" need \"oauthConsumer\"", expected: "\"oauthConsumer\": true")
            }
            if entry.facebook != nil {
                field.error(
                    "with Facebook login there is no other login", expected: "no \"redirectUris\", or no \"facebook\"")
            }
        }
        if client.grants.allowsDevices {
            if !hasID { field.error("\"deviceGrant\" is for a client", expected: "\"clientId\" beside it") }
            if !client.oauthConsumer {
                field.error("\"deviceGrant\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true")
            }
            if entry.facebook != nil {
                field.error(
                    "with Facebook login there is no other login", expected: "no \"deviceGrant\", or no \"facebook\"")
            }
        }
        guard client.grants.isPublic else { return }
        if !hasID { field.error("\"public\" is for a client", expected: "\"clientId\" beside it") }
        if hasCredential {
            field.error(
                "a public client has no credential",
                expected: "no \"clientSecret\" and no \"clientKeys\", or no \"public\"")
        }
        for name in ["introspection", "tokenExchange"] where names.contains(name) {
            field.error("\"\(name)\" needs a client with a credential", expected: "no \"public\"")
        }
    }

    /// Settings of a client require a client id, and limits of refresh tokens require `refreshTokens`.
    private static let constraints = """
        {
          "dependentRequired": {
            "clientSecret": ["clientId"], "clientKeys": ["clientId"], "refreshTokens": ["clientId"],
            "public": ["clientId"], "redirectUris": ["clientId"], "consent": ["redirectUris"],
            "deviceGrant": ["clientId"],
            "requirePushedRequests": ["redirectUris"], "postLogoutRedirectUris": ["redirectUris"],
            "introspection": ["clientId"], "tokenExchange": ["clientId"], "dpopBoundAccessTokens": ["clientId"],
            "tlsClientCertificateBoundAccessTokens": ["clientId"]
          },
          "dependentSchemas": {
            "refreshTokenSeconds": {"properties": {"refreshTokens": {"const": true}}, "required": ["refreshTokens"]},
            "refreshFamilySeconds": {"properties": {"refreshTokens": {"const": true}}, "required": ["refreshTokens"]},
            "refreshReuseInterval": {"properties": {"refreshTokens": {"const": true}}, "required": ["refreshTokens"]}
          },
          "if": {"properties": {"revoked": {"const": true}}, "required": ["revoked"]},
          "else": {
            "dependentSchemas": {
              "clientId": {
                "anyOf": [
                  {"required": ["clientSecret"]}, {"required": ["clientKeys"]},
                  {"properties": {"public": {"const": true}}, "required": ["public"]}
                ]
              }
            }
          }
        }
        """

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
    static let shape = Shape<SocialLogin?>.object("an object") { object in
        let isEnabled = object.flag("enabled", default: false, "Whether it is on.")
        let login = SocialLogin(
            appID: object.optional("appId", .name, "App that tokens must be made for.") ?? "",
            appSecret: object.optional("appSecret", .secret, "App secret.")?.value ?? "",
            verifyURL: object.optional(
                "verifyUrl", Shape(.pattern("^https?://"), read: { $0.verifyURL() }),
                "Where tokens are inspected, by https, or http on loopback; `https://graph.facebook.com/debug_token` by default."
            ))
        object.constrain(.when("enabled", is: .flag(true), needs: "appId", "appSecret"))
        let names = Set(object.entries.map(\.name))
        for name in ["appId", "appSecret"] where isEnabled && !names.contains(name) {
            object.field.error("Facebook login needs \"\(name)\"", expected: "\"\(name)\"")
        }
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
