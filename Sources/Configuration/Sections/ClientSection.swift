import Bytes
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
        checkCredential(client.grants, isRevoked: isRevoked, object)
        object.constrain(
            json: """
                {
                  "anyOf": [
                    {"required": ["clientSecret"]}, {"required": ["clientKeys"]},
                    {"properties": {"public": {"const": true}}, "required": ["public"]},
                    {"properties": {"revoked": {"const": true}}, "required": ["revoked"]}
                  ]
                }
                """)
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
            "groupsClaim", Shape.name.reading(groupsClaim), into: &grants.groupsClaim,
            """
            The claim of ID tokens and user information that has the roles of the user, such as `groups`; none by \
            default.
            """)
    }

    /// At least a second.
    private static let lifetime = Shape<Duration>.duration.reading { $0.duration(from: 1000) }.wholeSeconds

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
            and with `tokenExchange` that grant as well.
            """)
        var lifetimes = RefreshLifetimes()
        object.read(
            "refreshTokenLifetime", lifetime, into: &lifetimes.tokenSeconds, "How long a refresh token may lie unused.")
        object.read(
            "refreshFamilyLifetime", lifetime, into: &lifetimes.familySeconds, "How long all tokens of one login live.")
        object.read(
            "refreshReuseInterval", ClientGrants.reuse, into: &lifetimes.reuseSeconds, ClientGrants.reuseMeaning)
        let names = Set(object.entries.map(\.name))
        var standard: Set<GrantType> = [names.contains("redirectUris") ? .authorizationCode : .clientCredentials]
        if names.contains("tokenExchange") { standard.insert(.tokenExchange) }
        let types = declared.map(Set.init) ?? standard
        grants.withheld = Set(GrantType.allCases).subtracting(types)
        grants.allowsDevices = types.contains(.deviceCode)
        grants.refresh = types.contains(.refreshToken) ? lifetimes : nil
        checkGrants(types, names, grants, object.field)
    }

    private static func checkGrants(
        _ types: Set<GrantType>, _ names: Set<String>, _ grants: ClientGrants, _ field: Field
    ) {
        func report(_ member: String, _ message: String, expected: String) {
            field.findings.error("\(field.pointer)/\(member)", message, expected: expected)
        }
        // A key and the grant that it is for.
        for (key, type) in [("redirectUris", GrantType.authorizationCode), ("tokenExchange", .tokenExchange)] {
            if types.contains(type), !names.contains(key) {
                report("grantTypes", "\"\(type.rawValue)\" needs \"\(key)\"", expected: "\"\(key)\" beside it")
            } else if names.contains(key), !types.contains(type) {
                report(key, "\"\(key)\" is for \"\(type.rawValue)\"", expected: "this grant among \"grantTypes\"")
            }
        }
        let refresh = GrantType.refreshToken.rawValue
        for key in ["refreshTokenLifetime", "refreshFamilyLifetime", "refreshReuseInterval"]
        where names.contains(key) && grants.refresh == nil {
            report(key, "\"\(key)\" is for \"\(refresh)\"", expected: "this grant among \"grantTypes\"")
        }
        if grants.refresh != nil, types.isDisjoint(with: [.authorizationCode, .deviceCode, .password]) {
            report(
                "grantTypes", "\"\(refresh)\" is for clients whose users log in",
                expected: "\"authorization_code\" or another grant of users beside it")
        }
        if !grants.roles.isEmpty, !types.contains(.clientCredentials) {
            report(
                "roles", "\"roles\" are for \"client_credentials\"", expected: "this grant among \"grantTypes\"")
        }
        if grants.groupsClaim != nil, types.isDisjoint(with: [.authorizationCode, .deviceCode]) {
            report(
                "groupsClaim", "\"groupsClaim\" is for clients whose users log in by browser",
                expected: "\"authorization_code\" among \"grantTypes\"")
        }
        guard grants.isPublic else { return }
        let confidential = types.subtracting([.authorizationCode, .deviceCode, .refreshToken]).map(\.rawValue).sorted()
        if let type = confidential.first {
            report(
                names.contains("grantTypes") ? "grantTypes" : "public",
                "a public client cannot use \"\(type)\"",
                expected: "\"redirectUris\", or \"grantTypes\" for logins by browser")
        }
        if grants.introspection {
            report("introspection", "\"introspection\" needs a client with a credential", expected: "no \"public\"")
        }
    }

    /// A public client has no credential; others have one unless they are revoked (RFC 6749 section 2.1).
    private static func checkCredential(_ grants: ClientGrants, isRevoked: Bool, _ object: ObjectReader) {
        let names = Set(object.entries.map(\.name))
        let credentials = ["clientSecret", "clientKeys"].filter(names.contains)
        if grants.isPublic, let credential = credentials.first {
            object.field.error(
                "a public client has no credential", expected: "no \"\(credential)\", or no \"public\"")
        }
        if !grants.isPublic, !isRevoked, credentials.isEmpty {
            object.field.error(
                "the client has no credential", expected: "\"clientSecret\" or \"clientKeys\", or \"public\": true")
        }
    }
}
