import Bytes
import Declaration
import Model

/// A checked configuration as plain values, from which the composition root builds policy, issuers and workers. File
/// names are absolute, and secrets are resolved.
package struct GatewayConfiguration: Sendable {
    /// The origin under which clients reach the gateway.
    package var baseURL: WebOrigin
    /// Further origins of the gateway itself (CORS-07).
    package var additionalBaseURLs: [WebOrigin]
    /// All origins, `baseURL` first.
    package var origins: [WebOrigin] { [baseURL] + additionalBaseURLs }
    /// Number of event loops; 0 means one per core.
    package var workers: Int
    /// The event notification of the loops.
    package var engine: EngineEntry
    package var listeners: [ListenerEntry]
    /// The authority of their certificates; nil where all are in files.
    package var acme: ACMESection?
    /// Whether changed files cause a reload.
    package var watchesFiles: Bool
    /// The admin listener; nil where none is configured.
    package var admin: AdminSection?
    /// Proxies whose `X-Forwarded-*` and `Forwarded` fields are trusted.
    package var trustedProxies: [IPAddressRange]
    /// The family of fields that these proxies write; fields of the other family are removed.
    package var forwardedFields: ForwardedFamily
    /// Request fields that are removed in addition to the built-in ones; `Name-*` for a prefix.
    package var managedHeaders: [String]
    package var limits: GatewayLimits
    /// Limits that routes name.
    package var rateLimits: [RateLimit]
    package var upstreams: [UpstreamEntry]
    package var challenge: ChallengeSection
    package var tokenCache: TokenCacheSection
    package var issuedTokenCache: IssuedTokenCacheSection
    package var tokenService: TokenServiceSection
    package var sessions: SessionsSection
    /// The look and the texts of pages; nil for the gateway's own.
    package var pages: PageSettings?
    package var store: StoreSection
    package var tokenCleaner: TokenCleanerSection
    package var log: LogSection
    package var cors: CORSSettings
    package var passwords: PasswordsSection
    package var routes: [RouteEntry]
    package var webgates: [WebgateEntry]
    package var authenticationSchemes: [AuthenticationSchemeEntry]
    /// The entries of `backends.json`, and after them those of `clients.json`.
    package var clients: [ClientEntry]
    /// Applications with a key of their own and tokens of their own.
    package var applications: [Application] = []
    package var users: [User]
    package var consumers: [Consumer]
    /// The realms that users and clients may name; nil for any name.
    package var realms: [String]?
    /// The role catalogue (ROLE-04), at most 256 names.
    package var roles: RolesSection
    /// How the gateway's own errors are answered.
    package var errors: ErrorRules
    package var policies: PoliciesSection
    package var issuers: [IssuerEntry]
    package var trustedIssuers: [TrustedIssuerEntry]
    package var identityProviders: [IdentityProviderEntry]
    /// The certificate store.
    package var certificates: [StoredCertificateEntry]
    /// What a reload cannot apply.
    package var startValues = StartValues()
    /// What sections of other targets say, by the type.
    var values: [ObjectIdentifier: any SectionValue] = [:]
    /// What the section of another target says.
    package subscript<Value: SectionValue>(type: Value.Type) -> Value {
        get { values[ObjectIdentifier(type)] as? Value ?? Value() }
        set { values[ObjectIdentifier(type)] = newValue }
    }
    /// Where browsers log in by forms of authentication schemes.
    package var loginDomains: [LoginDomain] = []
    /// Lifetimes, in seconds, of tokens that sections of other targets make.
    package var tokenLifetimes: [Int64] { values.values.flatMap(\.tokenLifetimes) }
}

/// The event notification of the kernel.
package enum EngineEntry: String, Sendable, CaseIterable {
    /// The best engine that is available.
    case auto
    case epoll
    case ioUring = "io_uring"
}

extension GatewayConfiguration {
    /// Sections that may have a file of their own (DEC-02); all others belong in `gateway.json`.
    static let sectionNames = [
        "routes", "webgates", "clients", "backends", "users", "roles", "policies", "issuers", "trustedIssuers",
        "realms",
        "certificates", "authenticationSchemes", "identityProviders", "consumers", "expectations",
    ]

    /// Whether a section is a list; the others are objects.
    static func isList(_ section: String) -> Bool { !["policies", "issuers"].contains(section) }

    /// Reads every section; problems go to `findings`.
    static func read(_ findings: Findings, _ extensions: [SectionExtension]) -> GatewayConfiguration {
        // If the file is unreadable, that was reported, and missing members are not.
        var root =
            findings.sources.gateway.map { Field(node: $0.root, pointer: "", findings: findings).object("an object") }
            ?? ObjectReader(Field(node: JSONNode(.null), pointer: "", findings: findings))
        _ = root.take("$schema")
        var configuration = read(&root, extensions)
        root.finish()
        configuration.startValues = findings.startValues
        return configuration
    }

    /// Declares and reads the members of `gateway.json`, and reads the sections in files of their own.
    static func read(_ root: inout ObjectReader, _ extensions: [SectionExtension]) -> GatewayConfiguration {
        let findings = root.field.findings
        let section = findings.section
        // Before anything that may be a secret.
        findings.secrets.declare(
            root.value(
                "secretPrograms", SecretProgram.list, default: [],
                """
                [Programs that print secrets](guides/secrets.md#secrets), by the name in `program:NAME:KEY`. They run \
                whenever the configuration is read.
                """))
        let baseURL = root.required(
            "baseUrl", .origin, "the gateway's own origin",
            placeholder: .placeholder,
            "The origin under which clients reach the gateway: scheme, host and port.")
        let paths = EndpointPaths.readPrefix(&root)
        let policies = PoliciesSection.read(section("policies"), expecting: section("expectations"))
        let roles = section("roles").map(RolesSection.read) ?? RolesSection()
        // `DirectoryReading` and `EnvironmentExpansion` need these before the sections are read.
        _ = root.value(
            "optionalFiles", .sectionFiles(of: extensions.sectionNames), default: [],
            """
            Files of sections that may be missing at a [reload](guides/reload.md#reload), which then empties the section \
            instead of failing.
            """)
        _ = root.value(
            EnvironmentExpansion.key, EnvironmentExpansion.names, default: [],
            """
            Names of the [variables of the environment](guides/secrets.md#variables-of-the-environment) that other files than \
            this one may use; a `*` at the end stands for any rest.
            """)
        var configuration = GatewayConfiguration(
            baseURL: baseURL,
            additionalBaseURLs: root.value(
                "additionalBaseUrls", Shape.origin.list("an array of origins", isUnique: false), default: [],
                "Further origins of the gateway itself. Browsers log in at their hosts and that of `baseUrl` only."),
            workers: root.value(
                "workers", .integer(0...256, "a number of workers").atStart(), default: 0,
                """
                Number of event loops. 0 means one per core, or the processor quota of the control group, rounded \
                up (`cpu.max`, `limits.cpu` of Kubernetes).
                """),
            engine: root.value(
                "engine", .choice.atStart(), default: EngineEntry.auto,
                """
                Interface to the kernel of the event loops. `io_uring` needs Linux 6.1 or later and a sandbox that \
                allows it; otherwise the start fails. `auto` uses the variable `PORTCULLIS_ENGINE` (`epoll` or \
                `io_uring`), else `io_uring` if it is available, else `epoll`. The event `ready` names the engine.
                """),
            listeners: root.required(
                "listeners", ListenerEntry.list, "an array of listeners", placeholder: [],
                "Sockets that clients connect to; at least one serves routes."),
            acme: ACMESection.read(&root),
            watchesFiles: root.flag(
                "watchFiles", default: false,
                """
                Whether the gateway [reloads](guides/reload.md#reload) by itself when files of the configuration, or files that it \
                names, change.
                """),
            admin: root.optional(
                "admin", AdminSection.shape, "The listener for health, metrics and administration; none by default."),
            trustedProxies: root.value(
                "trustedProxies", .addressBlocks, default: [],
                "Proxies whose forwarding fields are trusted, as CIDR blocks; never all addresses."),
            forwardedFields: root.value(
                "forwardedFields", .choice, default: ForwardedFamily.xForwarded,
                """
                Which fields these proxies write: `X-Forwarded-For`, `-Proto` and `-Host`, or `Forwarded` (RFC 7239). The \
                others are removed unread.
                """),
            managedHeaders: root.value(
                "managedHeaders",
                .texts(.list(.pattern("^[A-Za-z0-9!#$%&'+.^_`|~-]{2,}(-\\*)?$"), isUnique: false)) {
                    $0.managedHeaders()
                },
                default: [],
                """
                Names of request fields that are [removed](guides/upstreams.md#fields-that-are-removed) beside the well-known ones; \
                `Name-*` stands for all names with that prefix.
                """),
            limits: root.section(
                "limits", "Limits of what one client may use.", expected: "an object of limits", GatewayLimits.read),
            rateLimits: root.value(
                "rateLimits", RateLimit.list, default: [], "Rate limits by name, for the `rateLimit` of routes."),
            upstreams: root.value("upstreams", UpstreamEntry.list, default: [], "Servers behind the gateway, by name."),
            challenge: root.section(
                "challenge",
                """
                Keys that [seal](guides/keys.md#sealing-keys) what clients carry: `request-ctx` of challenges, session cookies, \
                login forms, logins between two steps.
                """, ChallengeSection.read
            ).proving(
                root.section(
                    "dpop", "How [proofs of possession](guides/bound-tokens.md) are checked.", ProofSection.read)),
            tokenCache: root.section(
                "tokenCache", "The cache of verified client tokens.", TokenCacheSection.read),
            issuedTokenCache: root.section(
                "issuedTokenCache", "The cache of tokens issued for upstreams.", IssuedTokenCacheSection.read),
            tokenService: root.section("tokenService", "The gateway's own token service.") { object in
                TokenServiceSection.read(&object, baseURL: baseURL, paths)
            },
            sessions: root.section(
                "sessions", "Sessions of [browsers that log in](guides/browser-login.md).", SessionsSection.read),
            pages: root.optional(
                "pages", PageSettings.shape,
                "Name, logo, colour, links and texts of the gateway's [pages](guides/login-pages.md)."),
            store: root.section("store", "Where tokens and revocations are kept.", StoreSection.read),
            tokenCleaner: root.section(
                "tokenCleaner", "Deletion of expired tokens, daily and at the start.",
                expected: "an object with \"enabled\" and \"at\"", TokenCleanerSection.read),
            log: root.section("log", "Logs.", LogSection.read).tracing(
                root.optional(
                    "tracing", TracingEntry.shape,
                    """
                    [Traces](../deploy/docs/monitoring.md#traces): spans of requests for a collector of OpenTelemetry; none by \
                    default.
                    """)),
            cors: root.section(
                "cors", "Cross-origin requests, beside `Security_AllowOrigin`.", CORSSettings.read),
            passwords: root.section("passwords", "How passwords are checked.", PasswordsSection.read),
            routes: section("routes").map { RouteEntry.readAll($0, keys: extensions.routeKeys) } ?? [],
            webgates: section("webgates").map(WebgateEntry.readAll) ?? [],
            authenticationSchemes: section("authenticationSchemes").map(AuthenticationSchemeEntry.readAll) ?? [],
            clients: ClientEntry.readAll(
                backends: section("backends"), clients: section("clients"), keys: extensions.backendKeys),
            users: section("users").map(User.readAll) ?? [],
            consumers: section("consumers").map(Consumer.readAll) ?? [],
            realms: section("realms").map { $0.names("an array of names of realms") ?? [] }, roles: roles,
            errors: ErrorRules.read(&root, of: "the gateway's own errors on routes, and without one"),
            policies: policies.asking(
                root.value(
                    "policyServers", PolicyServerEntry.list, default: [],
                    "[Policy servers](guides/policy-servers.md) by name, for the `policy` of routes.")),
            issuers: section("issuers").map(IssuerEntry.readAll) ?? [],
            trustedIssuers: section("trustedIssuers").map(TrustedIssuerEntry.readAll) ?? [],
            identityProviders: section("identityProviders").map(IdentityProviderEntry.readAll) ?? [],
            certificates: section("certificates").map(StoredCertificateEntry.readAll) ?? []
        )
        extensions.read(&root, into: &configuration)
        for name in sectionNames { root.takeSection(name, isList: isList(name)) }
        return configuration
    }
}

extension Shape<[String]> {
    /// File names of sections.
    static func sectionFiles(of sections: [String]) -> Shape {
        let files = sections.map { "\($0).json" }
        return texts(.list(.choice(files))) { field in
            field.names("an array of file names") { element in
                guard let name = element.text("the name of a section's file") else { return nil }
                guard files.contains(name) else {
                    return element.invalid(
                        "the name of a section's file, such as \"users.json\"",
                        suggestion: Suggestion.nearest(to: name, among: files))
                }
                return name
            }
        }
    }
}
