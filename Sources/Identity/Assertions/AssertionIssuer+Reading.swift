import Bytes
import Declaration
import Model

extension AssertionIssuer {
    /// An entry of `issuers` (JWT-10 to JWT-28).
    static func shape(_ baseURL: String, _ catalogue: RoleCatalogue) -> Shape<AssertionIssuer> {
        .object("an issuer object") { object in
            object.ignoreOthers()
            var issuer = AssertionIssuer(
                name: object.required(
                    "issuerName", .name, "`iss` of its tokens", placeholder: "", "`iss` of its tokens, byte by byte."),
                audiences: standardAudiences(baseURL: baseURL), keys: .certificates([]))
            object.read("enabled", .flag, into: &issuer.isEnabled, "Whether its tokens are exchanged.")
            let audiences = object.optional(
                "audience", .textList,
                """
                Values of `aud`, one of which the token must have, if it has `aud`. By default `baseUrl` and the paths down to \
                the endpoint, each with and without `/`.
                """)
            if let audiences, !audiences.isEmpty { issuer.audiences = audiences }
            object.read(
                "requireAudience", .flag, into: &issuer.requiresAudience,
                "Whether the token must have `aud`. Without it, any service that receives a token can use it here.")
            issuer.readKeys(&object)
            issuer.rules = ExternalIdentityRules(&object, catalogue: catalogue)
            issuer.readExchange(&object)
            object.read(
                "requireClientAuth", .flag, into: &issuer.requiresClientAuthentication,
                "Whether the client authenticates, or only sends its `client_id`.")
            issuer.lifetime = TokenLifetime(&object)
            issuer.filters =
                object.optional(
                    "filters", ClaimFilter.list,
                    "[Conditions](guides/token-exchange.md#filters) on claims, all of which must hold.") ?? []
            object.read("allowedMbes", AllowedClient.list, into: &issuer.allowedClients, AllowedClient.meaning)
            object.read(
                "algorithms", algorithmList, into: &issuer.algorithms,
                "Accepted algorithms; by default all of RS, PS and ES.")
            issuer.readLevel(&object)
            return issuer
        }
    }

    mutating func readExchange(_ object: inout ObjectReader) {
        object.read(
            "singleUseAssertions", .flag, into: &isSingleUse,
            "Whether a token or an assertion is exchanged once only.")
    }

    mutating func readLevel(_ object: inout ObjectReader) {
        object.read("level", .integer(0...10), into: &level, "Authentication level of the gateway's token.")
    }

    /// RFC 8725 section 3.1: a public key must never serve as a secret, and `none` proves nothing.
    private static let algorithmList = Shape<Set<SignatureAlgorithm>>(
        .list(
            .choice(SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)), minimum: 1, isUnique: false
        ),
        read: { field in
            let names = Shape.textList.read(field)
            let known = (names ?? []).compactMap(SignatureAlgorithm.init(named:)).filter { !$0.isSymmetric }
            if let names, names.isEmpty || known.count != names.count {
                return field.error("wrong value", expected: "names of asymmetric signature algorithms")
            }
            return Set(known)
        })
}

extension TokenLifetime {
    init(_ object: inout ObjectReader) {
        self.init()
        object.read(
            "tokenTimeoutPolicy", .choice, into: &policy,
            """
            Lifetime of the gateway's token: `tokenTimeoutSeconds`, the rest of the outside token's, or the shorter one; \
            by default `Security_TokenExchangeTimeoutPolicy`.
            """)
        object.read(
            "tokenTimeoutSeconds", Shape<Int>.integer(1...Int(TokenLifetime.longest)).map(Int64.init), into: &seconds,
            "Lifetime of the gateway's token; by default `Security_TokenExchangeTimeoutSecs`.")
    }
}

extension ClaimFilter {
    /// A filter that is specified incorrectly is never satisfied, and reported at load (JWT-22).
    fileprivate static let list = shape.forgiving(
        "misspecified: no token satisfies this filter",
        expected: #"{"name", "type": "include" or "exclude", "values": an array of strings}"#, with: unsatisfiable
    )
    .list("an array of filters", isUnique: false)
    .forgiving("wrong type: no token satisfies this", expected: "an array of filters", with: [unsatisfiable])

    private static let shape = Shape<ClaimFilter>.object("a filter") { object in
        object.ignoreOthers()
        return ClaimFilter(
            name: object.required("name", .name, "a claim", placeholder: "", "Name of a claim."),
            kind: object.value(
                "type", .choice, default: .include, "Whether the claim has one of the values, or none of them."),
            values: object.required(
                "values", values, "texts", placeholder: [], "Texts, in which `*` is any text."))
    }

    private static let values = Shape<[String]>(
        .list(.anyText, minimum: 1, isUnique: false),
        read: { field in
            let values = field.elements("an array of strings")?.compactMap { $0.text() }
            return values?.isEmpty == true ? field.error("the list is empty") : values
        })
}

extension AllowedClient {
    static let meaning =
        "Clients that may exchange: `clientId`, or `name` and `version` of a mobile backend. By default all."

    /// An invalid entry matches no client; an empty list allows none (AMB-04).
    static let list = Shape<[AllowedClient]>(
        .list(shape.form(), minimum: 1, isUnique: false),
        read: { field in
            let elements = field.node.array == nil ? nil : field.elements("clients")
            guard let elements, !elements.isEmpty else {
                field.warning("no client is allowed", expected: #"an array of {"name", "version"} or {"clientId"}"#)
                return []
            }
            return elements.compactMap(shape.read)
        })

    private static let shape = Shape<AllowedClient>.object("a client") { object in
        object.ignoreOthers()
        object.rules(
            .requires(
                .any([.all([.has("name"), .has("version")]), .has("clientId")]), because: "it matches no backend"))
        // A member of another type was meant as a restriction: without it the entry must match no client.
        let text = Shape<String>(.anyText, read: { $0.text() })
        return AllowedClient(
            name: object.optional("name", text, "Name of a backend."),
            version: object.optional("version", text, "Its version."),
            clientID: object.optional("clientId", text, "Its client id, in place of both."))
    }
    .forgiving(
        "incomplete: it matches no client", expected: #"{"name", "version"} or {"clientId"}"#, with: AllowedClient())
}

extension ExternalIdentityRules {
    /// The members about users and roles (JWT-13, JWT-14, JWT-16, JWT-24 to JWT-28).
    fileprivate init(_ object: inout ObjectReader, catalogue: RoleCatalogue) {
        self.init(
            usernameSources: object.optional(
                "usernameAttribute", .name, "Claim with the user's name; by default `sub`, else `prn`."
            ).map { [ClaimSource(literal: $0)] } ?? [],
            clientIDAttribute: object.optional(
                "clientIdAttribute", .name,
                """
                Claim with a client id. If it equals the user's name, the token is an application's and is refused.
                """),
            virtualUserEnabled: ExternalIdentityRules.virtualUsers(&object),
            userMapping: ExternalIdentityRules.userMapping(&object),
            roleMapping: RoleMapping(
                sources: (object.optional("roleAttributes", .textList, "Claims with roles.") ?? [])
                    .map { ClaimSource(literal: $0) },
                mappings: object.optional(
                    "roleMappings", RoleMapping.Entry.list(catalogue), "Roles of the catalogue for roles of the claims."
                )
                    ?? [],
                defaultRoles: object.optional(
                    "defaultRoles", .roles(catalogue), "Roles where the claims have none.") ?? [],
                issuerRoles: object.optional("issuerRoles", .roles(catalogue), "Roles of all users.") ?? []))
    }

    static func virtualUsers(_ object: inout ObjectReader) -> Bool {
        object.flag("virtualUserEnabled", default: false, "Whether users without an account are accepted.")
    }

    static func userMapping(_ object: inout ObjectReader) -> UserMapping {
        object.value(
            "userMappingAttribute", .choice, default: .uid,
            "The account is found by its name, or by its address, in the realm of the client.")
    }
}

extension RoleMapping.Entry {
    /// Incomplete entries are ignored (M22).
    fileprivate static func list(_ catalogue: RoleCatalogue) -> Shape<[RoleMapping.Entry]> {
        let expected = #"{"tokenRole", "mappedRoles"}"#
        return Shape<RoleMapping.Entry>.object(expected) { object in
            object.ignoreOthers()
            return RoleMapping.Entry(
                tokenRole: object.required(
                    "tokenRole", Shape<String>(.anyText, read: { $0.text() }), expected, "A role of the claims."),
                mappedRoles: object.required("mappedRoles", .roles(catalogue), expected, "Roles of the catalogue."))
        }
        .forgiving(
            "incomplete, ignored", expected: expected,
            with: RoleMapping.Entry(tokenRole: nil, mappedRoles: nil)
        )
        .list("an array of \(expected)", isUnique: false)
    }
}
