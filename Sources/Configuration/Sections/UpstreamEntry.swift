import Declaration
import Model

/// A group of equivalent servers behind the gateway.
package struct UpstreamEntry: Sendable {
    package var settings: UpstreamSettings
    /// At least one.
    package var servers: [ServerEntry]
    /// Nil without TLS; all servers use it, or none.
    package var tls: UpstreamTLSEntry?

    /// `Host` of requests; never `upstream` where the servers have different ones.
    package var hostHeader: HostHeader

    package var name: String { settings.name }
    /// What the paths of requests are put behind; nil for the root.
    package var basePath: PathPrefix? { servers.first?.basePath }
    /// Whether `Host` would be the same for all servers.
    var hasOneHost: Bool { servers.haveOneHost }

    static let list = shape.byName("an object of upstreams by name", "invalid upstream name") { $0.settings.name = $1 }

    private static let shape = Shape<UpstreamEntry>.object("an upstream: {\"url\"}") { object in
        var settings = UpstreamSettings(name: "")
        let servers = ServerEntry.readAll(&object)
        let hostHeader = object.take(
            "hostHeader", .hostHeader,
            """
            `Host` of forwarded requests: `client`, as the client sent it (the default); `upstream`, host and port of the URL; or a host. \
            A host is also expected in the server's certificate, unless `tls.serverName` names another.
            """)
        settings.balance = Balance.read(&object)
        object.read(
            "http2", .flag, into: &settings.http2,
            "Whether HTTP/2 is spoken: by ALPN with https, with prior knowledge without.")
        let tlsMember = object.take("tls", UpstreamTLSEntry.shape, "TLS to servers with https.")
        let tls = UpstreamEntry.tls(tlsMember, servers)
        object.read(
            "resolveInterval", .milliseconds, into: &settings.resolveInterval,
            "How long the addresses of a host name are used before the name is resolved again.")
        object.read(
            "healthCheck", HealthCheckSettings.shape, into: &settings.healthCheck,
            "Regular checks whether the servers work; none by default.")
        object.read(
            "ejection", EjectionSettings.shape, into: &settings.ejection,
            "When a server whose answers fail gets no requests for a while; never by default.")
        object.read(
            "circuitBreaker", UpstreamEntry.circuitBreaker, into: &settings.breaker,
            "When the upstream as a whole gets no requests for a while; never by default.")
        object.read(
            "connectTimeout", .milliseconds, into: &settings.connectTimeout, "Time for a connection to open.")
        object.read(
            "responseTimeout", .milliseconds, into: &settings.responseTimeout,
            """
            Time from the end of the request to the head of the response, and longest pause between two pieces of its \
            body.
            """)
        object.read("idleTimeout", .milliseconds, into: &settings.idleTimeout, "How long an unused connection is kept.")
        object.read(
            "maxIdle", .integer(0...65_536, "a number of connections"), into: &settings.maximumIdle,
            """
            Unused connections to each server that each worker keeps for `idleTimeout`, of HTTP/1.1 and of HTTP/2. More \
            of HTTP/1.1 are kept for one second, unless this is 0.
            """)
        object.read(
            "maxConnections", .integer(0...65_536, "a number of connections"), into: &settings.maximumConnections,
            "Maximum number of connections of each worker to each server; 0 means no limit.")
        object.read(
            "maxInFlight", .integer(0...1_000_000, "a number of requests"), into: &settings.maximumInFlight,
            "Maximum number of requests of each worker under way; 0 means no limit.")
        object.section(
            "queue", "Requests that wait for `maxConnections` or `maxInFlight`.",
            expected: "a queue: {\"length\", \"timeout\"}"
        ) { queue in
            queue.read(
                "length", .integer(0...1_000_000, "a number of requests"), into: &settings.queueLength,
                "How many requests of each worker may wait; 0 means none.")
            queue.read("timeout", .milliseconds, into: &settings.queueTimeout, "How long a request may wait.")
        }
        settings.retries = object.section(
            "retries", "Repetition of failed requests that are safe to send twice.",
            expected: "retries: {\"attempts\", \"budgetPercent\", \"minPerSecond\"}", RetrySettings.read)
        object.read(
            "slowStart", Shape<Duration>.durationOrOff.milliseconds, into: &settings.slowStart,
            "How long a server that comes back gets less than its share; `0s` means not at all.")
        if settings.queueLength > 0, settings.maximumInFlight == 0, settings.maximumConnections == 0 {
            object.field.findings.error(
                "\(object.field.pointer)/queue", "without a limit nothing ever waits",
                expected: "\"maxInFlight\" or \"maxConnections\" beside \"queue\"")
        }
        return UpstreamEntry(
            settings: settings, servers: servers, tls: tls, hostHeader: UpstreamEntry.hostHeader(hostHeader, servers))
    }

    private static func hostHeader(
        _ member: ObjectReader.Member<HostHeader>?, _ servers: [ServerEntry]
    ) -> HostHeader {
        let host = member?.read() ?? .client
        if let member, host == .upstream, !servers.haveOneHost {
            member.field.error("the servers have different hosts", expected: "the name of one host")
        }
        return host
    }

    private static func tls(
        _ member: ObjectReader.Member<UpstreamTLSEntry>?, _ servers: [ServerEntry]
    ) -> UpstreamTLSEntry? {
        let isSecure = servers.contains(where: \.isSecure)
        if let member, !isSecure, !servers.isEmpty {
            member.field.error("no server of this upstream has https", expected: "a URL with https, or no \"tls\"")
        }
        return member?.read() ?? (isSecure ? UpstreamTLSEntry() : nil)
    }
}

extension [ServerEntry] {
    fileprivate var haveOneHost: Bool { allSatisfy { $0.authority == first?.authority } }
}
