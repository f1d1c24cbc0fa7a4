import Bytes
import Declaration
import Model

/// A socket that clients connect to.
package struct ListenerEntry: Sendable {
    /// In `forwardAuth` without peers of its own, `trustedProxies` applies.
    package var rules: ListenerRules
    package var place: ListenerAddress
    /// Nil without TLS.
    package var tls: ListenerTLSEntry?
    /// How trusted proxies tell the certificates of their clients; nil where they do not.
    package var clientCertificateField: ClientCertificateFieldEntry?

    /// Whether clients of other machines send requests in the clear.
    var isClear: Bool { tls == nil && !place.isLocal && rules.role != .redirect }

    static let list = Shape<[ListenerEntry]>(
        .list(shape.form(), minimum: 1, isUnique: false), read: { readAll($0) }
    ).atStart(.elementsAtRestart) { Set($0.map(\.socketText)) }

    /// What a reload does not change of the socket. If the system chooses the port, the name is the identity.
    private var socketText: String {
        let mode = if case .unix(_, let mode) = place { " \(mode)" } else { "" }
        return "\(place)\(mode)\(place.isChosenBySystem ? " \(rules.name)" : "")"
    }

    private static func readAll(_ field: Field) -> [ListenerEntry]? {
        guard let elements = field.elements("an array of listeners") else { return nil }
        if elements.isEmpty { field.error("no listener", expected: "at least one listener") }
        var listeners: [ListenerEntry] = []
        for (i, element) in elements.enumerated() {
            guard var listener = shape.read(element) else { continue }
            if listener.rules.name.isEmpty { listener.rules.name = listener.place.standardName(at: i) }
            if listeners.contains(where: { $0.rules.name == listener.rules.name }) {
                element.error("duplicate listener name \"\(listener.rules.name)\"", expected: "a unique name")
            }
            if !listener.place.isChosenBySystem, listeners.contains(where: { $0.place == listener.place }) {
                let noun = listener.place.noun
                element.error("another listener has this \(noun)", expected: "a free \(noun)")
            }
            listeners.append(listener)
        }
        if !listeners.isEmpty, !listeners.contains(where: { $0.rules.role == .proxy }) {
            field.error(
                "no listener takes requests for routes",
                expected: "at least one listener without \"role\", \"redirectToHttps\" and \"forwardAuth\"")
        }
        return listeners
    }

    private static let roles = Shape<String>.choice(["proxy", "metrics"]).map(
        { $0 == "metrics" ? ListenerRole.metrics : .proxy }, back: { "\($0)" })

    private static let shape = Shape.object("a listener: {\"address\", \"port\"}") { object in
        let place = ListenerAddress.read(&object)
        let name = object.optional("name", .name, "Unique name in logs and metrics; address and port by default.")
        let role = object.value(
            "role", roles, default: .proxy,
            """
            `proxy`: routes and the gateway's own endpoints. `metrics`: only `/metrics`, `/healthz`, `/livez` and \
            `/readyz`, without a token. It is for Prometheus and the probes of Kubernetes if the admin listener is \
            on loopback. `Host` must be an IP address, `localhost` or one of `admin.hosts`.
            """)
        let isLogged = object.value(
            "accessLog", .flag, default: true,
            """
            Whether requests are in the access log. `false` keeps probes and scrapes out; changes by administrators are \
            in the audit trail.
            """)
        let http2 = object.take(
            "http2", .flag,
            """
            Enables HTTP/2: by ALPN with TLS, without TLS for clients with prior knowledge (h2c). The default is \
            `true` with TLS and `false` without.
            """)
        let peers = object.take(
            "proxyProtocol", .addressBlocks, default: [],
            "CIDR blocks of peers that must send a PROXY header of version 1 or 2.")
        let tls = object.take("tls", ListenerTLSEntry.shape, "TLS; without it the listener is plain.")
        let told = object.take(
            "clientCertificateField", ClientCertificateFieldEntry.shape,
            """
            The field in which `trustedProxies` send [certificates of their \
            clients](guides/client-certificates-from-proxies.md): a value of `format`, or an object. By default such \
            fields are removed unread.
            """)
        let redirect = readRedirect(&object)
        let forwardAuth = readForwardAuth(&object, redirect == nil ? role : .redirect, place)
        let served: ListenerRole = redirect != nil ? .redirect : forwardAuth != nil ? .forwardAuth : role
        let rules = ListenerRules(
            name: name ?? "", role: served, http2: http2?.read() ?? (tls != nil), proxyPeers: peers?.read() ?? [],
            forwardAuth: forwardAuth, redirect: redirect, isLogged: isLogged)
        let entry = ListenerEntry(
            rules: rules, place: place, tls: tls?.read(), clientCertificateField: told?.read())
        if let told, let settings = entry.clientCertificateField { entry.check(told.field, settings) }
        if tls == nil, rules.http2, let field = http2?.field {
            field.findings.note(field.pointer, "without TLS, HTTP/2 needs clients with prior knowledge (h2c)")
        }
        if case .unix = place, let peers, !rules.proxyPeers.isEmpty {
            peers.field.error("peers of a unix socket have no address", expected: "no \"proxyProtocol\" here")
        }
        return entry
    }

    /// Reports listeners whose `forwardAuth` no peer may use.
    /// - Parameter trusted: the gateway's `trustedProxies`.
    static func checkForwardAuth(_ listeners: [ListenerEntry], _ trusted: [IPAddressRange], _ findings: Findings) {
        for (i, listener) in listeners.enumerated()
        where listener.rules.forwardAuth?.trustedProxies.isEmpty == true && trusted.isEmpty {
            findings.error(
                "/listeners/\(i)/forwardAuth", "no proxy may ask for decisions",
                expected: "\"trustedProxies\" with the addresses of the proxies that ask")
        }
    }

    private static func readForwardAuth(
        _ object: inout ObjectReader, _ role: ListenerRole, _ place: ListenerAddress
    ) -> ForwardAuthSettings? {
        let member = object.take(
            "forwardAuth", ForwardAuthSettings.shape,
            """
            The listener decides requests for [other proxies](guides/forward-auth.md) and \
            serves nothing else.
            """)
        guard let member, let settings = member.read() else { return nil }
        if role != .proxy {
            return member.field.error(
                "the listener has another purpose", expected: "a listener without \"role\" and \"redirectToHttps\"")
        }
        if case .unix = place {
            return member.field.error(
                "peers of a unix socket have no address", expected: "a listener with an IP address")
        }
        return settings
    }

    private static func readRedirect(_ object: inout ObjectReader) -> HTTPSRedirect? {
        let member = object.take(
            "redirectToHttps", HTTPSRedirect.shape,
            """
            Whether the listener answers each request with a [redirect](guides/listeners.md#redirects-to-https) to the same URL \
            with `https`, and serves nothing else. Only for hosts of `baseUrl`, `additionalBaseUrls`, routes and certificates. \
            An object has the port of that URL, or another status.
            """)
        let redirects = KeyCondition.differs("redirectToHttps", .flag(false))
        let (isPlain, servesRoutes) = (KeyCondition.not(.has("tls")), KeyCondition.not(.equals("role", "metrics")))
        object.rules(
            .requires(
                isPlain, if: redirects, at: "redirectToHttps",
                because: "clients of this listener use https already",
                expected: "no \"redirectToHttps\" beside \"tls\""),
            .requires(
                servesRoutes, if: redirects, at: "redirectToHttps",
                because: "a listener for metrics redirects nothing",
                expected: "no \"redirectToHttps\" beside \"role\""))
        return object.holds(.all([isPlain, servesRoutes])) ? member?.read() ?? nil : nil
    }
}
