import Bytes
import Configuration
import Declaration
import Model

/// A service domain of Mobile & Social: a circle of applications (OMS-01).
package struct ServiceDomainEntry: Sendable {
    package var name: String
    /// Names of paths that serve it.
    package var services: [String]
    package var isMobile: Bool
    package var authentication: DomainAuthenticationEntry
    /// Whether devices can be wiped: `securityHandler` is `oaam` (OMS-16).
    package var wipesDevices: Bool
    /// Claims of refused devices; all claims of an object must match (OMS-15).
    package var deniedDevices: [[JSONMember]]
    package var applications: [MobileApplicationEntry]
    /// Name of one of the applications.
    package var defaultApplication: String?
    package var limits: ServiceDomainLimits

    /// The application that browsers log in to: the agent (AGT-02), the default application, or the only one.
    package var browserApplication: MobileApplicationEntry? {
        let name = applications.lazy.map(\.settings).agent?.name ?? defaultApplication
        return applications.first { $0.name == name } ?? (applications.count == 1 ? applications[0] : nil)
    }

    /// Its place in the configuration.
    var pointer: String { JSONPointer.child("/serviceDomains", name) }

    static func readAll(_ field: Field) -> [ServiceDomainEntry] {
        let expected = "an object of service domains by name"
        if field.node.members == nil { field.wrongType(expected) }
        return field.object(expected).entries.compactMap { name, place in
            if name.isExactly("$schema"), field.isFileRoot { return nil }
            guard EntryName.isValid(name) else {
                return place.error("invalid name of a service domain \"\(name)\"", expected: EntryName.rule)
            }
            return shape(name).read(place)
        }
    }

    static func shape(_ name: String) -> Shape<ServiceDomainEntry> {
        .object("a service domain: {\"applications\"}") { read(&$0, name) }.named("domain")
    }

    private static func read(_ object: inout ObjectReader, _ name: String) -> ServiceDomainEntry {
        let field = object.field
        let isMobile = object.flag(
            "mobile", default: false, "Whether clients are registered devices, which show a registration handle.")
        let path = Form.named("service", Shape.identifier.form())
        let domain = ServiceDomainEntry(
            name: name,
            services: object.optional(
                "service",
                .texts(.either([path, .list(path)])) { place in
                    place.node.array == nil ? place.entryName().map { [$0] } : place.names { $0.entryName() }
                },
                """
                Names in the path that serve the domain, beside its own name; by default `mobileoamauthentication` for \
                `mobile`, else `oamauthentication`, `jwtauthentication` and `jwtoamauthentication`.
                """)
                ?? (isMobile
                    ? ["mobileoamauthentication"]
                    : ["oamauthentication", "jwtauthentication", "jwtoamauthentication"]),
            isMobile: isMobile,
            authentication: object.optional(
                "authentication", DomainAuthenticationEntry.shape(domain: name), "How users log in.")
                ?? DomainAuthenticationEntry(),
            wipesDevices: object.value(
                "securityHandler", .choice(["oaam", "none"]), default: "none", "With `oaam`, devices can be wiped.")
                == "oaam",
            deniedDevices: object.optional(
                "denyDevices",
                Shape(.list(.map(.schema([]), minimum: 1), isUnique: false), read: { deniedDevices($0) }),
                "Devices that are refused: those whose profile has all claims of one of the objects.") ?? [],
            applications: object.required(
                "applications", MobileApplicationEntry.shapeOfAll, "an object of applications by name", placeholder: [],
                "The applications by name."),
            defaultApplication: object.optional(
                "defaultApplication", .identifier,
                "The application of requests that name none; by default the only one."),
            limits: limits(&object))
        domain.checkConnectivity(JSONPointer.child(field.pointer, "authentication"), field.findings)
        if let standard = domain.defaultApplication, !domain.applications.contains(where: { $0.name == standard }) {
            field.findings.error(
                JSONPointer.child(field.pointer, "defaultApplication"), "unknown application \"\(standard)\"",
                expected: "an application of this domain",
                suggestion: Suggestion.nearest(to: standard, among: domain.applications.map(\.name)))
        }
        return domain
    }

    /// OMS-11: offline logins need the connectivity setting of an application's profile.
    private func checkConnectivity(_ pointer: String, _ findings: Findings) {
        guard let remote = authentication.remote, remote.connectivity != .online,
            !applications.contains(where: { $0.offlineAuthentication == true })
        else { return }
        findings.warning(
            JSONPointer.child(pointer, "offline"), "no application of the domain allows it",
            expected: "\"offlineAuthentication\": true in an application")
    }

    private static func limits(_ object: inout ObjectReader) -> ServiceDomainLimits {
        var limits = ServiceDomainLimits()
        object.read(
            "maxRegistrations", .integer(1...1000, "a number of registrations"), into: &limits.registrations,
            "Registered devices of one user; with one more, the oldest is no longer registered.")
        object.read(
            "maxSessions", .integer(1...1000, "a number of sessions"), into: &limits.sessions,
            """
            Sessions of one user. A further login ends the session that is unused the longest, or the oldest \
            one without an idle time. A new login is never refused.
            """)
        object.read(
            "maxSessionsPerDevice", .integer(1...1000, "a number of sessions"), into: &limits.sessionsPerDevice,
            "Sessions of one user on one device, likewise.")
        return limits
    }

    private static func deniedDevices(_ field: Field) -> [[JSONMember]]? {
        field.elements("an array of objects such as {\"jailbroken\": true}")?.compactMap { element in
            guard let members = element.node.members, !members.isEmpty else {
                return element.wrongType("an object with at least one claim")
            }
            return members
        }
    }
}

/// How users of a service domain log in.
package struct DomainAuthenticationEntry: Sendable {
    /// Default level of a password.
    static let standardLevel = 2

    /// Name of an authentication scheme, which sets the level.
    package var scheme: String?
    /// Nil for the level of the scheme, or the default.
    package var level: Int?
    /// Whether a security question is asked in addition to the password (OMS-14).
    package var asksQuestion = false
    /// Whether a one-time code is asked for.
    package var asksCode = false
    /// Level of a login with a second factor; nil for one above the password's.
    package var strongLevel: Int?
    /// Whether a second factor is asked for only if a higher level is required.
    package var onDemand = false
    /// Nil if the gateway verifies passwords.
    package var remote: RemoteAuthenticationEntry?
    /// Nil if users log in with passwords.
    package var relyingParty: RelyingPartyEntry?

    /// Level of a login by password (CHAL-06).
    package func passwordLevel(_ schemes: [AuthenticationSchemeEntry]) -> Int {
        level ?? schemes.first { $0.name == scheme }?.level ?? DomainAuthenticationEntry.standardLevel
    }

    /// Level of a login with a question or a code in addition to the password (OMS-14).
    package func strongLevel(_ schemes: [AuthenticationSchemeEntry]) -> Int {
        strongLevel ?? min(passwordLevel(schemes) + 1, 10)
    }

    /// The highest level that a login reaches.
    func highestLevel(_ schemes: [AuthenticationSchemeEntry]) -> Int {
        let password = passwordLevel(schemes)
        return asksQuestion || asksCode ? max(password, strongLevel(schemes)) : password
    }

    /// - Parameter domain: name of the domain.
    static func shape(domain: String) -> Shape<DomainAuthenticationEntry> {
        .object("an object with \"scheme\" or \"level\"") { read(&$0, domain) }
    }

    private static func read(_ object: inout ObjectReader, _ domain: String) -> DomainAuthenticationEntry {
        _ = object.value(
            "type", .choice(["local", "remote", "relyingParty"]), default: "local",
            """
            What verifies users: the gateway, [the server of an issuer](guides/remote-users.md), or an \
            [identity provider](guides/identity-providers.md) that browsers are sent to.
            """)
        let schemeMember = object.take(
            "scheme", .reference(to: .authenticationScheme),
            "Name of an authentication scheme, whose level a login has.")
        let levelMember = object.take(
            "level", .level, default: standardLevel, "Level of a login by password, in place of `scheme`.")
        object.rules(.atMostOne(of: "scheme", "level", because: "the level is that of the scheme"))
        let entry = DomainAuthenticationEntry(
            scheme: schemeMember?.read(), level: levelMember?.read(),
            asksQuestion: object.flag(
                "kba", default: false, "Whether a security question is asked beside the password."),
            asksCode: object.flag("otp", default: false, "Whether a one-time code is required beside the password."),
            strongLevel: object.optional(
                "strongLevel", .level, "Level of a login with a second step; by default one more than without."),
            onDemand: object.flag(
                "stepUpOnly", default: false, "Whether the second step is required only for requests of a higher level."
            ),
            remote: object.keys(
                with: .equals("type", "remote"), because: "the gateway verifies passwords itself here",
                expected: "\"type\": \"remote\" beside it", RemoteAuthenticationEntry.read),
            relyingParty: object.keys(
                with: .equals("type", "relyingParty"), because: "the domain uses no identity provider",
                expected: "\"type\": \"relyingParty\" beside it"
            ) { RelyingPartyEntry.read(&$0, domain: domain) })
        return entry
    }
}
