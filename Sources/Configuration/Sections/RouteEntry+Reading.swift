import Bytes
import Declaration
import Model

extension RouteEntry {
    /// A key that another target declares.
    typealias Key = @Sendable (inout ObjectReader, inout RouteEntry) -> Void

    static func readAll(_ field: Field, keys: [Key]) -> [RouteEntry] {
        let shape = shape(keys)
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

    static func shape(_ keys: [Key]) -> Shape<RouteEntry> {
        .object("a route: {\"path\", \"upstream\"}") { read(&$0, keys) }
    }

    private static let read: @Sendable (inout ObjectReader, [Key]) -> RouteEntry = { object, keys in
        let path = object.required(
            "path", Shape(.pattern("^/"), read: path), "a path pattern", placeholder: .nothing,
            "Literal segments, `*` or `{name}` for exactly one segment, `**` at the end for zero or more.")
        var route = RouteEntry(name: path.text, path: path)
        route.name =
            object.optional("name", .name, "Unique name in logs and metrics; the path by default.") ?? path.text
        object.read(
            "hosts", Shape(.list(.text, minimum: 1, isUnique: false), read: hosts), into: &route.hosts,
            "Host names such as `api.example.com` or `*.example.com`, without port; any host by default.")
        route.conditions = RouteConditions.read(&object)
        (route.upstream, route.answer) = RouteAnswer.read(&object)
        route.access = AccessRule.read(&object, on: path, inherited: nil)
        object.read(
            "methods", MethodEntry.shape(route.access, on: path), into: &route.methods,
            "A list of methods, or an object with rules by method; all methods by default. GET includes HEAD.")
        object.read(
            "rewrite", RewriteRule.shape(path), into: &route.options.rewrite,
            "How the forwarded path differs from the requested one; not at all by default.")
        route.options.keptSpellings = PathSpellings.read(&object, on: path)
        object.read(
            "hostHeader", .hostHeader, into: &route.options.hostHeader,
            """
            `Host` of forwarded requests: `client`, `upstream`, or a host. Without it, `hostHeader` of the upstream counts.
            """)
        object.read(
            "requestHeaders", FieldRules.shape(.request), into: &route.options.requestFields,
            "[Fields](guides/fields.md) that the upstream gets beside those of the client.")
        object.read(
            "responseHeaders", FieldRules.shape(.response), into: &route.options.responseFields,
            "Fields that the client gets beside those of the upstream.")
        route.options.errors = ErrorRules.read(&object, of: "the gateway's own errors on this route")
        object.read(
            "webgate", .reference(to: .webgate), into: &route.webgate,
            "Name of a webgate in `webgates.json`, which gives the challenge, the level and the injection.")
        object.read(
            "authenticationScheme", .reference(to: .authenticationScheme), into: &route.authenticationScheme,
            "Name of a scheme whose level the route requires, in place of the webgate's.")
        object.read(
            "login", RouteLoginEntry.shape, into: &route.login,
            """
            Where [browsers log in](guides/browser-login.md): the name of an identity provider, `local` for the gateway's \
            own form, a list of these to choose from, or an object.
            """)
        object.read(
            "backends", .references(to: .backend), into: &route.clients,
            "Backends whose credentials open the route, as `name/version`; an empty list means any.")
        route.clients += object.value(
            "clients", .references(to: .client), default: [],
            """
            Ids of the [clients](guides/own-users.md) whose tokens open the route; those of all by default. Sessions of \
            `login` open it besides, whether or not a client is revoked.
            """)
        object.read(
            "defaultBackend", .reference(to: .backend), into: &route.defaultBackend,
            """
            The backend of Basic credentials without `\(CallerFields.backendID)`, as `name/version`. By default it \
            is the only backend of a route whose authentication scheme is `BASIC` or whose `authenticators` have `basic`, \
            else the one with `default`.
            """)
        for read in keys { read(&object, &route) }
        object.read(
            "allowOrigin", Shape(.text, read: { $0.allowedOrigins() }), into: &route.options.allowOrigin,
            "Overrides `Security_AllowOrigin` for this route.")
        let cors = object.take(
            "cors", CORSSettings.shape,
            """
            Cross-origin requests of this route. Its keys replace those of the gateway's \
            [`cors`](reference/gateway.md#cors), and `allowOrigins` is in place of `Security_AllowOrigin`.
            """)
        route.options.cors = cors?.read()
        if route.options.allowOrigin != nil, route.options.cors?.allowOrigin != nil {
            cors?.field.error("the route has \"allowOrigin\", too", expected: "origins in one place")
        }
        object.read(
            "injection", InjectionEntry.oneOrMore(isOfRoute: true), into: &route.injections,
            "Which token the upstream gets, and how, or a list of them; the webgate's by default.")
        object.read(
            "upstreamAuth", UpstreamChallengeRule.shape, into: &route.options.challengeRule,
            """
            The upstream is [behind a Webgate](guides/webgate-upstreams.md) of its own, whose challenges the \
            gateway answers with tokens of the injection's issuer.
            """)
        object.read(
            "addresses", AddressRule.shape, into: &route.options.addresses,
            "From which client addresses requests are accepted, before any credential is looked at; from all by default."
        )
        object.read(
            "tokenSources", TokenSource.list, into: &route.options.tokenSources,
            """
            [Where tokens are](guides/authenticators.md#where-tokens-are); by default `Authorization: Bearer`, and the places of trusted \
            issuers.
            """)
        route.options.protectedResource =
            object.optional(
                "protectedResource", ProtectedResource.shape,
                """
                Whether OAuth clients learn [where to get a token](guides/protected-resource.md): \
                `true`, or an object with more about the resource.
                """) ?? nil
        route.options.mcp = object.optional(
            "mcp", MCPRules.shape(path),
            """
            [Rules by tool](guides/mcp.md#rules-by-tool) of an MCP server: which callers may use which tools, resources \
            and prompts. Connections of the route do not change their protocol.
            """)
        object.read(
            "forwardCredential", .flag, into: &route.options.forwardsCredential,
            "Whether the client's own credential is forwarded to the upstream.")
        object.read(
            "registeredClients", .flag, into: &route.options.trustsRegisteredClients,
            """
            Whether tokens of clients that [registered themselves](guides/client-registration.md#rights) have all roles of \
            their users here, not only those of their scopes.
            """)
        route.options.certificateForwarding =
            object.value(
                "forwardClientCertificate", CertificateForwarding.shape, default: nil,
                """
                Forwards the client's certificate to the upstream. `true` sends its names in \
                `X-Gateway-Client-Subject`, `-Names` and `-Fingerprint`. `xfcc` sends the certificate in \
                `X-Forwarded-Client-Cert`, `client-cert` in `Client-Cert` (RFC 9440).
                """)
        let login = object.take(
            "certificateLogin", .flag, default: false,
            """
            Whether a client certificate is the credential of requests without another one, as the user that \
            [`clientUsers`](guides/client-certificates.md#users-by-certificate) of the listener names.
            """)
        route.options.takesCertificates = login?.read() ?? false
        let authenticators = object.take(
            "authenticators", Authenticator.list,
            """
            The [kinds of credentials](guides/authenticators.md) that count, in their order: `bearer` or \
            `bearer:ISSUER`, `basic`, `anonymousKey`, `apiKey`, `certificate`, `session`, `saml`; all by default, but \
            `certificate` only with `certificateLogin` and `saml` never. `{"all": ["apiKey", "bearer"]}` requires both.
            """)
        // A method may have a caller on a public route.
        object.rules(
            .only(
                "clients", with: .any([.not(.isOn("public")), .has("methods")]),
                because: "a public route has no caller",
                expected: "no \"clients\" beside \"public\""),
            .only(
                "certificateLogin", with: .not(.has("authenticators")),
                because: "the list of \"authenticators\" says it",
                expected: "no \"certificateLogin\" beside it"))
        route.options.authenticators = authenticators?.read()
        if let list = route.options.authenticators {
            route.options.takesCertificates = list.contains { $0.kind == .certificate }
        }
        if route.options.takesCertificates, let place = (authenticators?.field ?? login?.field) {
            route.checkCertificateLogin(place)
        }
        object.read(
            "maxBodyBytes", .size(in: 0...Int.max), into: &route.options.maximumBodyBytes,
            "Largest request body, in place of the limit of `gateway.json`; 0 means no limit.")
        object.read(
            "responseTimeout", .milliseconds, into: &route.options.responseTimeout,
            "Time until the response begins, in place of `responseTimeout` of the upstream, which is 60s by default.")
        object.read(
            "endWithToken", .flag, into: &route.options.endsWithToken,
            """
            Whether [responses of any type](../deploy/docs/streams.md), such as gRPC streams, end \
            with the token, as WebSockets and streams of events do.
            """)
        object.read(
            "accessLog", .flag, into: &route.options.isLogged,
            "Whether requests of this route are in the access log. Metrics count them in any case.")
        object.read(
            "upgrades", .upgrades, into: &route.options.upgrades,
            "Protocols that a connection may change to; `[]` for none.")
        object.read(
            "rateLimit", RateLimitReference.shape, into: &route.rateLimits,
            "Limits of the rate of requests, each the name of one of `rateLimits` or the route's own.")
        object.read(
            "acknowledge", AcknowledgedWarning.shape, into: &route.acknowledged,
            """
            Warnings of `check` about this route that are known and accepted. `weaker-variants`: a request with \
            another spelling of the path, or with other conditions, matches a wider route that requires less. \
            `endpoints-inside`: the gateway serves some of the paths itself. `shared-names`: users of several issuers may have the \
            same name.
            """)
        return route
    }

    /// Reports requirements that no caller by certificate meets.
    private func checkCertificateLogin(_ field: Field) {
        let obstacle: String? =
            if access.isPublic && methods.allSatisfy(\.access.isPublic) {
                "a public route has no caller"
            } else if access.socialLogin {
                "a certificate is no social login"
            } else if application != nil {
                "a certificate belongs to no application"
            } else if !clients.isEmpty {
                "a certificate belongs to no client"
            } else {
                nil
            }
        let name = options.authenticators == nil ? "certificateLogin" : "certificate"
        if let obstacle { field.error(obstacle, expected: "no \"\(name)\" here") }
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

extension AcknowledgedWarning {
    static let shape = Shape<AcknowledgedWarning>.choice.list("an array of warnings").reading { field in
        field.names("an array of warnings") { $0.choice(AcknowledgedWarning.self)?.rawValue }?
            .compactMap(AcknowledgedWarning.init)
    }
}

extension MethodEntry {
    /// - Parameter access: of the route.
    static func shape(_ access: AccessRule, on path: PathPattern) -> Shape<[MethodEntry]> {
        let rule = rule(access, on: path)
        return Shape(
            .either([
                .list(.pattern(name), minimum: 1),
                .map(.named("rule", rule.form()), names: name, minimum: 1),
            ]),
            read: { readAll($0, access, rule) })
    }

    static let name = "^[A-Z!#$%&'*+.^_`|~0-9-]+$"

    private static func rule(_ access: AccessRule, on path: PathPattern) -> Shape<AccessRule> {
        .object("a rule: {\"roles\", \"loginRequired\", \"public\", \"level\"}") { object in
            AccessRule.read(&object, on: path, inherited: access)
        }
        .described("The rule of one method; what it does not name is the route's.")
    }

    private static func readAll(_ field: Field, _ access: AccessRule, _ rule: Shape<AccessRule>) -> [MethodEntry]? {
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
