import Bytes

/// A circle of applications of Mobile & Social (OMS-01).
package struct ServiceDomainEntry: Sendable {
    package var name: String
    /// Names of paths that serve it.
    package var services: [String]
    package var isMobile: Bool
    package var authentication: DomainAuthenticationEntry
    /// Whether its devices can be wiped: `securityHandler` is `oaam` (OMS-16).
    package var wipesDevices: Bool
    /// Claims of devices that are turned away, those of one object together (OMS-15).
    package var deniedDevices: [[JSONMember]]
    package var applications: [MobileApplicationEntry]
    /// Name of one of the applications.
    package var defaultApplication: String?
    /// How many registrations and sessions a user has here, and sessions on one device; with one more the oldest ends.
    package var maximumRegistrations: Int
    package var maximumSessions: Int
    package var maximumSessionsPerDevice: Int

    /// The application that browsers log in to: the agent, which logs in for the others (AGT-02), or that of requests which
    /// name none, or the only one.
    package var browserApplication: MobileApplicationEntry? {
        let agent = applications.filter { $0.participates && $0.agentPriority != nil }
            .min { ($0.agentPriority ?? 0, $0.name) < ($1.agentPriority ?? 0, $1.name) }
        let named = applications.first { $0.name == defaultApplication }
        return agent ?? named ?? (applications.count == 1 ? applications[0] : nil)
    }

    static func readAll(_ field: Field) -> [ServiceDomainEntry] {
        let expected = "an object of service domains by name"
        if field.node.members == nil { field.wrongType(expected) }
        return field.object(expected).entries.compactMap { name, place in
            if name.utf8.elementsEqual("$schema".utf8), field.isFileRoot { return nil }
            guard WebgateEntry.isName(name) else {
                place.error("invalid name of a service domain \"\(name)\"", expected: WebgateEntry.nameRule)
                return nil
            }
            return read(name, place)
        }
    }

    private static func read(_ name: String, _ field: Field) -> ServiceDomainEntry {
        var object = field.object("a service domain: {\"applications\"}")
        let isMobile = object.flag("mobile", default: false)
        let domain = ServiceDomainEntry(
            name: name,
            services: object.value(
                "service",
                default: isMobile
                    ? ["mobileoamauthentication"]
                    : ["oamauthentication", "jwtauthentication", "jwtoamauthentication"]
            ) { place in
                place.node.array == nil ? place.webgateName().map { [$0] } : place.names { $0.webgateName() }
            },
            isMobile: isMobile,
            authentication: object.value(
                "authentication", default: DomainAuthenticationEntry()
            ) { DomainAuthenticationEntry.read($0, domain: name) },
            wipesDevices: object.optional("securityHandler") { $0.choice(["oaam", "none"]) } == "oaam",
            deniedDevices: object.value("denyDevices", default: [], deniedDevices),
            applications: object.required(
                "applications", "an object of applications by name", standIn: [], MobileApplicationEntry.readAll),
            defaultApplication: object.optional("defaultApplication") { $0.webgateName() },
            maximumRegistrations: object.count(
                "maxRegistrations", in: 1...1000, default: 50, "a number of registrations"),
            maximumSessions: object.count("maxSessions", in: 1...1000, default: 100, "a number of sessions"),
            maximumSessionsPerDevice: object.count(
                "maxSessionsPerDevice", in: 1...1000, default: 20, "a number of sessions"))
        domain.checkConnectivity(JSONPointer.child(field.pointer, "authentication"), field.findings)
        if let standard = domain.defaultApplication, !domain.applications.contains(where: { $0.name == standard }) {
            field.findings.error(
                JSONPointer.child(field.pointer, "defaultApplication"), "unknown application \"\(standard)\"",
                expected: "an application of this domain",
                suggestion: Suggestion.nearest(to: standard, among: domain.applications.map(\.name)))
        }
        object.finish()
        return domain
    }

    private static func deniedDevices(_ field: Field) -> [[JSONMember]]? {
        field.elements("an array of objects such as {\"jailbroken\": true}")?.compactMap { element in
            guard let members = element.node.members, !members.isEmpty else {
                element.wrongType("an object with at least one claim")
                return nil
            }
            return members
        }
    }
}

/// How users of a service domain log in.
package struct DomainAuthenticationEntry: Sendable {
    /// Level of a password where nobody says another one.
    static let standardLevel = 2

    /// Name of an authentication scheme; the level is its level then.
    package var scheme: String?
    /// Nil where the scheme says it, or nobody does.
    package var level: Int?
    /// Whether a question is asked beside the password (OMS-14).
    package var asksQuestion = false
    /// Whether a one-time code is.
    package var asksCode = false
    /// Level of a login with one of these; nil for one more than the password's.
    package var strongLevel: Int?
    /// Whether they are asked for only where a higher level is wanted.
    package var onDemand = false
    /// Nil where the gateway verifies passwords itself.
    package var remote: RemoteAuthenticationEntry?
    /// Nil where users have passwords.
    package var relyingParty: RelyingPartyEntry?

    /// - Parameter domain: name of the domain.
    static func read(_ field: Field, domain: String) -> DomainAuthenticationEntry? {
        var object = field.object("an object with \"scheme\" or \"level\"")
        let type = object.optional("type") { $0.choice(["local", "remote", "relyingParty"]) }
        let schemeField = object.take("scheme")
        let levelField = object.take("level")
        let entry = DomainAuthenticationEntry(
            scheme: schemeField.flatMap { $0.reference(to: .authenticationScheme) },
            level: levelField.flatMap { $0.level() },
            asksQuestion: object.flag("kba", default: false), asksCode: object.flag("otp", default: false),
            strongLevel: object.optional("strongLevel") { $0.level() },
            onDemand: object.flag("stepUpOnly", default: false),
            remote: RemoteAuthenticationEntry.read(&object, isRemote: type == "remote"),
            relyingParty: RelyingPartyEntry.read(&object, domain: domain, isWanted: type == "relyingParty"))
        if schemeField != nil, levelField != nil {
            levelField?.error("the level is that of the scheme", expected: "either \"scheme\" or \"level\"")
        }
        object.finish()
        return entry
    }
}
