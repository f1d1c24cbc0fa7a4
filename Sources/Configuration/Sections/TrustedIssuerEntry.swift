import Bytes

/// An outside issuer whose tokens are accepted.
package struct TrustedIssuerEntry: Sendable {
    /// Which attribute of a local user the token names (JWT-24).
    package enum UserMapping: String, Sendable, CaseIterable {
        case uid, mail
    }

    /// `typ` that its tokens must have.
    package enum TokenType: String, Sendable, CaseIterable {
        /// None is required; an explicit type other than `at+jwt` is refused.
        case any = "JWT"
        case accessToken = "at+jwt"
    }

    /// Where the issuer's keys are, or who is asked in place of them.
    package enum Keys: Sendable {
        /// Absolute path of a file with a JWK set (RFC 7517 section 5).
        case file(String)
        case published(PublishedKeysEntry)
        /// A server that tells about its tokens (RFC 7662).
        case introspection(IntrospectionEntry)
    }

    /// A role of the token and the roles it stands for (JWT-28).
    package struct RoleMapping: Sendable {
        package var tokenRole: String
        package var mappedRoles: [String]
    }

    package var name: String
    /// `iss`, compared exactly.
    package var issuer: String
    package var audiences: [String]
    package var requireAudience: Bool
    package var tokenType: TokenType
    /// Whether ID tokens are taken for access tokens.
    package var acceptIDTokens: Bool
    /// Clients beside our own that `azp` of an access token may name.
    package var authorizedParties: [String]
    /// Nil where what is said of them is wrong.
    package var keys: Keys?
    /// Accepted algorithms; nil for every one that fits the key.
    package var algorithms: [String]?
    package var clockSkew: Duration
    package var maximumLifetime: Duration?
    /// Claim with the user name; nil for `sub`.
    package var usernameAttribute: String?
    /// Whether users without an account are accepted (JWT-13).
    package var virtualUserEnabled: Bool
    package var userMappingAttribute: UserMapping
    package var roleAttributes: [String]
    package var roleMappings: [RoleMapping]
    package var defaultRoles: [String]
    package var issuerRoles: [String]
    /// `name/version` of the backend its tokens are bound to.
    package var backend: String?
    package var level: Int

    /// The server that tells about its tokens; nil for tokens that are verified here.
    package var introspection: IntrospectionEntry? {
        if case .introspection(let entry)? = keys { entry } else { nil }
    }

    static func readAll(_ field: Field) -> [TrustedIssuerEntry] {
        var entries: [TrustedIssuerEntry] = []
        for element in field.elements("an array of trusted issuers") ?? [] {
            let entry = read(element)
            if !entry.name.isEmpty, entries.contains(where: { $0.name == entry.name }) {
                element.error("duplicate trusted issuer \"\(entry.name)\"", expected: "a unique name")
            }
            if !entry.issuer.isEmpty, let other = entries.first(where: { $0.issuer == entry.issuer }) {
                field.findings.error(
                    "\(element.pointer)/issuer", "trusted issuer \"\(other.name)\" has this \"issuer\" already",
                    expected: "a unique issuer", found: "\"\(entry.issuer)\"")
            }
            if let prefix = entry.introspection?.tokenPrefix,
                let other = entries.first(where: { $0.introspection?.tokenPrefix == prefix })
            {
                // No server is to be shown the tokens of another one.
                element.error(
                    "trusted issuer \"\(other.name)\" is asked about the same tokens already",
                    expected: "a \"tokenPrefix\" of its own")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func read(_ field: Field) -> TrustedIssuerEntry {
        var object = field.object("a trusted issuer: {\"name\", \"issuer\", \"audience\", \"jwksFile\"}")
        let file = object.take("jwksFile")
        let requireAudience = object.flag("requireAudience", default: true)
        let tokenType = object.value("tokenType", default: .any) { $0.choice(TokenType.self) }
        let entry = TrustedIssuerEntry(
            name: object.required("name", WebgateEntry.nameRule, standIn: "") { $0.webgateName() },
            issuer: object.required("issuer", "the value of \"iss\"", standIn: "") { $0.name() },
            audiences: audiences(&object, isRequired: requireAudience),
            requireAudience: requireAudience,
            tokenType: tokenType,
            acceptIDTokens: acceptIDTokens(&object, tokenType),
            authorizedParties: object.value("authorizedParties", default: []) { $0.names() },
            keys: keys(&object, file),
            algorithms: object.optional("algorithms", algorithms),
            clockSkew: object.duration("clockSkew", default: .seconds(60)),
            maximumLifetime: object.optional("maxLifetime") { $0.duration() },
            usernameAttribute: object.optional("usernameAttribute") { $0.name() },
            virtualUserEnabled: object.flag("virtualUserEnabled", default: true),
            userMappingAttribute: object.value("userMappingAttribute", default: .uid) { $0.choice(UserMapping.self) },
            roleAttributes: object.value("roleAttributes", default: []) { $0.names() },
            roleMappings: object.value("roleMappings", default: [], roleMappings),
            defaultRoles: object.value("defaultRoles", default: []) { $0.references(to: .role) },
            issuerRoles: object.value("issuerRoles", default: []) { $0.references(to: .role) },
            backend: object.optional("backend") { $0.reference(to: .backend) },
            level: object.value("level", default: 1) { $0.level() }
        )
        object.finish()
        return entry
    }

    private static func acceptIDTokens(_ object: inout ObjectReader, _ tokenType: TokenType) -> Bool {
        guard let field = object.take("acceptIdTokens"), let accepts = field.bool() else { return false }
        if accepts, tokenType == .accessToken {
            field.error(
                "an ID token never has the \"tokenType\" \"at+jwt\"", expected: "one of the two settings")
        }
        return accepts
    }

    private static func keys(_ object: inout ObjectReader, _ file: Field?) -> Keys? {
        // Exactly one thing says what a token is worth.
        if let server = object.take("introspection") {
            file?.error("\"jwksFile\" and \"introspection\" exclude each other", expected: "one of the two")
            return IntrospectionEntry.read(server).map { .introspection($0) }
        }
        let published = PublishedKeysEntry.read(&object, hasFile: file != nil)
        if let file { return file.readableFile().map { .file($0) } }
        return published.map { .published($0) }
    }

    /// A missing audience check lets in every token of the issuer, so it has to be switched off by name.
    private static func audiences(_ object: inout ObjectReader, isRequired: Bool) -> [String] {
        guard isRequired else {
            if object.field.findings.production {
                object.field.warning("tokens for any audience are accepted", expected: "\"requireAudience\": true")
            }
            return object.value("audience", default: []) { $0.names() }
        }
        let field = object.take("audience")
        let audiences = field.flatMap { $0.names("an array of audiences") }
        if let field, audiences?.isEmpty == true, field.node.array?.isEmpty == true {
            field.error("the list is empty", expected: "at least one audience, or \"requireAudience\": false")
        } else if field == nil, object.field.node.members != nil {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, "audience"), "required member \"audience\" is missing",
                expected: "an array of audiences, or \"requireAudience\": false")
        }
        return audiences ?? []
    }

    static func algorithms(_ field: Field) -> [String]? {
        guard let elements = field.elements("an array of algorithms") else { return nil }
        if elements.isEmpty {
            field.error("the list is empty", expected: "at least one algorithm, or no \"algorithms\"")
        }
        return elements.compactMap { element in
            if let name = element.node.string, SigningAlgorithm.symmetric.contains(name) || name == "none" {
                // RFC 8725 section 3.1, 3.2: a public key must never serve as an HMAC secret.
                element.error(
                    "\"\(name)\" proves nothing about an outside issuer", expected: "an asymmetric algorithm")
                return nil
            }
            return element.choice(SigningAlgorithm.asymmetric)
        }
    }

    static func roleMappings(_ field: Field) -> [RoleMapping]? {
        field.elements("an array of {\"tokenRole\", \"mappedRoles\"}")?.map { element in
            var object = element.object("a mapping: {\"tokenRole\", \"mappedRoles\"}")
            let mapping = RoleMapping(
                tokenRole: object.required("tokenRole", "a role of the token", standIn: "") { $0.name() },
                mappedRoles: object.required("mappedRoles", "an array of roles", standIn: []) {
                    $0.references(to: .role)
                })
            object.finish()
            return mapping
        }
    }
}
