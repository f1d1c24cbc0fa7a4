import Model

/// A group of equivalent servers behind the gateway.
package struct UpstreamEntry: Sendable {
    package var name: String
    /// At least one.
    package var servers: [ServerEntry]
    package var balance: Balance
    /// HTTP/2 to the servers: by ALPN over TLS, with prior knowledge without.
    package var http2: Bool
    /// Nil without TLS; all servers use it, or none.
    package var tls: UpstreamTLSEntry?
    /// How long resolved addresses are used.
    package var resolveInterval: Duration
    /// Nil without health checks.
    package var healthCheck: HealthCheckSettings?
    /// Nil without ejection of failing servers.
    package var ejection: EjectionSettings?
    /// Nil without a circuit breaker.
    package var circuitBreaker: CircuitBreaker.Settings?
    package var connectTimeout: Duration
    /// From the end of the request to the response head.
    package var responseTimeout: Duration
    package var idleTimeout: Duration
    /// Idle connections kept by each worker.
    package var maximumIdle: Int
    /// Connections of each worker; 0 means any number.
    package var maximumConnections: Int
    /// Concurrent requests of each worker; 0 means any number.
    package var maximumInFlight: Int
    package var queue: QueueEntry
    package var retries: RetrySettings
    /// How long a recovered server gets less than its share; zero for not at all.
    package var slowStart: Duration

    static let list = shape.byName("an object of upstreams by name", "invalid upstream name") { $0.name = $1 }

    private static let shape = Shape<UpstreamEntry>.object("an upstream: {\"url\"}") { object in
        let servers = ServerEntry.readAll(&object)
        let balance = Balance.read(&object)
        let http2 = object.flag(
            "http2", default: false, "Whether HTTP/2 is spoken: by ALPN with https, with prior knowledge without.")
        let tls = object.take("tls", UpstreamTLSEntry.shape, "TLS to servers with https.")
        let entry = UpstreamEntry(
            name: "", servers: servers, balance: balance, http2: http2, tls: UpstreamEntry.tls(tls, servers),
            resolveInterval: object.value(
                "resolveInterval", .duration, default: .seconds(30),
                "How long the addresses of a host name are used before the name is resolved again."),
            healthCheck: object.optional(
                "healthCheck", HealthCheckSettings.shape, "Regular checks whether the servers work; none by default."),
            ejection: object.optional(
                "ejection", EjectionSettings.shape,
                "When a server whose answers fail gets no requests for a while; never by default."),
            circuitBreaker: object.optional(
                "circuitBreaker", UpstreamEntry.circuitBreaker,
                "When the upstream as a whole gets no requests for a while; never by default."),
            connectTimeout: object.value(
                "connectTimeout", .duration, default: .seconds(5), "Time for a connection to open."),
            responseTimeout: object.value(
                "responseTimeout", .duration, default: .seconds(60),
                """
                Time from the end of the request to the head of the response, and longest pause between two pieces of its \
                body.
                """),
            idleTimeout: object.value(
                "idleTimeout", .duration, default: .seconds(60), "How long an unused connection is kept."),
            maximumIdle: object.value(
                "maxIdle", .integer(0...65_536, "a number of connections"), default: 64,
                """
                Unused connections to each server that each worker keeps for `idleTimeout`, of HTTP/1.1 and of HTTP/2. More \
                of HTTP/1.1 are kept for one second, unless this is 0.
                """),
            maximumConnections: object.value(
                "maxConnections", .integer(0...65_536, "a number of connections"), default: 0,
                "Maximum number of connections of each worker to each server; 0 means no limit."),
            maximumInFlight: object.value(
                "maxInFlight", .integer(0...1_000_000, "a number of requests"), default: 0,
                "Maximum number of requests of each worker under way; 0 means no limit."),
            queue: object.section(
                "queue", "Requests that wait for `maxConnections` or `maxInFlight`.",
                expected: "a queue: {\"length\", \"timeout\"}", QueueEntry.read),
            retries: object.section(
                "retries", "Repetition of failed requests that are safe to send twice.",
                expected: "retries: {\"attempts\", \"budgetPercent\", \"minPerSecond\"}", RetrySettings.read),
            slowStart: object.value(
                "slowStart", .durationOrOff, default: .zero,
                "How long a server that comes back gets less than its share; `0s` means not at all."))
        if entry.queue.length > 0, entry.maximumInFlight == 0, entry.maximumConnections == 0 {
            object.field.findings.error(
                "\(object.field.pointer)/queue", "without a limit nothing ever waits",
                expected: "\"maxInFlight\" or \"maxConnections\" beside \"queue\"")
        }
        return entry
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
