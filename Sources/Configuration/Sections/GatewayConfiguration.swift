import Bytes

/// A whole configuration, checked: plain values that the composition root turns into policy, issuers and workers.
/// File names in it are absolute, secrets are resolved.
package struct GatewayConfiguration: Sendable {
    /// The origin under which clients reach the gateway.
    package var baseURL: WebOrigin
    /// Further origins of the gateway itself (CORS-07).
    package var additionalBaseURLs: [WebOrigin]
    /// Number of event loops; 0 means one per core.
    package var workers: Int
    /// What these stand on.
    package var engine: EngineEntry
    package var listeners: [ListenerEntry]
    /// Files of sections that may go missing while the gateway runs.
    package var optionalFiles: [String]
    /// The admin listener; nil where none is configured.
    package var admin: AdminSection?
    /// Proxies whose `X-Forwarded-*` and `Forwarded` fields are to be believed.
    package var trustedProxies: [AddressBlock]
    /// Which of the two families of fields these proxies write; the other one is removed unread.
    package var forwardedFields: ForwardedFieldsEntry
    /// Names of request fields that are removed beside the well-known ones; `Name-*` for all that begin so.
    package var managedHeaders: [String]
    package var limits: LimitsSection
    /// Limits that routes name.
    package var rateLimits: [RateLimitEntry]
    package var upstreams: [UpstreamEntry]
    package var challenge: ChallengeSection
    package var tokenCache: TokenCacheSection
    package var issuedTokenCache: IssuedTokenCacheSection
    package var tokenService: TokenServiceSection
    package var singleSignOn: SingleSignOnSection
    package var store: StoreSection
    package var tokenCleaner: TokenCleanerSection
    package var log: LogSection
    package var cors: CORSSection
    package var passwords: PasswordsSection
    package var routes: [RouteEntry]
    package var webgates: [WebgateEntry]
    package var authenticationSchemes: [AuthenticationSchemeEntry]
    package var serviceDomains: [ServiceDomainEntry]
    package var backends: [BackendEntry]
    package var applications: [ApplicationEntry]
    package var users: [UserEntry]
    /// The realms that users and backends may name; nil where any name will do (MBE-09, MBE-10).
    package var realms: [String]?
    /// The role catalogue (ROLE-04), at most 256 names.
    package var roles: [String]
    /// What roles are for, by name (UPS-05).
    package var roleDescriptions: [String: String]
    package var userProfile: UserProfileSection
    package var policies: PoliciesSection
    package var issuers: [IssuerEntry]
    package var trustedIssuers: [TrustedIssuerEntry]
    package var identityProviders: [IdentityProviderEntry]
    /// The certificate store.
    package var certificates: [StoredCertificateEntry]
}

/// How event loops ask the kernel.
package enum EngineEntry: String, Sendable, CaseIterable {
    /// What is best where the gateway runs.
    case auto
    case epoll
    case ioUring = "io_uring"
}

/// How proxies tell of the client before them.
package enum ForwardedFieldsEntry: String, Sendable, CaseIterable {
    /// `X-Forwarded-For`, `-Proto` and `-Host`.
    case xForwarded = "x-forwarded"
    /// `Forwarded` of RFC 7239.
    case forwarded
}

extension GatewayConfiguration {
    /// Sections that may stand in a file of their own (DEC-02); all others belong in `gateway.json`.
    static let sectionNames = [
        "routes", "webgates", "backends", "applications", "users", "roles", "policies", "issuers", "trustedIssuers",
        "realms", "certificates", "authenticationSchemes", "serviceDomains", "identityProviders",
    ]

    /// Whether a section is a list; the others are objects.
    static func isList(_ section: String) -> Bool { !["policies", "issuers", "serviceDomains"].contains(section) }

    /// Reads every section; problems go to `findings`.
    static func read(_ findings: Findings) -> GatewayConfiguration {
        var root = rootReader(findings)
        _ = root.take("$schema")
        let sections = sections(&root, findings)
        let baseURL = baseURL(&root)
        let policies = sections["policies"].map(PoliciesSection.read) ?? PoliciesSection()
        let roles = sections["roles"].map(RolesSection.read) ?? RolesSection()
        let configuration = GatewayConfiguration(
            baseURL: baseURL,
            additionalBaseURLs: root.value("additionalBaseUrls", default: []) { $0.origins() },
            workers: root.value("workers", default: 0) { $0.integer(in: 0...256, "a number of workers") },
            engine: root.value("engine", default: .auto) { $0.choice(EngineEntry.self) },
            listeners: root.required("listeners", "an array of listeners", standIn: [], ListenerEntry.readAll),
            optionalFiles: root.value("optionalFiles", default: []) {
                $0.names("an array of file names") { $0.sectionFile() }
            },
            admin: root.optional("admin", AdminSection.read),
            trustedProxies: root.value("trustedProxies", default: []) { $0.addressBlocks() },
            forwardedFields: root.value("forwardedFields", default: .xForwarded) {
                $0.choice(ForwardedFieldsEntry.self)
            },
            managedHeaders: root.value("managedHeaders", default: []) { $0.managedHeaders() },
            limits: root.value("limits", default: LimitsSection(), LimitsSection.read),
            rateLimits: root.value("rateLimits", default: [], RateLimitEntry.readAll),
            upstreams: root.value("upstreams", default: [], UpstreamEntry.readAll),
            challenge: ChallengeSection.read(root.take("challenge"), findings),
            tokenCache: root.value("tokenCache", default: TokenCacheSection(), TokenCacheSection.read),
            issuedTokenCache: root.value(
                "issuedTokenCache", default: IssuedTokenCacheSection(), IssuedTokenCacheSection.read),
            tokenService: TokenServiceSection.read(root.take("tokenService"), findings, baseURL: baseURL),
            singleSignOn: root.value("singleSignOn", default: SingleSignOnSection(), SingleSignOnSection.read),
            store: StoreSection.read(root.take("store"), findings),
            tokenCleaner: root.value("tokenCleaner", default: TokenCleanerSection(), TokenCleanerSection.read),
            log: root.value("log", default: LogSection(), LogSection.read),
            cors: root.value("cors", default: CORSSection(), CORSSection.read),
            passwords: root.value("passwords", default: PasswordsSection(), PasswordsSection.read),
            routes: sections["routes"].map(RouteEntry.readAll) ?? [],
            webgates: sections["webgates"].map(WebgateEntry.readAll) ?? [],
            authenticationSchemes: sections["authenticationSchemes"].map(AuthenticationSchemeEntry.readAll) ?? [],
            serviceDomains: sections["serviceDomains"].map(ServiceDomainEntry.readAll) ?? [],
            backends: sections["backends"].map(BackendEntry.readAll) ?? [],
            applications: sections["applications"].map(ApplicationEntry.readAll) ?? [],
            users: sections["users"].map(UserEntry.readAll) ?? [],
            realms: sections["realms"].map { $0.names("an array of names of realms") ?? [] },
            roles: roles.names, roleDescriptions: roles.descriptions,
            userProfile: root.value("userProfile", default: UserProfileSection(), UserProfileSection.read),
            policies: policies,
            issuers: sections["issuers"].map(IssuerEntry.readAll) ?? [],
            trustedIssuers: sections["trustedIssuers"].map(TrustedIssuerEntry.readAll) ?? [],
            identityProviders: sections["identityProviders"].map(IdentityProviderEntry.readAll) ?? [],
            certificates: sections["certificates"].map(StoredCertificateEntry.readAll) ?? []
        )
        root.finish()
        return configuration
    }

    /// The members of `gateway.json`. Where the file could not be read, that has been reported, and nothing is missing.
    private static func rootReader(_ findings: Findings) -> ObjectReader {
        guard let file = findings.sources.gateway else {
            return ObjectReader(Field(node: JSONNode(.null), pointer: "", findings: findings))
        }
        return Field(node: file.root, pointer: "", findings: findings).object("an object")
    }

    private static func baseURL(_ root: inout ObjectReader) -> WebOrigin {
        let standIn = WebOrigin(isSecure: false, host: "localhost", port: 80)
        return root.required("baseUrl", "the gateway's own origin", standIn: standIn) { $0.origin() }
    }

    /// The sections that may have their own file, wherever they stand.
    private static func sections(_ root: inout ObjectReader, _ findings: Findings) -> [String: Field] {
        var sections: [String: Field] = [:]
        for name in sectionNames {
            let inline = root.take(name)
            if let file = findings.sources.sections[name] {
                sections[name] = Field(node: file.root, pointer: "/\(name)", findings: findings)
            } else {
                sections[name] = inline
            }
        }
        return sections
    }
}

extension Field {
    /// Whether this object is the root of a file and may name its schema.
    var isFileRoot: Bool { findings.sources.sections[String(pointer.dropFirst())] != nil }

    /// Name of a file that a section may stand in.
    func sectionFile() -> String? {
        let files = GatewayConfiguration.sectionNames.map { "\($0).json" }
        guard let name = text("the name of a section's file") else { return nil }
        guard files.contains(name) else {
            invalid(
                "the name of a section's file, such as \"users.json\"",
                suggestion: Suggestion.nearest(to: name, among: files))
            return nil
        }
        return name
    }

    func origins() -> [WebOrigin]? { elements("an array of origins")?.compactMap { $0.origin() } }

    func addressBlocks() -> [AddressBlock]? { elements("an array of CIDR blocks")?.compactMap { $0.addressBlock() } }
}
