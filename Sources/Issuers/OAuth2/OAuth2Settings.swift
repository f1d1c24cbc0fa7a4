import Crypto
import Declaration
import Identity
import JOSE
import Model
import Outbound

extension IssuerModule {
    /// ISS-05. `oauth-client` is the catalogue's name for it.
    package static let oauth2 = IssuerModule(
        kind: "oauth2", aliases: ["oauth-client"], callsOut: true
    ) { object, dependencies in
        let settings = OAuth2Settings(&object, dependencies)
        return object.hasErrors ? nil : settings.issuer(object)
    }
}

/// How a token is requested (the key `grant`).
private enum GrantName: String, Sendable, CaseIterable {
    case clientCredentials = "client_credentials"
    case password
    case jwtBearer = "jwt-bearer"
    case samlBearer = "saml2-bearer"
    case tokenExchange = "token-exchange"
    case identityAssertion = "id-jag"
}

private enum AuthenticationName: String, Sendable, CaseIterable {
    case secretBasic = "client_secret_basic"
    case secretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
    case certificate = "tls_client_auth"
    case none
}

/// The configuration, on its way to an issuer.
private struct OAuth2Settings {
    /// Form fields that the module sets itself.
    private static let reserved = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "assertion",
        "username", "password", "refresh_token", "subject_token", "subject_token_type", "requested_token_type", "scope",
        "audience", "resource",
    ]

    let dependencies: IssuerDependencies
    let grant: GrantName
    let place: IssuerEndpoint.Place?
    let client: ClientTerms
    let account: (user: String, password: String)
    let assertion: AssertionSettings?
    let exchange: ExchangeTerms
    let provider: ProviderTerms?
    /// Scope, audience and resources.
    let target: [(String, String)]
    let parameters: [(String, String)]
    let defaultLifetimeSeconds: Int64
    let isPerCaller: Bool

    init(_ object: inout ObjectReader, _ dependencies: IssuerDependencies) {
        self.dependencies = dependencies
        grant = object.value(
            "grant", .choice, default: .clientCredentials,
            "How a token is requested; see [tokens for upstreams](guides/upstream-tokens.md).")
        place = OAuth2Settings.place(&object, dependencies)
        client = ClientTerms(&object, dependencies)
        account = (
            object.optional("username", .name, "Account of the grant `password`.") ?? "",
            object.optional("password", .secret, "Password of that account.")?.value ?? ""
        )
        assertion = object.part(
            "assertion",
            "Assertion of the grants `jwt-bearer` (RFC 7523) and `saml2-bearer` (RFC 7522); required for them."
        ) { AssertionSettings(&$0, dependencies) }
        provider = object.part(
            "identityProvider",
            "Who gives the assertion of the grant `id-jag` for the caller's token; required for it."
        ) { ProviderTerms(&$0, dependencies) }
        var exchange = ExchangeTerms()
        if grant == .identityAssertion { exchange.subjectTokenType = ExchangeTerms.idToken }
        object.read(
            "subjectTokenType", .name, into: &exchange.subjectTokenType,
            "Type of the caller's token, for the grants `token-exchange` and `id-jag`, where it is an ID token by default."
        )
        object.read(
            "requestedTokenType", .name, into: &exchange.requestedTokenType,
            "Type of token that is requested in exchange; any by default.")
        self.exchange = exchange
        target = OAuth2Settings.target(&object)
        parameters = OAuth2Settings.parameters(&object)
        defaultLifetimeSeconds = object.value(
            "defaultLifetimeSeconds", .seconds, default: 300, "Lifetime of a token where the answer names none.")
        isPerCaller = object.flag(
            "perCaller", default: true,
            "Whether each caller gets a token of its own; false only for `client_credentials` and `password`.")
        OAuth2Settings.declareGrantRules(object)
    }

    fileprivate static func place(
        _ object: inout ObjectReader, _ dependencies: IssuerDependencies
    ) -> IssuerEndpoint.Place? {
        object.rules(
            .exactlyOne(
                of: "tokenEndpoint", "discovery", none: "there is no token endpoint",
                several: "the token endpoint is known"),
            .requires(
                "issuer", if: .has("discovery"), because: "discovery needs a known issuer to compare with",
                expected: "\"issuer\" beside \"discovery\""),
            .only("issuer", with: .has("discovery"), because: "nothing is compared with it"))
        let address = Shape.address(dependencies.transport)
        let endpoint = object.optional(
            "tokenEndpoint", address, "The server's token endpoint; or `discovery` and `issuer`.")
        let discovery = object.optional(
            "discovery", address,
            "The server's metadata (RFC 8414, OpenID Connect Discovery), which name the token endpoint.")
        let issuer = object.optional(
            "issuer", .name, "The issuer that the metadata must be of; required with `discovery`.")
        if let endpoint { return .known(endpoint) }
        guard let discovery, let issuer else { return nil }
        return .discovered(at: discovery, issuer: issuer)
    }

    private static func target(_ object: inout ObjectReader) -> [(String, String)] {
        let scope = object.optional("scope", .name, "Scopes, separated by blanks.")
        let audience = object.optional(
            "audience", .name, "Audience that is requested; for `id-jag` the issuer of the server.")
        let resources = object.optional("resource", .names, "Resources that are requested (RFC 8707).") ?? []
        return [("scope", scope), ("audience", audience)].compactMap { name, value in value.map { (name, $0) } }
            + resources.map { ("resource", $0) }
    }

    private static func parameters(_ object: inout ObjectReader) -> [(String, String)] {
        let others = object.optional("parameters", .texts, "Further parameters of the server's own.") ?? []
        for (name, _) in others where reserved.contains(name) {
            object.error(
                at: "parameters/\(name)", "the module sends \"\(name)\" itself",
                expected: "a parameter of the server's own")
        }
        return others.map { ($0.name, $0.value) }
    }

    private static func declareGrantRules(_ object: ObjectReader) {
        func uses(_ grants: GrantName...) -> KeyCondition { .any(grants.map { .equals("grant", $0.rawValue) }) }
        let takesAssertion = uses(.jwtBearer, .samlBearer)
        let (isPassword, isExchange, isIdentity) = (uses(.password), uses(.tokenExchange), uses(.identityAssertion))
        object.rules(
            .requires("username", "password", if: isPassword), .requires("assertion", if: takesAssertion),
            .only("username", "password", with: isPassword), .only("assertion", with: takesAssertion),
            .only("subjectTokenType", with: .any([isExchange, isIdentity])),
            .only("requestedTokenType", with: isExchange),
            .requires("identityProvider", "audience", if: isIdentity), .only("identityProvider", with: isIdentity),
            .requires(
                .not(.any([takesAssertion, isExchange, isIdentity])), if: .isOff("perCaller"), at: "perCaller",
                because: "the grant gives each caller a token of its own", expected: "true"))
    }

    /// Nil after an error.
    func issuer(_ object: ObjectReader) -> OAuth2Issuer? {
        guard let place, let client = client.client(object, dependencies), let grant = grant(object) else {
            return nil
        }
        var made = OAuth2Issuer.Settings(client: client, grant: grant)
        // An identity assertion says what it is for.
        made.parameters = (self.grant == .identityAssertion ? [] : target) + parameters
        made.transport = dependencies.transport
        made.terms.defaultLifetimeSeconds = defaultLifetimeSeconds
        if case .tokenExchange(let terms) = grant { made.terms.issuedTokenType = terms.requestedTokenType }
        made.dependsOnCaller = isPerCaller
        // The keys of SAML assertions are not for JWTs.
        let (signing, keys) = (assertion?.key, [self.client.key, provider?.client.key])
        made.publishedKeys = (keys + [self.grant == .jwtBearer ? signing : nil]).compactMap(\.self)
        return issuer(made, at: place, dependencies.identity(of: "oauth2", object, keys: keys + [signing]))
    }

    private func issuer(
        _ settings: OAuth2Issuer.Settings, at place: IssuerEndpoint.Place, _ configurationID: String
    ) -> OAuth2Issuer {
        let endpoint = IssuerEndpoint(
            place, dependencies.transport, allowsHTTP: dependencies.transport.allowsHTTP, caller: dependencies.caller)
        return OAuth2Issuer(
            settings, endpoint: endpoint, configurationID: configurationID, caller: dependencies.caller)
    }

    /// Nil after an error.
    private func identityAssertion(_ object: ObjectReader) -> OAuth2Grant? {
        guard let provider, let place = provider.place,
            let client = provider.client.client(object, dependencies, in: "identityProvider/")
        else { return nil }
        var terms = exchange
        terms.requestedTokenType = ExchangeTerms.identityAssertion
        var made = OAuth2Issuer.Settings(client: client, grant: .tokenExchange(terms))
        made.parameters = target
        made.transport = dependencies.transport
        made.terms.issuedTokenType = terms.requestedTokenType
        return .identityAssertion(issuer(made, at: place, ""))
    }

    private func grant(_ object: ObjectReader) -> OAuth2Grant? {
        switch grant {
        case .clientCredentials: return .clientCredentials
        case .password: return .password(user: account.user, password: account.password)
        case .jwtBearer: return assertion?.grant(isSAML: false, object, dependencies)
        case .tokenExchange:
            if exchange.takesSAML, !hasSAML(object, at: "subjectTokenType") { return nil }
            return .tokenExchange(exchange)
        case .identityAssertion:
            if exchange.takesSAML, !hasSAML(object, at: "subjectTokenType") { return nil }
            return identityAssertion(object)
        case .samlBearer:
            return hasSAML(object, at: "grant") ? assertion?.grant(isSAML: true, object, dependencies) : nil
        }
    }

    private func hasSAML(_ object: ObjectReader, at key: String) -> Bool {
        guard let obstacle = SAMLVerifier.obstacle else { return true }
        object.error(at: key, obstacle.problem, expected: obstacle.expected)
        return false
    }
}

/// The identity provider that gives identity assertions (the key `identityProvider`).
private struct ProviderTerms {
    let place: IssuerEndpoint.Place?
    let client: ClientTerms

    init(_ object: inout ObjectReader, _ dependencies: IssuerDependencies) {
        place = OAuth2Settings.place(&object, dependencies)
        client = ClientTerms(&object, dependencies)
    }
}

/// How the gateway authenticates to the server.
private struct ClientTerms {
    let id: String
    let secret: String
    let method: AuthenticationName?
    let key: SigningKey?
    let keyID: String?

    init(_ object: inout ObjectReader, _ dependencies: IssuerDependencies) {
        id = object.required("clientId", .name, "a value", placeholder: "", "The gateway's client id.")
        secret = object.optional("clientSecret", .secret, "Secret of the client.")?.value ?? ""
        method = object.optional(
            "clientAuthentication", .choice,
            "How the gateway authenticates: by default `client_secret_basic` with a secret, else `none`.")
        let algorithm = object.value(
            "clientKeyAlgorithm", .publicAlgorithm, default: .es256, "Algorithm of client assertions.")
        key = object.signingKey(
            "clientKeyFile", algorithm, dependencies,
            "PEM file with the key for `private_key_jwt`, made where it is missing.")
        keyID = object.optional("clientKeyId", .name, "`kid` of that key; its thumbprint by default.")
        func uses(_ methods: AuthenticationName...) -> KeyCondition {
            .any(methods.map { .equals("clientAuthentication", $0.rawValue) })
        }
        let (usesSecret, usesKey) = (
            uses(.secretBasic, .secretPost), KeyCondition.equals("clientAuthentication", "private_key_jwt")
        )
        object.rules(
            .requires("clientSecret", if: usesSecret), .requires("clientKeyFile", if: usesKey),
            .only(
                "clientSecret", with: .any([.not(.has("clientAuthentication")), usesSecret]),
                because: "the method of authentication has no use for it", expected: "no secret"),
            .only("clientKeyFile", with: usesKey))
    }

    /// Nil after an error.
    /// - Parameter part: the object with its keys, with a slash behind; empty for the issuer's own.
    func client(
        _ object: ObjectReader, _ dependencies: IssuerDependencies, in part: String = ""
    ) -> OAuth2Client? {
        let authentication: OAuth2Client.Authentication
        switch method ?? (secret.isEmpty ? .none : .secretBasic) {
        case .secretBasic: authentication = .secretBasic(secret)
        case .secretPost: authentication = .secretPost(secret)
        case .privateKeyJWT:
            guard let key else { return nil }
            authentication = .privateKeyJWT(JWTSigner(key: key, named: keyID))
        case .certificate:
            guard dependencies.transport.hasCertificate else {
                object.error(
                    at: "\(part)clientAuthentication", "there is no certificate to show",
                    expected: "\"tls\" with \"certFile\" and \"keyFile\"")
                return nil
            }
            authentication = .certificate
        case .none: authentication = .none
        }
        return OAuth2Client(id: id, authentication: authentication)
    }
}

/// The assertion that is sent (the key `assertion`).
private struct AssertionSettings: Sendable {
    enum Origin: String, Sendable, CaseIterable { case gateway, caller }

    private let origin: Origin
    let key: SigningKey?
    private let keyID: String?
    private let issuer: String?
    private let audience: String?
    private let lifetimeSeconds: Int
    private let claims: [(name: String, value: String)]

    init(_ object: inout ObjectReader, _ dependencies: IssuerDependencies) {
        origin = object.value(
            "from", .choice, default: .gateway,
            """
            Which assertion is sent: one of the gateway's about the caller, or the caller's own token, which \
            for `saml2-bearer` is a SAML assertion.
            """)
        let algorithm = object.value(
            "algorithm", .publicAlgorithm, default: .es256, "Algorithm of the gateway's signature.")
        key = object.signingKey(
            "keyFile", algorithm, dependencies,
            "PEM file with the signing key, made where it is missing; required for the gateway's.")
        keyID = object.optional("keyId", .name, "`kid` of that key, for `jwt-bearer`; its thumbprint by default.")
        issuer = object.optional("issuer", .name, "`iss` or `Issuer`; that of the token service by default.")
        audience = object.optional("audience", .name, "`aud` or `Audience`; the token endpoint by default.")
        lifetimeSeconds = object.value(
            "lifetimeSeconds", .integer(1...3600), default: 60, "Lifetime of an assertion in seconds.")
        claims = object.optional("claims", .texts, "Further claims or attributes.") ?? []
        let isMade = KeyCondition.not(.equals("from", "caller"))
        object.rules(
            .requires("keyFile", if: isMade, expected: "a signing key"),
            .only(
                "keyFile", "algorithm", "keyId", "issuer", "audience", "lifetimeSeconds", "claims", with: isMade,
                because: "the caller's own token is not made here", expected: "\"from\": \"gateway\""))
    }

    /// Nil after an error.
    func grant(isSAML: Bool, _ object: ObjectReader, _ dependencies: IssuerDependencies) -> OAuth2Grant? {
        if origin == .caller { return isSAML ? .callersSAML : .callersAssertion }
        guard let key else { return nil }
        let (issuer, lifetime) = (issuer ?? dependencies.serviceIssuer, Int64(lifetimeSeconds))
        if isSAML {
            if keyID != nil {
                object.error(at: "assertion/keyId", "a SAML assertion names no key", expected: "no \"keyId\"")
                return nil
            }
            let attributes = claims.map { SAMLAssertion.Attribute(name: $0.name, values: [$0.value]) }
            if let mint = AssertionMint(key: key, issuer: issuer, lifetimeSeconds: lifetime, attributes: attributes) {
                return .mintedSAML(mint, audience: audience)
            }
            object.error(
                at: "assertion/algorithm", "SAML has no signatures with \(key.algorithm.rawValue)",
                expected: "RS256, RS384, RS512, ES256, ES384 or ES512")
            return nil
        }
        if let claim = claims.first(where: { ["iss", "sub", "aud", "iat", "exp", "nbf", "jti"].contains($0.name) }) {
            object.error(
                at: "assertion/claims", "the claim \"\(claim.name)\" is the gateway's to make",
                expected: "other claims")
            return nil
        }
        return .mintedAssertion(
            AssertionTerms(
                signer: JWTSigner(key: key, named: keyID), issuer: issuer, audience: audience,
                lifetimeSeconds: lifetime, claims: claims))
    }
}

extension JWTSigner {
    /// - Parameter keyID: nil for the thumbprint of the key.
    fileprivate init(key: SigningKey, named keyID: String?) {
        self = keyID.map { JWTSigner(key: key, keyID: $0) } ?? JWTSigner(key: key)
    }
}
