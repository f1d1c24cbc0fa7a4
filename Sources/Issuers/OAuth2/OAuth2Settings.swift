import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound

extension IssuerModule {
    /// ISS-05. `oauth-client` is the catalogue's name for it.
    package static let oauth2 = IssuerModule(
        kind: "oauth2", aliases: ["oauth-client"], callsOut: true,
        keys: [
            IssuerKey(
                "grant", .choice(OAuth2Settings.grants), default: .text("client_credentials"),
                "How a token is requested; see [tokens for upstreams](guides/upstream-tokens.md)."),
            IssuerKey("tokenEndpoint", .url, "The server's token endpoint; or `discovery` and `issuer`."),
            IssuerKey(
                "discovery", .url,
                "The server's metadata (RFC 8414, OpenID Connect Discovery), which name the token endpoint."),
            IssuerKey("issuer", .text, "The issuer that the metadata must be of; required with `discovery`."),
            IssuerKey("clientId", .text, required: true, "The gateway's client id."),
            IssuerKey("clientSecret", .secret, "Secret of the client."),
            IssuerKey(
                "clientAuthentication", .choice(OAuth2Settings.authentications),
                "How the gateway authenticates: by default `client_secret_basic` with a secret, else `none`."),
            IssuerKey(
                "clientKeyAlgorithm", .publicAlgorithm, default: .text("ES256"), "Algorithm of client assertions."),
            IssuerKey(
                "clientKeyFile", .signingKey(algorithm: "clientKeyAlgorithm"),
                "PEM file with the key for `private_key_jwt`, made where it is missing."),
            IssuerKey("clientKeyId", .text, "`kid` of that key; its thumbprint by default."),
            IssuerKey("username", .text, "Account of the grant `password`."),
            IssuerKey("password", .secret, "Password of that account."),
            IssuerKey(
                "assertion",
                .object(
                    [
                        IssuerKey(
                            "from", .choice(["gateway", "caller"]), default: .text("gateway"),
                            """
                            Which assertion is sent: one of the gateway's about the caller, or the caller's own token, which \
                            for `saml2-bearer` is a SAML assertion.
                            """),
                        IssuerKey(
                            "algorithm", .publicAlgorithm, default: .text("ES256"),
                            "Algorithm of the gateway's signature."),
                        IssuerKey(
                            "keyFile", .signingKey(algorithm: "algorithm"),
                            "PEM file with the signing key, made where it is missing; required for the gateway's."),
                        IssuerKey("keyId", .text, "`kid` of that key, for `jwt-bearer`; its thumbprint by default."),
                        IssuerKey("issuer", .text, "`iss` or `Issuer`; that of the token service by default."),
                        IssuerKey("audience", .text, "`aud` or `Audience`; the token endpoint by default."),
                        IssuerKey(
                            "lifetimeSeconds", .count(1...3600), default: .number(60),
                            "Lifetime of an assertion in seconds."),
                        IssuerKey("claims", .map, "Further claims or attributes."),
                    ], rules: OAuth2Settings.assertionRules),
                "Assertion of the grants `jwt-bearer` (RFC 7523) and `saml2-bearer` (RFC 7522); required for them."),
            IssuerKey(
                "subjectTokenType", .text, default: .text("urn:ietf:params:oauth:token-type:access_token"),
                "Type of the caller's token, for the grant `token-exchange`."),
            IssuerKey("requestedTokenType", .text, "Type of token that is requested in exchange; any by default."),
            IssuerKey("scope", .text, "Scopes, separated by blanks."),
            IssuerKey("audience", .text, "Audience that is requested."),
            IssuerKey("resource", .texts, "Resources that are requested (RFC 8707)."),
            IssuerKey("parameters", .map, "Further parameters of the server's own."),
            IssuerKey(
                "defaultLifetimeSeconds", .seconds, default: .number(300),
                "Lifetime of a token where the answer names none."),
            IssuerKey(
                "perCaller", .flag, default: .flag(true),
                "Whether each caller gets a token of its own; false only for `client_credentials` and `password`."),
        ],
        rules: OAuth2Settings.placeRules + OAuth2Settings.clientRules + OAuth2Settings.grantRules,
        build: { settings, surroundings throws(IssuerProblem) in
            try OAuth2Settings(settings, surroundings).issuer()
        })
}

/// The configuration, on its way to an issuer.
private struct OAuth2Settings {
    static let grants = ["client_credentials", "password", "jwt-bearer", "saml2-bearer", "token-exchange"]
    static let authentications = [
        "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth", "none",
    ]
    /// Form fields that the module sets itself.
    private static let reserved = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "assertion",
        "username", "password", "refresh_token", "subject_token", "subject_token_type", "requested_token_type", "scope",
        "audience", "resource",
    ]

    // MARK: Rules between keys

    static let placeRules: [KeyRule] = [
        .exactlyOne(
            of: "tokenEndpoint", "discovery", none: "there is no token endpoint", several: "the token endpoint is known"
        ),
        .requires(
            "issuer", if: .has("discovery"), because: "discovery needs a known issuer to compare with",
            expected: "\"issuer\" beside \"discovery\""),
        .only("issuer", with: .has("discovery"), because: "nothing is compared with it"),
    ]

    static let clientRules: [KeyRule] = {
        let isNamed = KeyCondition.has("clientAuthentication")
        let usesSecret = uses("clientAuthentication", "client_secret_basic", "client_secret_post")
        let usesKey = uses("clientAuthentication", "private_key_jwt")
        return [
            .requires("clientSecret", if: usesSecret), .requires("clientKeyFile", if: usesKey),
            .only(
                "clientSecret", with: .any([.not(isNamed), usesSecret]),
                because: "the method of authentication has no use for it", expected: "no secret"),
            .only("clientKeyFile", with: usesKey),
        ]
    }()

    static let grantRules: [KeyRule] = {
        let takesAssertion = uses("grant", "jwt-bearer", "saml2-bearer")
        let (isPassword, isExchange) = (uses("grant", "password"), uses("grant", "token-exchange"))
        return [
            .requires("username", "password", if: isPassword), .requires("assertion", if: takesAssertion),
            .only("username", "password", with: isPassword), .only("assertion", with: takesAssertion),
            .only("subjectTokenType", "requestedTokenType", with: isExchange),
            .requires(
                .not(.any([takesAssertion, isExchange])), if: .isOff("perCaller"), at: "perCaller",
                because: "the grant gives each caller a token of its own", expected: "true"),
        ]
    }()

    static let assertionRules: [KeyRule] = {
        let isMade = KeyCondition.not(.equals("from", "caller"))
        return [
            .requires("keyFile", if: isMade, expected: "a signing key"),
            .only(
                "keyFile", "algorithm", "keyId", "issuer", "audience", "lifetimeSeconds", "claims", with: isMade,
                because: "the caller's own token is not made here", expected: "\"from\": \"gateway\""),
        ]
    }()

    private static func uses(_ key: String, _ words: String...) -> KeyCondition {
        words.count == 1 ? .equals(key, words[0]) : .any(words.map { .equals(key, $0) })
    }

    let settings: ModuleSettings
    let surroundings: IssuerDependencies

    init(_ settings: ModuleSettings, _ surroundings: IssuerDependencies) {
        self.settings = settings
        self.surroundings = surroundings
    }

    func issuer() throws(IssuerProblem) -> OAuth2Issuer {
        let grant = try grant()
        var made = OAuth2Issuer.Settings(client: try client(), grant: grant)
        made.parameters = try parameters()
        made.transport = settings.transport
        made.terms.defaultLifetimeSeconds = Int64(settings.count("defaultLifetimeSeconds"))
        if case .tokenExchange(let terms) = grant { made.terms.issuedTokenType = terms.requestedTokenType }
        if !settings.isOn("perCaller") { made.dependsOnCaller = false }
        // The keys of SAML assertions are not for JWTs.
        let key = settings.word("grant") == "jwt-bearer" ? settings.object("assertion")?.key("keyFile") : nil
        made.publishedKeys = [settings.key("clientKeyFile"), key].compactMap { $0 }
        let endpoint = IssuerEndpoint(
            try place, settings.transport, allowsHTTP: settings.transport.allowsHTTP, caller: surroundings.caller)
        return OAuth2Issuer(
            made, endpoint: endpoint, configurationID: settings.identity(of: "oauth2"), caller: surroundings.caller)
    }

    private var place: IssuerEndpoint.Place {
        get throws(IssuerProblem) {
            if let url = settings.url("tokenEndpoint") { return .known(url) }
            guard let url = settings.url("discovery"), let issuer = settings.text("issuer") else {
                throw IssuerProblem("there is no token endpoint")
            }
            return .discovered(at: url, issuer: issuer)
        }
    }

    private func client() throws(IssuerProblem) -> OAuth2Client {
        let secret = settings.word("clientSecret")
        let name = settings.text("clientAuthentication") ?? (secret.isEmpty ? "none" : "client_secret_basic")
        let authentication: OAuth2Client.Authentication
        switch name {
        case "client_secret_basic": authentication = .secretBasic(secret)
        case "client_secret_post": authentication = .secretPost(secret)
        case "private_key_jwt":
            guard let key = settings.key("clientKeyFile") else { throw IssuerProblem(at: "clientKeyFile", "no key") }
            authentication = .privateKeyJWT(signer(key, settings.text("clientKeyId")))
        case "tls_client_auth":
            guard settings.transport.hasCertificate else {
                throw IssuerProblem(
                    at: "clientAuthentication", "there is no certificate to show",
                    expected: "\"tls\" with \"certFile\" and \"keyFile\"")
            }
            authentication = .certificate
        default: authentication = .none
        }
        return OAuth2Client(id: settings.word("clientId"), authentication: authentication)
    }

    private func signer(_ key: SigningKey, _ keyID: String?) -> JWTSigner {
        keyID.map { JWTSigner(key: key, keyID: $0) } ?? JWTSigner(key: key)
    }

    private func grant() throws(IssuerProblem) -> OAuth2Grant {
        let name = settings.word("grant")
        switch name {
        case "password": return .password(user: settings.word("username"), password: settings.word("password"))
        case "jwt-bearer": return try assertion(for: name)
        case "token-exchange":
            var terms = ExchangeTerms()
            if let type = settings.text("subjectTokenType") { terms.subjectTokenType = type }
            terms.requestedTokenType = settings.text("requestedTokenType")
            if terms.takesSAML { try requireSAML(at: "subjectTokenType") }
            return .tokenExchange(terms)
        case "saml2-bearer":
            try requireSAML(at: "grant")
            return try assertion(for: name)
        default: return .clientCredentials
        }
    }

    private func requireSAML(at key: String) throws(IssuerProblem) {
        guard let obstacle = SAMLVerifier.obstacle else { return }
        throw IssuerProblem(at: key, obstacle.problem, expected: obstacle.expected)
    }

    private func assertion(for grant: String) throws(IssuerProblem) -> OAuth2Grant {
        let terms = settings.object("assertion") ?? ModuleSettings([:])
        let isSAML = grant == "saml2-bearer"
        if terms.text("from") == "caller" { return isSAML ? .callersSAML : .callersAssertion }
        guard let key = terms.key("keyFile") else { throw IssuerProblem(at: "assertion/keyFile", "no key") }
        let issuer = terms.text("issuer") ?? surroundings.serviceIssuer
        let lifetime = Int64(terms.number("lifetimeSeconds") ?? 60)
        if isSAML {
            if terms.has("keyId") {
                throw IssuerProblem(at: "assertion/keyId", "a SAML assertion names no key", expected: "no \"keyId\"")
            }
            let attributes = terms.map("claims").map { SAMLAssertion.Attribute(name: $0.name, values: [$0.value]) }
            guard
                let mint = AssertionMint(key: key, issuer: issuer, lifetimeSeconds: lifetime, attributes: attributes)
            else {
                throw IssuerProblem(
                    at: "assertion/algorithm", "SAML has no signatures with \(key.algorithm.rawValue)",
                    expected: "RS256, RS384, RS512, ES256, ES384 or ES512")
            }
            return .mintedSAML(mint, audience: terms.text("audience"))
        }
        for claim in terms.map("claims") where ["iss", "sub", "aud", "iat", "exp", "nbf", "jti"].contains(claim.name) {
            throw IssuerProblem(
                at: "assertion/claims", "the claim \"\(claim.name)\" is the gateway's to make", expected: "other claims"
            )
        }
        return .mintedAssertion(
            AssertionTerms(
                signer: signer(key, terms.text("keyId")), issuer: issuer, audience: terms.text("audience"),
                lifetimeSeconds: lifetime, claims: terms.map("claims")))
    }

    private func parameters() throws(IssuerProblem) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let scope = settings.text("scope") { parameters.append(("scope", scope)) }
        if let audience = settings.text("audience") { parameters.append(("audience", audience)) }
        for resource in settings.texts("resource") { parameters.append(("resource", resource)) }
        for parameter in settings.map("parameters") {
            guard !OAuth2Settings.reserved.contains(parameter.name) else {
                throw IssuerProblem(
                    at: "parameters/\(parameter.name)", "the module sends \"\(parameter.name)\" itself",
                    expected: "a parameter of the server's own")
            }
            parameters.append((parameter.name, parameter.value))
        }
        return parameters
    }
}
