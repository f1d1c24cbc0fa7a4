import Declaration
import Model

/// The gateway's own token service (OAUTH-01 to OAUTH-08).
package struct TokenServiceSection: Sendable {
    package var isEnabled: Bool
    /// `iss` of its tokens.
    package var issuer: String
    /// `aud` of its tokens.
    package var audience: String
    /// Resources that clients may limit tokens to, besides those of routes (RFC 8707).
    package var resources: [String]
    /// Where the generic endpoints are.
    package var paths: EndpointPaths
    package var terms: AccessTokenTerms
    /// Resource servers that may introspect tokens, besides clients.
    package var resourceServers: [ResourceServerEntry]
    /// Name of a signature algorithm.
    package var algorithm: SignatureAlgorithm
    /// Algorithms of ID tokens besides `algorithm`, each with a key of its own.
    package var idTokenAlgorithms: [SignatureAlgorithm]
    /// PEM file with the signing key. If missing, it is created. Not used by HS algorithms.
    package var keyFile: String
    /// The secret of an HS algorithm.
    package var key: Secret?
    /// How long a signing key signs until the gateway replaces it; nil if it never does.
    package var rotateEvery: Duration?
    /// How long a signing key is published before it signs.
    package var publishKeysFor: Duration
    /// Whether gateways with one store have the same signing keys, which go through its server.
    package var sharesKeys: Bool
    /// Whether roles are looked up at each request instead of taken from the token (ROLE-03).
    package var liveRoles: Bool
    /// Whether credentials require TLS (GW-13); nil for an exception on loopback listeners.
    package var requiresTLS: Bool?
    /// Limits that all endpoints of the gateway share.
    package var rateLimits: [RateLimitReference]
    /// How clients register themselves (RFC 7591); nil where they do not.
    package var registration: RegistrationSection?
    /// Clients by the URLs of their metadata; nil where there are none.
    package var clientDocuments: ClientDocumentSection?
    /// The claim of ID tokens and user information with the roles of users, for clients that name none.
    package var groupsClaim: String?

    static func read(
        _ object: inout ObjectReader, baseURL: WebOrigin, _ paths: EndpointPaths
    ) -> TokenServiceSection {
        var paths = paths
        let isEnabled = object.flag("enabled", default: true, "Whether its endpoints are answered.")
        let issuer = object.optional(
            "issuer", .name,
            """
            `iss` of its tokens; `baseUrl` by default. The metadata of an issuer with a path, such as \
            `https://gw.example.com/shop`, are at `/.well-known/oauth-authorization-server/shop` and \
            `/shop/.well-known/openid-configuration` as well.
            """)
        let audience = object.optional("audience", .name, "`aud` of its tokens; `baseUrl` by default.")
        let algorithm = object.value(
            "algorithm", .choice, default: SignatureAlgorithm.es256, "Signature algorithm of its tokens.")
        let (key, keyFile) = signingKey(&object, algorithm)
        let idTokenAlgorithms = idTokenAlgorithms(&object, beside: algorithm)
        let (rotateEvery, publishKeysFor) = rotation(&object, algorithm)
        let sharesKeys = sharing(&object, algorithm, publishKeysFor)
        object.removed(
            ["tokenPath", "revocationPath", "introspectionPath", "authorizationPath"],
            instead: "\"pathPrefix\" of gateway.json, with the standard names below it")
        object.read(
            "tokenPathAliases", Shape.literalPath.list("an array of paths"), into: &paths.tokenAliases,
            "Further paths of the token endpoint, outside `pathPrefix`, for clients with a fixed one.")
        let section = TokenServiceSection(
            isEnabled: isEnabled, issuer: issuer ?? "\(baseURL)", audience: audience ?? "\(baseURL)",
            resources: resources(&object), paths: paths, terms: AccessTokenTerms.read(&object),
            resourceServers: object.value(
                "resourceServers", ResourceServerEntry.list, default: [],
                "Callers that may introspect tokens, beside clients with `introspection`."),
            algorithm: algorithm, idTokenAlgorithms: idTokenAlgorithms, keyFile: keyFile, key: key,
            rotateEvery: rotateEvery, publishKeysFor: publishKeysFor, sharesKeys: sharesKeys,
            liveRoles: object.flag(
                "liveRoles", default: false, "Whether roles come from `users.json` at each request, not from the token."
            ),
            requiresTLS: object.optional(
                "requireTls", .flag,
                """
                Whether endpoints that accept credentials answer 403 to requests in the clear: neither over TLS nor, as a \
                trusted proxy reports, by https. `true` means on every listener, `false` on none; by default on all but \
                those on loopback and unix sockets.
                """),
            rateLimits: object.value(
                "rateLimit", RateLimitReference.shape, default: [],
                """
                Limits of the requests to all of the gateway's own endpoints together, each the name of one of `rateLimits` \
                or one of its own. The key `principal` counts by address here.
                """),
            registration: registration(&object), clientDocuments: clientDocuments(&object),
            groupsClaim: object.optional(
                "groupsClaim", ClientSection.groups,
                "`groupsClaim` of all clients whose users log in by browser and that name none; off by default."))
        // So that a change of an index is noticed.
        for place in section.signingKeys { _ = object.field.findings.path(of: place.indexFile) }
        return section
    }

    private static func registration(_ object: inout ObjectReader) -> RegistrationSection? {
        object.optional(
            "registration", RegistrationSection.shape,
            """
            Lets [clients register themselves](guides/client-registration.md) at `/oauth2/register` (RFC 7591); off by \
            default.
            """)
    }

    private static func clientDocuments(_ object: inout ObjectReader) -> ClientDocumentSection? {
        let name = "clientMetadataDocuments"
        let documents = object.optional(
            name, ClientDocumentSection.shape,
            """
            Accepts clients whose `client_id` is [the https URL of their metadata](guides/client-registration.md#documents) \
            (`draft-ietf-oauth-client-id-metadata-document-02`), with the `client` and the rights of `registration`; off by default.
            """)
        let callers = KeyCondition.any([.hasElements("initialAccessTokens"), .isOn("open")])
        object.rules(
            .requires("registration", if: .has(name), because: "these clients belong to that of \"registration\""),
            .requires(
                .any([.not(.has("registration")), .has(name), .within("registration", callers)]), at: "registration",
                because: "no client may register",
                expected: "\"initialAccessTokens\" with a secret, or \"open\": true"))
        return documents
    }

    private static func resources(_ object: inout ObjectReader) -> [String] {
        object.optional(
            "resources", ProtectedResource.identifiers,
            """
            Resources of other servers that clients may limit tokens to (RFC 8707), beside those of routes with \
            `protectedResource`; absolute URIs without fragment.
            """) ?? []
    }

    /// The signing keys in files, that of `algorithm` in front; those of further algorithms are beside `keyFile`.
    package var signingKeys: [SigningKeyPlace] {
        let first = SigningKeyPlace(algorithm: algorithm, keyFile: keyFile)
        let further = idTokenAlgorithms.map { algorithm in
            SigningKeyPlace(
                algorithm: algorithm, keyFile: "\(first.stem)-\(algorithm.rawValue.lowercased()).pem")
        }
        return (algorithm.isSymmetric ? [] : [first]) + further
    }

    private static func idTokenAlgorithms(
        _ object: inout ObjectReader, beside algorithm: SignatureAlgorithm
    ) -> [SignatureAlgorithm] {
        let listed = object.value(
            "idTokenAlgorithms", Shape<SignatureAlgorithm>.publicAlgorithm.list("an array of algorithms"), default: [],
            """
            Algorithms besides `algorithm` that clients may have ID tokens signed with, such as `RS256`, which every OpenID \
            client knows. Each has a key of its own, in a file beside `keyFile` and rotated like that one.
            """)
        return listed.filter { $0 != algorithm }
    }

    /// Reports clients whose ID tokens no key signs.
    func checkAlgorithms(of clients: [ClientEntry], _ findings: Findings) {
        for client in clients {
            guard let wanted = client.client.grants.idTokenAlgorithm, wanted != algorithm,
                !idTokenAlgorithms.contains(wanted)
            else { continue }
            findings.error(
                "\(client.pointer)/idTokenSignedResponseAlg",
                "no key of the token service signs with \(wanted.rawValue)",
                expected: "\(wanted.rawValue) among \"idTokenAlgorithms\" of \"tokenService\"")
        }
    }

    private static func rotation(
        _ object: inout ObjectReader, _ algorithm: SignatureAlgorithm
    ) -> (every: Duration?, published: Duration) {
        let every = object.take(
            "rotateEvery", .duration,
            """
            How long a signing key signs until the gateway replaces it with a new one, such as `"2160h"`; by default it \
            never does. See [Rotating the signing keys](guides/signing-keys.md).
            """)
        let published = object.value(
            "publishKeysFor", .duration, default: .seconds(3600),
            "How long a new signing key is published before it signs, so that all who keep the key set have it then.")
        object.rules(
            .only(
                "rotateEvery", with: .not(hasSecret),
                because: "the \"key\" of \(algorithm.rawValue) cannot be rotated",
                expected: "an algorithm with \"keyFile\""))
        guard let every else { return (nil, published) }
        let duration = every.read()
        if let duration, duration <= published {
            every.field.error(
                "keys would be replaced before they may sign", expected: "a duration longer than \"publishKeysFor\"")
        }
        return (duration, published)
    }

    /// Each gateway looks for new keys every 2 s, and may wait for the server or its disk.
    private static let leastPublication = Duration.seconds(10)

    private static func sharing(
        _ object: inout ObjectReader, _ algorithm: SignatureAlgorithm, _ published: Duration
    ) -> Bool {
        let shares = object.take(
            "sharedKeys", .flag, default: false,
            """
            Whether all gateways with the same `store`, of the kind `\(StoreKinds.names { $0 == .machines })`, have the \
            same signing keys, which go through it sealed by `store.key`. See [Rotating the signing keys](guides/signing-keys.md).
            """)
        object.rules(
            .requires(
                .not(hasSecret), if: .isOn("sharedKeys"), at: "sharedKeys",
                because: "the \"key\" of \(algorithm.rawValue) is not shared by a store",
                expected: "an algorithm with \"keyFile\""))
        guard let shares, shares.read() == true else { return false }
        if !algorithm.isSymmetric, published < leastPublication {
            shares.field.error(
                "keys could sign before all gateways have them", expected: "\"publishKeysFor\" of 10 s or more")
        }
        return true
    }

    /// Whether tokens are signed with the secret `key` instead of the key in `keyFile`.
    private static let hasSecret = KeyCondition.any(
        SignatureAlgorithm.allCases.filter(\.isSymmetric).map { .equals("algorithm", $0.rawValue) })

    /// Reads the secret of an HS algorithm, or the key file of another one.
    private static func signingKey(_ object: inout ObjectReader, _ algorithm: SignatureAlgorithm) -> (
        Secret?, file: String
    ) {
        let key = object.take("key", .secret, "Secret of an HS algorithm, at least as long as its hash.")
        let standardFile = "state/signing.pem"
        let file = object.take(
            "keyFile", .path, default: standardFile,
            "PEM file with the signing key of any other algorithm. It is made where it is missing.")
        let path = file?.read() ?? object.field.findings.path(of: standardFile)
        let name = algorithm.rawValue
        let minimum = algorithm.isSymmetric ? algorithm.minimumSecretLength : 0
        object.rules(
            .only(
                "key", with: hasSecret, because: "\"key\" belongs to HS algorithms",
                expected: "\"keyFile\" for \(name)"),
            .only(
                "keyFile", with: .not(hasSecret), because: "\"keyFile\" belongs to asymmetric algorithms",
                expected: "\"key\" for \(name)"),
            .requires(
                "key", if: hasSecret, because: "\(name) needs \"key\"",
                expected: "a secret of at least \(minimum) bytes"))
        guard algorithm.isSymmetric, let key else { return (nil, path) }
        let secret = key.read()
        if let secret, secret.value.utf8.count < minimum {
            key.field.error(
                "the key is too short for \(name)", expected: "a secret of at least \(minimum) bytes",
                found: "\(secret.value.utf8.count) bytes")
        }
        return (secret, path)
    }
}
