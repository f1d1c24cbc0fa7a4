import Bytes
import Crypto
import Model

extension AssertionIssuer {
    /// Reads one entry of `issuers`. Nil for an unusable entry, which the reader has reported (JWT-10 to JWT-28).
    init?(_ reader: inout AssertionReader, baseURL: String, catalogue: RoleCatalogue) {
        let name = reader.text("issuerName", isRequired: true, "`iss` of its tokens, byte by byte.")
        reader.require("issuerName")
        let isEnabled = reader.flag("enabled", default: true, "Whether its tokens are exchanged.")
        let audiences =
            reader.texts(
                "audience",
                """
                Values of `aud`, one of which the token must have, if it has `aud`. By default `baseUrl` and the paths down to \
                the endpoint, each with and without `/`.
                """) ?? []
        let requiresAudience = reader.flag(
            "requireAudience", default: false,
            "Whether the token must have `aud`. Without it, any service that receives a token can use it here.")
        let keys = AssertionIssuer.keys(&reader)
        let rules = ExternalIdentityRules(&reader, catalogue: catalogue)
        // The placeholders are never used: without a name or keys the reader is broken.
        self.init(
            name: name ?? "",
            audiences: audiences.isEmpty ? AssertionIssuer.standardAudiences(baseURL: baseURL) : audiences,
            keys: keys ?? .certificates([]), rules: rules)
        (self.isEnabled, self.requiresAudience) = (isEnabled, requiresAudience)
        isSingleUse = AssertionIssuer.singleUse(&reader)
        requiresClientAuthentication = reader.flag(
            "requireClientAuth", default: true,
            "Whether the client authenticates, or only sends its `client_id`.")
        lifetime = AssertionIssuer.lifetime(&reader)
        filters = AssertionIssuer.filters(&reader)
        allowedClients = AssertionIssuer.allowedClients(&reader)
        readAlgorithms(&reader)
        readLevel(&reader)
        reader.finish()
        if reader.isBroken { return nil }
    }

    /// The form of an entry of `issuers`.
    static var form: ObjectForm {
        AssertionReader.form { _ = AssertionIssuer(&$0, baseURL: "", catalogue: RoleCatalogue([])) }
    }

    static func singleUse(_ reader: inout AssertionReader) -> Bool {
        reader.flag("singleUseAssertions", default: false, "Whether a token or an assertion is exchanged once only.")
    }

    static func lifetime(_ reader: inout AssertionReader) -> TokenLifetime {
        var lifetime = TokenLifetime(
            policy: reader.choice(
                "tokenTimeoutPolicy", TokenLifetimePolicy.self,
                """
                Lifetime of the gateway's token: `tokenTimeoutSeconds`, the rest of the outside token's, or the shorter one; \
                by default `Security_TokenExchangeTimeoutPolicy`.
                """))
        if let member = reader.take(
            "tokenTimeoutSeconds", .integer(1...Int(TokenLifetime.longest)),
            "Lifetime of the gateway's token; by default `Security_TokenExchangeTimeoutSecs`.")
        {
            lifetime.seconds = member.integer.flatMap { (1...TokenLifetime.longest).contains($0) ? $0 : nil }
            if lifetime.seconds == nil {
                reader.fail("tokenTimeoutSeconds", "wrong value", expected: "a positive integer of seconds")
            }
        }
        return lifetime
    }

    // MARK: Filters and clients

    /// A filter that is specified incorrectly is never satisfied, and reported at load (JWT-22).
    private static func filters(_ reader: inout AssertionReader) -> [ClaimFilter] {
        let member = reader.take(
            "filters", .list(.object(AssertionReader.form { _ = filter(&$0) }), isUnique: false),
            "[Conditions](guides/token-exchange.md#filters) on claims, all of which must hold.")
        guard let member else { return [] }
        guard let elements = member.array else {
            reader.warn("filters", "wrong type: no token satisfies this", expected: "an array of filters")
            return [.unsatisfiable]
        }
        return elements.enumerated().map { index, element in
            var part = AssertionReader(element, "")
            if let filter = filter(&part) { return filter }
            reader.warn(
                "filters/\(index)", "misspecified: no token satisfies this filter",
                expected: #"{"name", "type": "include" or "exclude", "values": an array of strings}"#)
            return .unsatisfiable
        }
    }

    private static func filter(_ reader: inout AssertionReader) -> ClaimFilter? {
        let name = reader.text("name", isRequired: true, "Name of a claim.")
        let kind = reader.choice(
            "type", ClaimFilter.Kind.self, default: .include,
            "Whether the claim has one of the values, or none of them.")
        let list = Form.list(.anyText, minimum: 1, isUnique: false)
        let elements = reader.take("values", list, isRequired: true, "Texts, in which `*` is any text.")?.array ?? []
        let values = elements.compactMap(\.string)
        guard let name, let kind, !reader.isBroken, !values.isEmpty, values.count == elements.count else { return nil }
        return ClaimFilter(name: name, kind: kind, values: values)
    }

    /// An invalid entry matches no client; an empty list allows none (AMB-04).
    static func allowedClients(_ reader: inout AssertionReader) -> [AllowedClient]? {
        let member = reader.take(
            "allowedMbes",
            .list(.object(AssertionReader.form { _ = allowedClient(&$0) }), minimum: 1, isUnique: false),
            "Clients that may exchange: `clientId`, or `name` and `version` of a mobile backend. By default all.")
        guard let member else { return nil }
        guard let elements = member.array, !elements.isEmpty else {
            reader.warn(
                "allowedMbes", "no client is allowed", expected: #"an array of {"name", "version"} or {"clientId"}"#)
            return []
        }
        return elements.enumerated().map { index, element in
            var part = AssertionReader(element, "")
            guard let allowed = allowedClient(&part) else {
                reader.warn(
                    "allowedMbes/\(index)", "incomplete: it matches no client",
                    expected: #"{"name", "version"} or {"clientId"}"#)
                return AllowedClient()
            }
            return allowed
        }
    }

    private static func allowedClient(_ reader: inout AssertionReader) -> AllowedClient? {
        reader.rules(
            .requires(
                .any([.all([.has("name"), .has("version")]), .has("clientId")]), because: "it matches no backend"))
        let text = Form.anyText
        let texts = [
            reader.take("name", text, "Name of a backend."), reader.take("version", text, "Its version."),
            reader.take("clientId", text, "Its client id, in place of both."),
        ]
        let allowed = AllowedClient(name: texts[0]?.string, version: texts[1]?.string, clientID: texts[2]?.string)
        // A member of another type was meant as a restriction: without it the entry must match no client.
        return !reader.isBroken && texts.allSatisfy { $0 == nil || $0?.string != nil } ? allowed : nil
    }

    // MARK: Extensions of the gateway

    private mutating func readAlgorithms(_ reader: inout AssertionReader) {
        let form = Form.list(
            .choice(SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)), minimum: 1, isUnique: false
        )
        guard let names = reader.texts("algorithms", as: form, "Accepted algorithms; by default all of RS, PS and ES.")
        else { return }
        let known = names.compactMap(SignatureAlgorithm.init(named:)).filter { !$0.isSymmetric }
        guard !names.isEmpty, known.count == names.count else {
            // RFC 8725 section 3.1: a public key must never serve as a secret, and `none` proves nothing.
            reader.fail("algorithms", "wrong value", expected: "names of asymmetric signature algorithms")
            return
        }
        algorithms = Set(known)
    }

    mutating func readLevel(_ reader: inout AssertionReader) {
        let member = reader.take(
            "level", .integer(0...10), default: .number(Int64(level)), "Authentication level of the gateway's token.")
        guard let member else { return }
        guard let number = member.integer, (0...10).contains(number) else {
            reader.fail("level", "wrong value", expected: "an integer from 0 to 10")
            return
        }
        level = Int(number)
    }
}

extension ExternalIdentityRules {
    /// The members about users and roles (JWT-13, JWT-14, JWT-16, JWT-24 to JWT-28).
    fileprivate init(_ reader: inout AssertionReader, catalogue: RoleCatalogue) {
        self.init(
            usernameSources: reader.text(
                "usernameAttribute", "Claim with the user's name; by default `sub`, else `prn`."
            ).map { [ClaimSource(literal: $0)] } ?? [],
            clientIDAttribute: reader.text(
                "clientIdAttribute",
                """
                Claim with a client id. If it equals the user's name, the token is an application's and is refused.
                """),
            virtualUserEnabled: ExternalIdentityRules.virtualUsers(&reader),
            userMapping: ExternalIdentityRules.userMapping(&reader),
            roleMapping: RoleMapping(
                sources: (reader.texts("roleAttributes", "Claims with roles.") ?? []).map { ClaimSource(literal: $0) },
                mappings: ExternalIdentityRules.roleMappings(&reader, catalogue),
                defaultRoles: ExternalIdentityRules.roles(
                    "defaultRoles", "Roles where the claims have none.", &reader, catalogue),
                issuerRoles: ExternalIdentityRules.roles("issuerRoles", "Roles of all users.", &reader, catalogue)))
    }

    static func virtualUsers(_ reader: inout AssertionReader) -> Bool {
        reader.flag("virtualUserEnabled", default: false, "Whether users without an account are accepted.")
    }

    static func userMapping(_ reader: inout AssertionReader) -> UserMapping {
        reader.choice(
            "userMappingAttribute", UserMapping.self, default: .uid,
            "The account is found by its name, or by its address, in the realm of the client.") ?? .uid
    }

    private static func roles(
        _ name: String, _ meaning: String, _ reader: inout AssertionReader, _ catalogue: RoleCatalogue
    ) -> [String] {
        let roles = reader.texts(name, meaning) ?? []
        warn(of: roles, at: name, &reader, catalogue)
        return roles
    }

    private static func roleMappings(
        _ reader: inout AssertionReader, _ catalogue: RoleCatalogue
    ) -> [RoleMapping.Entry] {
        let expected = #"{"tokenRole", "mappedRoles"}"#
        let member = reader.take(
            "roleMappings", .list(.object(AssertionReader.form { _ = roleMapping(&$0) }), isUnique: false),
            "Roles of the catalogue for roles of the claims.")
        guard let member else { return [] }
        guard let elements = member.array else {
            reader.fail("roleMappings", "wrong type", expected: "an array of \(expected)")
            return []
        }
        return elements.enumerated().map { index, element in
            var part = AssertionReader(element, "")
            let entry = roleMapping(&part)
            // M22.
            if entry.tokenRole == nil || entry.mappedRoles == nil {
                reader.warn("roleMappings/\(index)", "incomplete, ignored", expected: expected)
            }
            warn(of: entry.mappedRoles ?? [], at: "roleMappings/\(index)/mappedRoles", &reader, catalogue)
            return entry
        }
    }

    private static func roleMapping(_ reader: inout AssertionReader) -> RoleMapping.Entry {
        return RoleMapping.Entry(
            tokenRole: reader.take("tokenRole", .anyText, isRequired: true, "A role of the claims.")?.string,
            mappedRoles: reader.texts("mappedRoles", isRequired: true, "Roles of the catalogue."))
    }

    /// Roles outside the catalogue are never granted (ROLE-04).
    static func warn(
        of roles: [String], at place: String, _ reader: inout AssertionReader, _ catalogue: RoleCatalogue
    ) {
        for role in roles where catalogue.index(of: role) == nil {
            reader.warn(place, "unknown role \"\(role)\", never granted", expected: "a role of roles.json")
        }
    }
}
