import Bytes
import Declaration
import Model

/// An outside issuer whose tokens routes accept.
package struct TrustedIssuerEntry: Sendable {
    /// `typ` that its tokens must have.
    package enum TokenType: String, Sendable, CaseIterable {
        /// No type is required; an explicit type other than `at+jwt` is refused.
        case any = "JWT"
        case accessToken = "at+jwt"
        /// Identity assertions, which clients exchange. Its tokens open no route.
        case identityAssertion = "oauth-id-jag+jwt"
    }

    /// The keys of the issuer, or its introspection endpoint.
    package enum Keys: Sendable {
        /// Absolute path of a file with a JWK set (RFC 7517 section 5).
        case file(String)
        case published(PublishedKeysEntry)
        /// The introspection endpoint (RFC 7662).
        case introspection(IntrospectionEntry)
        /// Keys in certificates that come with the tokens.
        case certified(SignerAuthoritiesEntry)
    }

    /// Whether tokens must be encrypted.
    package enum EncryptionRule: String, Sendable, CaseIterable {
        case optional, required
    }

    /// The name that stands for the gateway itself where issuers are named.
    package static let ownName = "local"
    /// The names that stand for no entry.
    static let reservedNames = [ownName, Consumer.issuer, CertificateUserRule.issuer]

    package var name: String
    /// `iss`, compared exactly.
    package var issuer: String
    package var audiences: [String]
    package var requireAudience: Bool
    package var tokenType: TokenType
    /// Whether ID tokens are accepted as access tokens.
    package var acceptIDTokens: Bool
    /// Clients whose tokens count, beside those of the gateway; empty for any.
    package var authorizedParties: [String]
    /// Nil if they are invalid.
    package var keys: Keys?
    /// Accepted algorithms; nil for all that match the key.
    package var algorithms: Set<SignatureAlgorithm>?
    package var clockSkew: Duration
    package var maximumLifetime: Duration?
    package var users: ExternalIdentityRules
    /// `name/version` of the client its tokens are bound to.
    package var client: String?
    package var level: Int
    /// The authentication context level that each value of `amr` stands for.
    package var levelsByMethod: [String: String]
    /// Where its tokens are, and nowhere else; empty for `Authorization: Bearer` and what routes say.
    package var tokenSources: [TokenSource]
    /// Whether tokens that are bound to no key or certificate are refused.
    package var requiresProof: Bool
    /// Keys for encrypted tokens; without any, they are refused.
    package var decryptionKeys: [DecryptionKeyEntry]
    package var encryption: EncryptionRule

    /// Whether routes take its tokens.
    package var opensRoutes: Bool { tokenType != .identityAssertion }

    /// The introspection endpoint; nil if the gateway verifies the tokens.
    package var introspection: IntrospectionEntry? {
        if case .introspection(let entry)? = keys { entry } else { nil }
    }

    static func readAll(_ field: Field) -> [TrustedIssuerEntry] {
        var entries: [TrustedIssuerEntry] = []
        for element in field.elements("an array of trusted issuers") ?? [] {
            guard let entry = shape.read(element) else { continue }
            if entry.name == ownName {
                element.error("the name \"\(ownName)\" stands for the gateway itself", expected: "another name")
            }
            if entry.name == CertificateUserRule.issuer {
                element.error("the name \"\(entry.name)\" stands for client certificates", expected: "another name")
            }
            if entry.name == Consumer.issuer {
                element.error("the name \"\(entry.name)\" stands for API keys", expected: "another name")
            }
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
                // An endpoint must not receive the tokens of another issuer.
                element.error(
                    "trusted issuer \"\(other.name)\" is asked about the same tokens already",
                    expected: "a \"tokenPrefix\" of its own")
            }
            entries.append(entry)
        }
        return entries
    }

    static let shape = Shape.object(
        "a trusted issuer: {\"name\", \"issuer\", \"audience\", \"jwksFile\"}"
    ) { object in
        let file = object.take(
            "jwksFile", .readableFile,
            """
            File with its keys, a JWK set or public keys and certificates in PEM form, in place of \
            [published keys](guides/trusted-issuers.md#keys-of-trusted-issuers), `x5c` and `introspection`. Keys in PEM form have no \
            names, so that the `kid` of a token does not matter.
            """)
        let certified = object.take(
            "x5c", SignerAuthoritiesEntry.shape,
            "In place of keys: the [authorities](guides/trusted-issuers.md#keys-in-certificates) of the certificates that its tokens carry."
        )
        let decryptionKeys = object.take(
            "decryptionKeys", DecryptionKeyEntry.list,
            "Private keys for its [encrypted tokens](guides/encrypted-tokens.md); the first ones are tried first.")
        let rule = object.take(
            "encrypted", .choice, default: EncryptionRule.optional,
            "With `required`, tokens that are only signed are refused.")
        let requireAudience = object.flag(
            "requireAudience", default: true,
            """
            Whether a token must have `aud`. If not, tokens without it are accepted; and where no `audience` is \
            named, tokens for any audience.
            """
        )
        let tokenType = object.value(
            "tokenType", .choice, default: TokenType.any,
            """
            Type (`typ`) that a token must have: `at+jwt` only that (RFC 9068); `JWT` also `JWT` or none. With \
            `oauth-id-jag+jwt` it opens no route: clients exchange its \
            [identity assertions](guides/token-exchange.md#identity-assertions-id-jag).
            """)
        object.removed(["backend"], instead: "\"client\"")
        let isIntrospected = KeyCondition.has("introspection")
        let isAssertion = KeyCondition.equals("tokenType", TokenType.identityAssertion.rawValue)
        let expectsAudience = KeyCondition.not(.any([.isOff("requireAudience"), isAssertion]))
        object.rules(
            .atMostOne(of: "introspection", "jwksFile", "x5c"),
            .only(
                "audience", "requireAudience", "acceptIdTokens", "authorizedParties", "client", "tokenSources",
                "acrFromAmr", "introspection", with: .not(isAssertion), because: "its tokens open no route",
                expected: "another \"tokenType\""),
            .only(
                "decryptionKeys", with: .not(isIntrospected), because: "the server reads the tokens"),
            .requires(
                .has("decryptionKeys"), if: .equals("encrypted", "required"), at: "encrypted",
                because: "no key decrypts the tokens", expected: "\"decryptionKeys\" beside it"),
            .requires(
                "audience", if: expectsAudience, expected: "an array of audiences, or \"requireAudience\": false"),
            .requires(
                .any([.hasElements("audience"), .not(.has("audience"))]), if: expectsAudience, at: "audience",
                because: "the list is empty", expected: "at least one audience, or \"requireAudience\": false"))
        let name = object.required(
            "name", .identifier, EntryName.rule, placeholder: "",
            "Unique name, in logs and metrics, and by which its tokens are revoked.")
        let issuer = object.required(
            "issuer", OpenIDSettings.issuerName, "the value of \"iss\"", placeholder: "",
            "The value of `iss`, compared exactly.")
        return TrustedIssuerEntry(
            name: name,
            issuer: issuer,
            audiences: audiences(&object),
            requireAudience: requireAudience,
            tokenType: tokenType,
            acceptIDTokens: acceptIDTokens(&object, tokenType),
            authorizedParties: object.value(
                "authorizedParties", .names, default: [],
                """
                Clients whose [tokens count](guides/identity-provider.md#clients-of-tokens), by `azp`, `client_id`, `cid` or \
                `appid`, beside `audience` and the `clientId` of `backend` (of every backend where the entry names none). \
                By default any client.
                """),
            keys: keys(&object, file, certified, issuer),
            algorithms: object.optional(
                "algorithms", algorithms, "Accepted algorithms; by default those that fit the keys, never `HS*`."),
            clockSkew: object.value(
                "clockSkew", .duration, default: .seconds(60), "Tolerated difference of the issuer's clock."),
            maximumLifetime: object.optional(
                "maxLifetime", .duration, "Longest time from `iat`, or from now, to `exp`; other tokens are refused."),
            users: ExternalIdentityRules.read(&object),
            client: object.optional(
                "client", .reference(to: .client),
                "The client that its tokens count as, by its id; a mobile backend as `name/version`."),
            level: object.value("level", .level, default: 1, "Authentication level of its tokens."),
            levelsByMethod: object.value(
                "acrFromAmr", AccessRule.levelsByMethod, default: [:],
                """
                [Levels of the login](guides/step-up.md) (`acr`) that values of `amr` stand for, beside \
                the token's own `acr`.
                """),
            tokenSources: object.value(
                "tokenSources", TokenSource.list, default: [],
                """
                [Where its tokens are](guides/authenticators.md#where-tokens-are), and nowhere else, on routes without `tokenSources`; \
                `Authorization: Bearer` by default.
                """),
            requiresProof: object.value(
                "proof", .choice, default: ProofRule.optional,
                "With `required`, only [bound tokens](guides/bound-tokens.md) of the issuer count.") == .required,
            decryptionKeys: decryptionKeys?.read() ?? [],
            encryption: rule?.read() ?? .optional
        )
    }

    private static func acceptIDTokens(_ object: inout ObjectReader, _ tokenType: TokenType) -> Bool {
        let member = object.take(
            "acceptIdTokens", .flag, default: false, "Whether ID tokens open routes as access tokens do.")
        guard let member, let accepts = member.read() else { return false }
        if accepts, tokenType == .accessToken {
            member.field.error(
                "an ID token never has the \"tokenType\" \"at+jwt\"", expected: "one of the two settings")
        }
        return accepts
    }

    private static func keys(
        _ object: inout ObjectReader, _ file: ObjectReader.Member<String>?,
        _ certified: ObjectReader.Member<SignerAuthoritiesEntry?>?, _ issuer: String
    ) -> Keys? {
        let server = object.take(
            "introspection", IntrospectionEntry.shape,
            "The [server that knows](guides/introspection.md) its tokens (RFC 7662), in place of keys."
        )
        let published = object.keys(with: .not(.hasAny("introspection", "jwksFile", "x5c"))) {
            PublishedKeysEntry.read(&$0, issuer: issuer)
        }
        if let server { return server.read().map { .introspection($0) } }
        if let file { return file.read().map { .file($0) } }
        if let certified { return certified.read().flatMap(\.self).map { .certified($0) } }
        return published?.map { .published($0) }
    }

    /// Without an audience check every token of the issuer is accepted, so that it must be disabled explicitly.
    private static func audiences(_ object: inout ObjectReader) -> [String] {
        let member = object.take(
            "audience", .names("an array of audiences"),
            "Values of `aud`, one of which a token must have; required unless `requireAudience` is false.")
        if object.holds(.isOff("requireAudience")), object.field.findings.production {
            object.field.warning("tokens for any audience are accepted", expected: "\"requireAudience\": true")
        }
        return member?.read() ?? []
    }

    static let algorithms = Shape<Set<SignatureAlgorithm>>(
        .list(.choice(SignatureAlgorithm.publicOnes.flatMap(\.names)), minimum: 1, isUnique: false)
    ) { field in
        guard let elements = field.elements("an array of algorithms") else { return nil }
        if elements.isEmpty {
            field.error("the list is empty", expected: "at least one algorithm, or no \"algorithms\"")
        }
        let known = elements.compactMap { element -> SignatureAlgorithm? in
            if let name = element.node.string, SignatureAlgorithm(named: name)?.isSymmetric ?? (name == "none") {
                // RFC 8725 section 3.1, 3.2: a public key must never be used as an HMAC secret.
                return element.error(
                    "\"\(name)\" proves nothing about an outside issuer", expected: "an asymmetric algorithm")
            }
            if let name = element.node.string, let named = SignatureAlgorithm(named: name) { return named }
            return element.choice(among: SignatureAlgorithm.publicOnes)
        }
        return Set(known)
    }
}
