import Bytes
import Crypto
import Model

extension AssertionIssuer {
    /// Reads one entry of `issuers`. Nil for an unusable entry, which the reader has reported (JWT-10 to JWT-28).
    init?(_ reader: inout AssertionReader, baseURL: String, catalogue: RoleCatalogue) {
        let name = reader.text("issuerName")
        if reader.node["issuerName"] == nil { reader.fail(nil, "required member \"issuerName\" is missing") }
        let audiences = reader.texts("audience") ?? []
        let keys = AssertionIssuer.keys(&reader)
        let rules = ExternalIdentityRules(&reader, catalogue: catalogue)
        // The placeholders are never used: without a name or keys the reader is broken.
        self.init(
            name: name ?? "",
            audiences: audiences.isEmpty ? AssertionIssuer.standardAudiences(baseURL: baseURL) : audiences,
            keys: keys ?? .certificates([]), rules: rules)
        isEnabled = reader.flag("enabled", default: true)
        requiresAudience = reader.flag("requireAudience", default: false)
        isSingleUse = reader.flag("singleUseAssertions", default: false)
        requiresClientAuthentication = reader.flag("requireClientAuth", default: true)
        lifetime = AssertionIssuer.lifetime(&reader)
        filters = AssertionIssuer.filters(&reader)
        allowedBackends = AssertionIssuer.allowedBackends(&reader)
        readAlgorithms(&reader)
        readLevel(&reader)
        reader.finish()
        if reader.isBroken { return nil }
    }

    static func lifetime(_ reader: inout AssertionReader) -> TokenLifetime {
        var lifetime = TokenLifetime(policy: reader.choice("tokenTimeoutPolicy", TokenLifetimePolicy.self))
        if let member = reader.take("tokenTimeoutSeconds") {
            lifetime.seconds = member.integer.flatMap { (1...TokenLifetime.longest).contains($0) ? $0 : nil }
            if lifetime.seconds == nil {
                reader.fail("tokenTimeoutSeconds", "wrong value", expected: "a positive integer of seconds")
            }
        }
        return lifetime
    }

    // MARK: Filters and backends

    /// A filter that is specified incorrectly is never satisfied, and reported at load (JWT-22).
    private static func filters(_ reader: inout AssertionReader) -> [ClaimFilter] {
        guard let member = reader.take("filters") else { return [] }
        guard let elements = member.array else {
            reader.warn("filters", "wrong type: no token satisfies this", expected: "an array of filters")
            return [.unsatisfiable]
        }
        return elements.enumerated().map { index, element in
            if let filter = filter(element) { return filter }
            reader.warn(
                "filters/\(index)", "misspecified: no token satisfies this filter",
                expected: #"{"name", "type": "include" or "exclude", "values": an array of strings}"#)
            return .unsatisfiable
        }
    }

    private static func filter(_ node: JSONNode) -> ClaimFilter? {
        guard let name = node["name"]?.string, !name.isEmpty, let elements = node["values"]?.array, !elements.isEmpty
        else { return nil }
        let values = elements.compactMap(\.string)
        guard values.count == elements.count else { return nil }
        guard let type = node["type"] else { return ClaimFilter(name: name, values: values) }
        guard let kind = type.string.flatMap(ClaimFilter.Kind.init) else { return nil }
        return ClaimFilter(name: name, kind: kind, values: values)
    }

    /// An invalid entry matches no backend; an empty list allows none (AMB-04).
    static func allowedBackends(_ reader: inout AssertionReader) -> [AllowedBackend]? {
        guard let member = reader.take("allowedMbes") else { return nil }
        guard let elements = member.array, !elements.isEmpty else {
            reader.warn(
                "allowedMbes", "no backend is allowed", expected: #"an array of {"name", "version"} or {"clientId"}"#)
            return []
        }
        return elements.enumerated().map { index, element in
            let texts = ["name", "version", "clientId"].map { element[$0] }
            let allowed = AllowedBackend(
                name: texts[0]?.string, version: texts[1]?.string, clientID: texts[2]?.string)
            // A member of another type was meant as a restriction: without it the entry must match no backend.
            guard allowed.isComplete, texts.allSatisfy({ $0 == nil || $0?.string != nil }) else {
                reader.warn(
                    "allowedMbes/\(index)", "incomplete: it matches no backend",
                    expected: #"{"name", "version"} or {"clientId"}"#)
                return AllowedBackend()
            }
            return allowed
        }
    }

    // MARK: Extensions of the gateway

    private mutating func readAlgorithms(_ reader: inout AssertionReader) {
        guard let names = reader.texts("algorithms") else { return }
        let known = names.compactMap(SignatureAlgorithm.init(named:)).filter { !$0.isSymmetric }
        guard !names.isEmpty, known.count == names.count else {
            // RFC 8725 section 3.1: a public key must never serve as a secret, and `none` proves nothing.
            reader.fail("algorithms", "wrong value", expected: "names of asymmetric signature algorithms")
            return
        }
        algorithms = Set(known)
    }

    mutating func readLevel(_ reader: inout AssertionReader) {
        guard let member = reader.take("level") else { return }
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
            usernameSources: reader.text("usernameAttribute").map { [ClaimSource(literal: $0)] } ?? [],
            clientIDAttribute: reader.text("clientIdAttribute"),
            virtualUserEnabled: reader.flag("virtualUserEnabled", default: false),
            userMapping: reader.choice("userMappingAttribute", UserMapping.self) ?? .uid,
            roleMapping: RoleMapping(
                sources: (reader.texts("roleAttributes") ?? []).map { ClaimSource(literal: $0) },
                mappings: ExternalIdentityRules.roleMappings(&reader, catalogue),
                defaultRoles: ExternalIdentityRules.roles("defaultRoles", &reader, catalogue),
                issuerRoles: ExternalIdentityRules.roles("issuerRoles", &reader, catalogue)))
    }

    private static func roles(
        _ name: String, _ reader: inout AssertionReader, _ catalogue: RoleCatalogue
    ) -> [String] {
        let roles = reader.texts(name) ?? []
        warn(of: roles, at: name, &reader, catalogue)
        return roles
    }

    private static func roleMappings(
        _ reader: inout AssertionReader, _ catalogue: RoleCatalogue
    ) -> [RoleMapping.Entry] {
        let expected = #"{"tokenRole", "mappedRoles"}"#
        guard let member = reader.take("roleMappings") else { return [] }
        guard let elements = member.array else {
            reader.fail("roleMappings", "wrong type", expected: "an array of \(expected)")
            return []
        }
        return elements.enumerated().map { index, element in
            let roles = element["mappedRoles"].flatMap(AssertionReader.texts)
            let entry = RoleMapping.Entry(tokenRole: element["tokenRole"]?.string, mappedRoles: roles)
            // M22.
            if entry.tokenRole == nil || roles == nil {
                reader.warn("roleMappings/\(index)", "incomplete, ignored", expected: expected)
            }
            warn(of: roles ?? [], at: "roleMappings/\(index)/mappedRoles", &reader, catalogue)
            return entry
        }
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
