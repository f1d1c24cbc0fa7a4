import Bytes

/// Somebody else who knows users, and to whom browsers are sent to log in (SSO-07, RP-01).
package struct IdentityProviderEntry: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The form of this gateway.
        case local
        /// OpenID Connect.
        case oidc
        /// OAuth 2 alone, with an endpoint that tells who the user is.
        case oauth2
        /// SAML 2.0.
        case saml
    }

    /// Whether the user info endpoint is asked.
    package enum UserInfoUse: String, Sendable, CaseIterable {
        case always, never, whenNeeded
    }

    /// What `email_verified` must say where an e-mail address is the name of a user.
    package enum EmailRule: String, Sendable, CaseIterable {
        case required, notDenied, ignored
    }

    package var name: String
    /// What people know it by, where they choose; nil for the name.
    package var displayName: String?
    package var kind: Kind
    /// `iss` of its tokens; of `oidc` alone.
    package var issuer: String?
    /// Of its discovery document, where that is not at the issuer's standard place.
    package var discoveryURI: String?
    package var authorizationEndpoint: String?
    package var tokenEndpoint: String?
    package var userInfoEndpoint: String?
    package var client: ProviderClientEntry
    /// What is of `saml` alone; nil for the other kinds.
    package var saml: SAMLProviderEntry?
    package var scopes: [String]
    package var parameters: [(name: String, value: String)]
    package var userInfo: UserInfoUse
    package var subjectAttribute: String
    /// Nil for every one that fits the key.
    package var algorithms: [String]?
    package var clockSkew: Duration
    package var users: ProvidedUsersEntry
    package var logsOutThere: Bool
    package var allowHTTP: Bool
    package var connectTimeout: Duration
    package var readTimeout: Duration
    /// Absolute path of a PEM file with the authorities of its certificate; nil for the system's.
    package var authorityFile: String?
    /// Where it stands in the configuration.
    package var pointer: String

    /// What the gateway itself puts into a request.
    private static let reserved = [
        "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "request", "request_uri", "prompt",
    ]

    static func readAll(_ field: Field) -> [IdentityProviderEntry] {
        var entries: [IdentityProviderEntry] = []
        for element in field.elements("an array of identity providers") ?? [] {
            let entry = read(element, name: nil)
            if !entry.name.isEmpty, entries.contains(where: { $0.name == entry.name }) {
                element.error("duplicate identity provider \"\(entry.name)\"", expected: "a unique name")
            }
            entries.append(entry)
        }
        return entries
    }

    /// - Parameter name: of one that stands where it is used and says no other.
    static func read(_ field: Field, name: String?) -> IdentityProviderEntry {
        var object = field.object("an identity provider: {\"name\", \"issuer\", \"clientId\"}")
        let nameField = object.take("name")
        let chosen =
            name != nil && nameField == nil
            ? name ?? ""
            : object.needed("name", nameField, WebgateEntry.nameRule, standIn: "") { $0.webgateName() }
        let isOpenID = object.entries.contains { $0.name == "issuer" }
        let kind = object.value("kind", default: isOpenID ? .oidc : .oauth2) { $0.choice(Kind.self) }
        let allowHTTP = object.flag("allowHttp", default: false)
        if allowHTTP, field.findings.production {
            field.warning(
                "whoever stands between here and the provider can log in as anybody", expected: "\"allowHttp\": false")
        }
        let places = places(&object, kind, allowHTTP)
        let saml = SAMLProviderEntry.read(&object, kind, allowHTTP: allowHTTP)
        let entry = IdentityProviderEntry(
            name: chosen, displayName: object.optional("displayName") { $0.name("a name for people") }, kind: kind,
            issuer: places["issuer"], discoveryURI: places["discoveryUri"],
            authorizationEndpoint: places["authorizationEndpoint"], tokenEndpoint: places["tokenEndpoint"],
            userInfoEndpoint: places["userInfoEndpoint"],
            client: ProviderClientEntry.read(&object, isNeeded: kind == .oidc || kind == .oauth2), saml: saml,
            scopes: scopes(&object, kind),
            parameters: object.value("parameters", default: [], parameters),
            userInfo: object.value("userInfo", default: .whenNeeded) { $0.choice(UserInfoUse.self) },
            subjectAttribute: object.value("subjectAttribute", default: "sub") { $0.name() },
            algorithms: object.optional("algorithms", TrustedIssuerEntry.algorithms.read),
            clockSkew: object.duration("clockSkew", default: .seconds(60)),
            users: ProvidedUsersEntry.read(&object, provider: chosen, kind),
            logsOutThere: object.flag("logout", default: true), allowHTTP: allowHTTP,
            connectTimeout: object.duration("connectTimeout", default: .seconds(5)),
            readTimeout: object.duration("readTimeout", default: .seconds(10)),
            authorityFile: object.optional("caFile") { $0.certificateFile() }, pointer: field.pointer)
        object.finish()
        if saml?.isTransient == true, entry.users.usernameAttribute == nil {
            field.error(
                "a transient name is another one at every login", expected: "\"usernameAttribute\" beside it")
        }
        return entry
    }

    private static let placesOfKinds: [(kind: Kind, needed: [String], optional: [String])] = [
        (.oidc, ["issuer"], ["discoveryUri"]),
        (.oauth2, ["authorizationEndpoint", "tokenEndpoint", "userInfoEndpoint"], []),
    ]

    /// The addresses, each where the kind has a use for it.
    private static func places(_ object: inout ObjectReader, _ kind: Kind, _ allowHTTP: Bool) -> [String: String] {
        var places: [String: String] = [:]
        for (owner, needed, optional) in placesOfKinds {
            for name in needed + optional {
                let member = object.take(name)
                guard owner == kind else {
                    member?.error(
                        "a provider of kind \"\(kind.rawValue)\" has no use for it",
                        expected: "\"kind\": \"\(owner.rawValue)\"")
                    continue
                }
                let read = { (field: Field) in field.callableAddress(allowHTTP: allowHTTP) }
                places[name] =
                    needed.contains(name)
                    ? object.needed(name, member, "an https URL", standIn: nil) { read($0) } : member.flatMap(read)
            }
        }
        return places
    }

    private static func scopes(_ object: inout ObjectReader, _ kind: Kind) -> [String] {
        guard let field = object.take("scopes") else { return kind == .oidc ? ["openid", "email", "profile"] : [] }
        let scopes = field.names("an array of scopes") { $0.fieldValue() } ?? []
        if kind == .oidc, !scopes.contains("openid") {
            field.error("without it the provider says nothing of the user", expected: "\"openid\" among the scopes")
        }
        return scopes
    }

    private static func parameters(_ field: Field) -> [(name: String, value: String)]? {
        field.object("an object of strings").entries.compactMap { name, place in
            guard !reserved.contains(name) else {
                place.error("the gateway sends \"\(name)\" itself", expected: "a parameter of the provider's own")
                return nil
            }
            return place.name().map { (name: name, value: $0) }
        }
    }
}

/// Who the gateway is to a provider, and how it shows that (RFC 6749 section 2.3, RFC 7523 section 2.2).
package struct ProviderClientEntry: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case secretBasic = "client_secret_basic"
        case secretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case none
    }

    package var id: String
    package var method: Method
    package var secret: Secret?
    /// Absolute path; the key is made where there is none.
    package var keyFile: String?
    package var keyAlgorithm: String
    /// `kid`; nil for the key's thumbprint.
    package var keyID: String?

    /// - Parameter isNeeded: whether anybody is asked at all.
    static func read(_ object: inout ObjectReader, isNeeded: Bool) -> ProviderClientEntry {
        let idField = object.take("clientId")
        let secretField = object.take("clientSecret")
        let keyField = object.take("clientKeyFile")
        let standard: Method = secretField != nil ? .secretBasic : keyField != nil ? .privateKeyJWT : .none
        let methodField = object.take("clientAuthentication")
        let entry = ProviderClientEntry(
            id: isNeeded
                ? object.needed("clientId", idField, "the gateway's client id there", standIn: "") { $0.name() } : "",
            method: methodField.flatMap { $0.choice(Method.self) } ?? standard,
            secret: secretField.flatMap { $0.secret() }, keyFile: keyField.flatMap { $0.path() },
            keyAlgorithm: object.value("clientKeyAlgorithm", default: "ES256") { $0.publicAlgorithm() },
            keyID: object.optional("clientKeyId") { $0.name() })
        let takesSecret = [Method.secretBasic, .secretPost].contains(entry.method)
        check(secretField, "clientSecret", isWanted: takesSecret, entry.method, object)
        check(keyField, "clientKeyFile", isWanted: entry.method == .privateKeyJWT, entry.method, object)
        return entry
    }

    private static func check(
        _ field: Field?, _ name: String, isWanted: Bool, _ method: Method, _ object: ObjectReader
    ) {
        if isWanted, field == nil {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, name), "required member \"\(name)\" is missing",
                expected: "what \"\(method.rawValue)\" needs")
        }
        if !isWanted { field?.error("\(method.rawValue) has no use for it", expected: "no \"\(name)\"") }
    }
}

/// How what a provider says becomes users of the gateway.
package struct ProvidedUsersEntry: Sendable {
    /// Claim with the user name; nil for `sub`.
    package var usernameAttribute: String?
    /// Whether users without an account are accepted (JWT-13).
    package var virtualUserEnabled: Bool
    /// What names of such users begin with.
    package var prefix: String
    package var userMappingAttribute: TrustedIssuerEntry.UserMapping
    package var emailRule: IdentityProviderEntry.EmailRule
    /// Whether the file says so.
    package var isEmailRuleStated: Bool
    package var roleAttributes: [String]
    package var roleMappings: [TrustedIssuerEntry.RoleMapping]
    package var defaultRoles: [String]
    package var issuerRoles: [String]

    static func read(
        _ object: inout ObjectReader, provider: String, _ kind: IdentityProviderEntry.Kind
    ) -> ProvidedUsersEntry {
        let emailRule = object.optional("verifiedEmail") { $0.choice(IdentityProviderEntry.EmailRule.self) }
        return ProvidedUsersEntry(
            usernameAttribute: object.optional("usernameAttribute") { $0.name() },
            virtualUserEnabled: object.flag("virtualUserEnabled", default: true),
            prefix: object.value("usernamePrefix", default: "\(provider):") { field in
                field.node.string?.isEmpty == true ? "" : field.fieldValue()
            },
            userMappingAttribute: object.value("userMappingAttribute", default: .uid) {
                $0.choice(TrustedIssuerEntry.UserMapping.self)
            },
            // OAuth 2 alone and SAML have no claim for it.
            emailRule: emailRule ?? (kind == .oidc ? .required : .notDenied),
            isEmailRuleStated: emailRule != nil,
            roleAttributes: object.value("roleAttributes", default: []) { $0.names() },
            roleMappings: object.value("roleMappings", default: [], TrustedIssuerEntry.roleMappings.read),
            defaultRoles: object.value("defaultRoles", default: []) { $0.references(to: .role) },
            issuerRoles: object.value("issuerRoles", default: []) { $0.references(to: .role) })
    }
}
