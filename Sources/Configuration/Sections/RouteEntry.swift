import Bytes
import Model

/// A part of the API and its requirements.
package struct RouteEntry: Sendable {
    package var name: String
    /// Each once; empty for any host.
    package var hosts: [HostPattern]
    package var path: PathPattern
    /// Methods and their rules in the order of the file; empty for all methods.
    package var methods: [MethodEntry]
    package var upstream: String
    package var webgate: String?
    /// Name of the scheme whose level the route requires, instead of the webgate's (SCH-03).
    package var authenticationScheme: String?
    /// `name/version` of the backends of the route, from both sides of the association (MBE-07).
    package var backends: [String]
    /// The ApiOmat application whose tokens the route accepts (AOM-16).
    package var application: String?
    /// The rule of methods without one of their own.
    package var access: AccessEntry
    /// Overrides `Security_AllowOrigin` (CORS-10).
    package var allowOrigin: AllowOriginPolicy?
    package var injection: InjectionEntry?
    /// Set if the upstream is behind a Webgate, whose challenges the gateway answers (CACHE-08).
    package var upstreamAuth: UpstreamAuthEntry?
    /// Whether the client's credential is forwarded to the upstream.
    package var forwardCredential: Bool
    /// Whether the client's certificate is described to the upstream.
    package var forwardClientCertificate: Bool
    package var maximumBodyBytes: Int?
    package var responseTimeout: Duration?
    /// Protocols of `Upgrade` (RFC 9110 section 7.8), in lower case.
    package var upgrades: [String]
    package var rateLimits: [RouteRateLimit]
    /// Warnings about the route that the operator has accepted.
    var acknowledged: [AcknowledgedWarning]

    static func readAll(_ field: Field) -> [RouteEntry] {
        var routes: [RouteEntry] = []
        var indices: [String: Int] = [:]
        for element in field.elements("an array of routes") ?? [] {
            guard let route = shape.read(element) else { continue }
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

    static let shape = Shape.object("a route: {\"path\", \"upstream\"}") { object in
        let path = object.required(
            "path", Shape(.pattern("^/"), read: path), "a path pattern", placeholder: .nothing,
            "Literal segments, `*` for exactly one segment, `**` at the end for zero or more.")
        let access = AccessEntry.read(&object, inherited: nil)
        return RouteEntry(
            name: object.optional("name", .name, "Unique name in logs and metrics; the path by default.") ?? path.text,
            hosts: object.optional(
                "hosts", Shape(.list(.text, minimum: 1, isUnique: false), read: hosts),
                "Host names such as `api.example.com` or `*.example.com`, without port; any host by default.") ?? [],
            path: path,
            methods: object.optional(
                "methods", MethodEntry.shape(access),
                "A list of methods, or an object with rules by method; all methods by default. GET includes HEAD.")
                ?? [],
            upstream: object.required(
                "upstream", .reference(to: .upstream), "the name of an upstream", placeholder: "",
                "Name of an upstream in `gateway.json`."),
            webgate: object.optional(
                "webgate", .reference(to: .webgate),
                "Name of a webgate in `webgates.json`, which gives the challenge, the level and the injection."),
            authenticationScheme: object.optional(
                "authenticationScheme", .reference(to: .authenticationScheme),
                "Name of a scheme whose level the route requires, in place of the webgate's."),
            backends: object.value(
                "backends", .references(to: .backend), default: [],
                "Backends whose credentials open the route, as `name/version`; an empty list means any."),
            application: object.optional(
                "application", .reference(to: .application),
                """
                Name of the ApiOmat application whose tokens, and no other credentials, open the route. Requests need \
                `X-Apiomat-Apikey` beside them.
                """),
            access: access,
            allowOrigin: object.optional(
                "allowOrigin", Shape(.text, read: { $0.allowedOrigins() }),
                "Overrides `Security_AllowOrigin` for this route."),
            injection: object.optional(
                "injection", InjectionEntry.shape,
                "Which token the upstream gets, and how; the webgate's by default."),
            upstreamAuth: object.optional(
                "upstreamAuth", UpstreamAuthEntry.shape,
                """
                The upstream is [behind a Webgate](README.md#upstreams-behind-a-webgate) of its own, whose challenges the \
                gateway answers with tokens of the injection's issuer.
                """),
            forwardCredential: object.flag(
                "forwardCredential", default: false, "Whether the client's own credential is forwarded to the upstream."
            ),
            forwardClientCertificate: object.flag(
                "forwardClientCertificate", default: false,
                """
                Whether `X-Gateway-Client-Subject`, `-Names` and `-Fingerprint` tell the upstream what the client's \
                certificate says.
                """),
            maximumBodyBytes: object.optional(
                "maxBodyBytes", .size(in: 0...Int.max),
                "Largest request body, in place of the limit of `gateway.json`; 0 means no limit."),
            responseTimeout: object.optional(
                "responseTimeout", .duration, "Time until the response begins, in place of the upstream's."),
            upgrades: object.value(
                "upgrades", .upgrades, default: ["websocket"],
                "Protocols that a connection may change to; `[]` for none."),
            rateLimits: object.optional(
                "rateLimit", RouteRateLimit.shape,
                "Limits of the rate of requests, each the name of one of `rateLimits` or the route's own.") ?? [],
            acknowledged: object.value(
                "acknowledge", AcknowledgedWarning.shape, default: [],
                """
                Warnings of `check` about this route that are known and accepted: `weaker-variants` (another spelling of \
                its path matches a wider route that requires less), `endpoints-inside` (the gateway answers some of its \
                paths itself).
                """)
        )
    }

    private static func path(_ field: Field) -> PathPattern? {
        let expected = "a pattern such as \"/items/*\" or \"/inventory/**\""
        guard let text = field.text(expected) else { return nil }
        do throws(PathPattern.Problem) {
            return try PathPattern(text)
        } catch {
            return field.error("invalid path pattern: \(error.rawValue)", expected: expected, found: field.summary)
        }
    }

    private static func hosts(_ field: Field) -> [HostPattern]? {
        let expected = "a host name such as \"api.example.com\" or \"*.example.com\", without port"
        guard let elements = field.elements("an array of host names") else { return nil }
        if elements.isEmpty { field.error("the list is empty", expected: "at least one host, or no \"hosts\"") }
        var hosts: [HostPattern] = []
        for element in elements {
            guard let text = element.text(expected) else { continue }
            if let host = HostPattern(text), !text.hasPrefix("[") {
                if !hosts.contains(host) { hosts.append(host) }
            } else {
                element.invalid(expected)
            }
        }
        return hosts
    }
}

/// A warning that an operator may accept.
enum AcknowledgedWarning: String, Sendable, CaseIterable {
    /// Another spelling of the path matches a wider route with weaker requirements.
    case weakerVariants = "weaker-variants"
    /// The gateway answers some paths of the route itself.
    case endpointsInside = "endpoints-inside"

    static let shape = Shape<AcknowledgedWarning>.choice.list("an array of warnings").reading { field in
        field.names("an array of warnings") { $0.choice(AcknowledgedWarning.self)?.rawValue }?
            .compactMap(AcknowledgedWarning.init)
    }
}

/// One method of a route.
package struct MethodEntry: Sendable {
    package var method: String
    /// The rule of the route with the changes of the method.
    package var access: AccessEntry

    /// - Parameter access: of the route.
    static func shape(_ access: AccessEntry) -> Shape<[MethodEntry]> {
        let rule = rule(access)
        return Shape(
            .either([
                .list(.pattern(name), minimum: 1),
                .map(.named("rule", rule.form()), names: name, minimum: 1),
            ]),
            read: { readAll($0, access, rule) })
    }

    private static let name = "^[A-Z!#$%&'*+.^_`|~0-9-]+$"

    private static func rule(_ access: AccessEntry) -> Shape<AccessEntry> {
        .object("a rule: {\"roles\", \"loginRequired\", \"public\", \"level\"}") { object in
            AccessEntry.read(&object, inherited: access)
        }
        .described("The rule of one method; what it does not name is the route's.")
    }

    private static func readAll(_ field: Field, _ access: AccessEntry, _ rule: Shape<AccessEntry>) -> [MethodEntry]? {
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
            guard let own = rule.read(place) else { return nil }
            return place.methodName(name).map { MethodEntry(method: $0, access: own) }
        }
    }
}
