import Bytes

/// A piece of the API and who may call it.
package struct RouteEntry: Sendable {
    package var name: String
    /// Names, or `*.` and a name; empty for any host.
    package var hosts: [String]
    /// Literal segments, `*`, and a final `**`.
    package var path: String
    /// Methods and their rules in the order of the file; empty for all methods.
    package var methods: [MethodEntry]
    package var upstream: String
    package var webgate: String?
    /// Name of the scheme whose level the route asks for, in the place of the webgate's (SCH-03).
    package var authenticationScheme: String?
    /// `name/version` of the backends the route belongs to, from both sides of the association (MBE-07).
    package var backends: [String]
    /// The ApiOmat application whose tokens open the route (AOM-16); nil for a route that takes none of them.
    package var application: String?
    /// The rule of methods that have none of their own.
    package var access: AccessEntry
    /// Overrides `Security_AllowOrigin` (CORS-10).
    package var allowOrigin: String?
    package var injection: InjectionEntry?
    /// That the upstream is behind a Webgate, whose challenges the gateway answers (CACHE-08).
    package var upstreamAuth: UpstreamAuthEntry?
    /// Whether the client's own credential goes to the upstream too.
    package var forwardCredential: Bool
    /// Whether the upstream is told what the client's certificate says.
    package var forwardClientCertificate: Bool
    package var maximumBodyBytes: Int?
    package var responseTimeout: Duration?
    /// Protocols that a connection may change to (RFC 9110 section 7.8), in lower case.
    package var upgrades: [String]
    package var rateLimits: [RouteRateLimit]
    /// Warnings about the route that are meant.
    var acknowledged: [AcknowledgedWarning]

    static func readAll(_ field: Field) -> [RouteEntry] {
        var routes: [RouteEntry] = []
        var indices: [String: Int] = [:]
        for element in field.elements("an array of routes") ?? [] {
            let route = read(element)
            if !route.name.isEmpty, let other = indices[route.name] {
                element.error(
                    "duplicate route name \"\(route.name)\", as at \(field.pointer)/\(other)",
                    expected: "a unique \"name\", which is the path where none is given")
            } else {
                indices[route.name] = routes.count
            }
            routes.append(route)
        }
        return routes
    }

    private static func read(_ field: Field) -> RouteEntry {
        var object = field.object("a route: {\"path\", \"upstream\"}")
        let path = object.required("path", "a path pattern", standIn: "", path)
        let access = AccessEntry.read(&object, inherited: nil)
        let route = RouteEntry(
            name: object.value("name", default: path) { $0.name() },
            hosts: object.value("hosts", default: [], hosts),
            path: path,
            methods: object.value("methods", default: []) { MethodEntry.readAll($0, access) },
            upstream: object.required("upstream", "the name of an upstream", standIn: "") {
                $0.reference(to: .upstream)
            },
            webgate: object.optional("webgate") { $0.reference(to: .webgate) },
            authenticationScheme: object.optional("authenticationScheme") {
                $0.reference(to: .authenticationScheme)
            },
            backends: object.value("backends", default: []) { $0.references(to: .backend) },
            application: object.optional("application") { $0.reference(to: .application) },
            access: access,
            allowOrigin: object.optional("allowOrigin") { $0.originPatterns() },
            injection: object.optional("injection", InjectionEntry.read),
            upstreamAuth: object.optional("upstreamAuth", UpstreamAuthEntry.read),
            forwardCredential: object.flag("forwardCredential", default: false),
            forwardClientCertificate: object.flag("forwardClientCertificate", default: false),
            maximumBodyBytes: object.optional("maxBodyBytes") { $0.size(in: 0...Int.max) },
            responseTimeout: object.optional("responseTimeout") { $0.duration() },
            upgrades: object.value("upgrades", default: ["websocket"]) { $0.upgrades() },
            rateLimits: object.value("rateLimit", default: [], RouteRateLimit.readAll),
            acknowledged: object.value("acknowledge", default: [], AcknowledgedWarning.readAll)
        )
        object.finish()
        return route
    }

    private static func path(_ field: Field) -> String? {
        let expected = "a pattern such as \"/items/*\" or \"/inventory/**\""
        guard let path = field.text(expected) else { return nil }
        if let problem = PathPattern.problem(path) {
            field.error("invalid path pattern: \(problem)", expected: expected, found: field.summary)
            return nil
        }
        return path
    }

    private static func hosts(_ field: Field) -> [String]? {
        let expected = "a host name such as \"api.example.com\" or \"*.example.com\", without port"
        guard let elements = field.elements("an array of host names") else { return nil }
        if elements.isEmpty { field.error("the list is empty", expected: "at least one host, or no \"hosts\"") }
        return elements.compactMap { element in
            guard let text = element.text(expected) else { return nil }
            let host = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
            guard WebOrigin.isHostName(host) || IPLiteral(text) != nil else {
                element.invalid(expected)
                return nil
            }
            return text.lowercased()
        }
    }
}

/// A warning that an operator has read and decided about.
enum AcknowledgedWarning: String, Sendable, CaseIterable {
    /// Another spelling of the path falls under a wider route that asks for less.
    case weakerVariants = "weaker-variants"
    /// The gateway answers some paths of the route itself.
    case endpointsInside = "endpoints-inside"

    static func readAll(_ field: Field) -> [AcknowledgedWarning]? {
        field.names("an array of warnings") { $0.choice(AcknowledgedWarning.self)?.rawValue }?
            .compactMap(AcknowledgedWarning.init)
    }
}

/// One method of a route.
package struct MethodEntry: Sendable {
    package var method: String
    /// The rule of the route with the method's own changes.
    package var access: AccessEntry

    static func readAll(_ field: Field, _ access: AccessEntry) -> [MethodEntry]? {
        let expected = "an array of methods, or an object of rules by method"
        if field.node.array?.isEmpty == false {
            return field.names(expected) { element in element.name().flatMap(element.methodName) }?
                .map { MethodEntry(method: $0, access: access) }
        }
        guard let members = field.node.members, !members.isEmpty else {
            field.node.array == nil && field.node.members == nil
                ? field.wrongType(expected) : field.error("no method", expected: expected)
            return nil
        }
        return field.object(expected).entries.compactMap { name, place in
            var object = place.object("a rule: {\"roles\", \"loginRequired\", \"public\", \"level\"}")
            let own = AccessEntry.read(&object, inherited: access)
            object.finish()
            return place.methodName(name).map { MethodEntry(method: $0, access: own) }
        }
    }
}
