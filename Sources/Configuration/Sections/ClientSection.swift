import Declaration
import Model

/// Reads entries of `clients.json`, in the words of RFC 7591, into the same values as those of `backends.json`.
enum ClientSection {
    /// - Parameter backends: the entries of `backends.json`, whose ids no client may have.
    static func readAll(_ field: Field?, beside clients: [ClientEntry]) -> [ClientEntry] {
        var entries: [ClientEntry] = []
        var owners: [String: String] = [:]
        for client in clients.map(\.client) {
            for id in [client.clientID, client.tokenClientID, client.reference] { owners[id] = client.reference }
        }
        for element in field?.elements("an array of clients") ?? [] {
            guard var entry = shape.read(element) else { continue }
            entry.pointer = element.pointer
            let id = entry.client.clientID
            if let owner = owners[id], !id.isEmpty {
                element.findings.error(
                    "\(element.pointer)/clientId",
                    owner == id ? "duplicate client \"\(id)\"" : "the backend \(owner) has this id already",
                    expected: "a unique id", found: "\"\(id)\"")
            }
            owners[id] = id
            entries.append(entry)
        }
        return entries
    }

    static let shape = Shape.object("a client: {\"clientId\", \"clientSecret\"}") { object in
        let id = object.required(
            "clientId", .fieldValue, "a unique id", placeholder: "",
            "Unique id, which its access tokens have as `client_id` and APIs get in `X-Gateway-Client`.")
        var client = Client(
            name: id, version: "", id: id, clientID: id,
            clientSecret: object.optional(
                "clientSecret", .secret, "Secret of a client that has neither `clientKeys` nor `public`."),
            realm: object.value("realm", .name, default: "Default", "Realm of its users."), httpBasic: false)
        client.displayName = object.optional(
            "name", .text(.text) { $0.name("a name for people") },
            "Name for people, on the pages of logins; the id by default.")
        let clientKeys = ClientGrants.readShared(&object, into: &client.grants, targets: "clients")
        readTokens(&object, into: &client.grants)
        readGrants(&object, into: &client.grants)
        let providers = ClientEntry.readProviders(&object)
        let isRevoked = object.flag(
            "revoked", default: false,
            "Whether its secret, keys and tokens are refused; set by `portcullis clients revoke`.")
        object.read(
            "tokensNotBefore", .instant, into: &client.tokensNotBefore,
            """
            Tokens that were issued before this second since 1970 are refused; set by `portcullis clients \
            rotate-secret`.
            """)
        declareRules(object)
        return ClientEntry(
            client: client, identityProviders: providers, isRevoked: isRevoked, clientKeys: clientKeys)
    }

    private static func readTokens(_ object: inout ObjectReader, into grants: inout ClientGrants) {
        object.read(
            "scopes", .scopes, into: &grants.scopes,
            """
            The scopes that it may have, of those of the token service and `openid`, `profile`, `email`; all by default.
            """)
        object.read(
            "roles", .references(to: .role), into: &grants.roles,
            "Roles of the client itself, in its tokens of the grant `client_credentials`.")
        object.read(
            "audience", .oneOrMoreNames, into: &grants.audience,
            """
            `aud` of its access tokens, one text or several; that of the token service by default, without which no \
            route of the gateway accepts them.
            """)
        grants.accessTokenSeconds = object.value(
            "accessTokenLifetime", lifetime, default: 3600, "How long its access tokens live.")
        object.read(
            "groupsClaim", groups, into: &grants.groupsClaim,
            """
            The claim of ID tokens and user information that has the roles of the user, such as `groups`; that of the token \
            service by default.
            """)
        object.read(
            "allowedOrigins", CORSSettings.origins, into: &grants.allowedOrigins,
            """
            Origins whose pages may call the token endpoint for this client, such as `https://app.example.com`; others may not. \
            By default the pages of `Security_AllowOrigin` may.
            """)
        object.read(
            "idTokenSignedResponseAlg", .publicAlgorithm, into: &grants.idTokenAlgorithm,
            """
            Algorithm of its ID tokens, one of `idTokenAlgorithms` of the token service or its `algorithm`, which is the default.
            """)
    }

    /// At least a second.
    private static let lifetime = Shape<Duration>.duration.reading { $0.duration(from: 1000) }.wholeSeconds

    /// The name of a claim for roles.
    static let groups = Shape.name.reading(groupsClaim)

    private static func groupsClaim(_ field: Field) -> String? {
        guard let name = field.name("the name of a claim") else { return nil }
        guard !OpenIDClaims.names.contains(name) else {
            return field.error(
                "the claim has another meaning", expected: "a name such as \"groups\"", found: field.summary)
        }
        return name
    }

    private static func readGrants(_ object: inout ObjectReader, into grants: inout ClientGrants) {
        let declared = object.optional(
            "grantTypes", Shape<GrantType>.choice.list("an array of grant types", minimum: 1),
            """
            How it gets tokens (RFC 7591). By default `authorization_code` with `redirectUris`, else `client_credentials`, \
            and with `tokenExchange` or `identityAssertionIssuers` that grant as well.
            """)
        object.read(
            "identityAssertionIssuers", .references(to: .trustedIssuer), into: &grants.assertionIssuers,
            """
            Trusted issuers whose [identity assertions](guides/token-exchange.md#identity-assertions-id-jag) (ID-JAG) it \
            exchanges for tokens.
            """)
        var lifetimes = RefreshLifetimes()
        object.read(
            "refreshTokenLifetime", lifetime, into: &lifetimes.tokenSeconds, "How long a refresh token may lie unused.")
        object.read(
            "refreshFamilyLifetime", lifetime, into: &lifetimes.familySeconds, "How long all tokens of one login live.")
        object.read(
            "refreshReuseInterval", ClientGrants.reuse, into: &lifetimes.reuseSeconds, ClientGrants.reuseMeaning)
        let usesCodes = object.holds(.has("redirectUris"))
        var standard: Set<GrantType> = [usesCodes ? .authorizationCode : .clientCredentials]
        if object.holds(.has("tokenExchange")) { standard.insert(.tokenExchange) }
        if object.holds(.has("identityAssertionIssuers")) { standard.insert(.jwtBearer) }
        let types = declared.map(Set.init) ?? standard
        grants.withheld = Set(GrantType.allCases).subtracting(types)
        grants.allowsDevices = types.contains(.deviceCode)
        grants.refresh = types.contains(.refreshToken) ? lifetimes : nil
    }

    private static func declareRules(_ object: ObjectReader) {
        let byDefault = KeyCondition.not(.has("grantTypes"))
        func gets(_ types: GrantType...) -> KeyCondition { .contains("grantTypes", types.map(\.rawValue)) }
        func only(_ names: String..., type: GrantType, with condition: KeyCondition) -> KeyRule {
            .only(
                names, with: condition, because: "it is for \"\(type.rawValue)\"",
                expected: "this grant among \"grantTypes\"")
        }
        let confidential = Set(GrantType.allCases).subtracting([.authorizationCode, .deviceCode, .refreshToken])
        object.rules(
            .requires(
                .any([.hasAny("clientSecret", "clientKeys"), .isOn("public"), .isOn("revoked")]),
                because: "the client has no credential",
                expected: "\"clientSecret\" or \"clientKeys\", or \"public\": true"),
            .requires(
                .all([
                    .hasAny("grantTypes", "redirectUris"),
                    .not(.contains("grantTypes", confidential.map(\.rawValue).sorted())),
                ]), if: .isOn("public"), at: "public",
                because: "a public client has only grants of logins by browser",
                expected: "\"redirectUris\", or \"grantTypes\" for logins by browser"),
            .requires("redirectUris", if: gets(.authorizationCode)),
            only(
                "redirectUris", type: .authorizationCode, with: .any([byDefault, gets(.authorizationCode)])),
            .requires("tokenExchange", if: gets(.tokenExchange)),
            only("tokenExchange", type: .tokenExchange, with: .any([byDefault, gets(.tokenExchange)])),
            only(
                "identityAssertionIssuers", type: .jwtBearer,
                with: .all([.not(.isOn("public")), .any([byDefault, gets(.jwtBearer)])])),
            only(
                "refreshTokenLifetime", "refreshFamilyLifetime", "refreshReuseInterval", type: .refreshToken,
                with: gets(.refreshToken)),
            .requires(
                gets(.authorizationCode, .deviceCode, .password), if: gets(.refreshToken), at: "grantTypes",
                because: "\"refresh_token\" is for clients whose users log in",
                expected: "\"authorization_code\" or another grant of users beside it"),
            only(
                "roles", type: .clientCredentials,
                with: .any([gets(.clientCredentials), .not(.hasAny("grantTypes", "redirectUris"))])),
            .only(
                "groupsClaim", "idTokenSignedResponseAlg",
                with: .any([gets(.authorizationCode, .deviceCode), .all([byDefault, .has("redirectUris")])]),
                because: "it is for clients whose users log in by browser",
                expected: "\"authorization_code\" among \"grantTypes\""))
    }
}
