/// Servers behind the gateway that are as good as each other.
package struct UpstreamEntry: Sendable {
    package var name: String
    /// At least one.
    package var servers: [ServerEntry]
    package var balance: BalanceEntry
    /// HTTP/2 to the servers: by ALPN over TLS, with prior knowledge without.
    package var http2: Bool
    /// nil where the servers speak without TLS: all of them do, or none.
    package var tls: UpstreamTLSEntry?
    /// How long the addresses of a name are used before it is looked up again.
    package var resolveInterval: Duration
    /// nil where servers are not asked how they are.
    package var healthCheck: HealthCheckEntry?
    /// nil where failures of requests do not take a server out.
    package var ejection: EjectionEntry?
    /// nil where requests are sent however many fail.
    package var circuitBreaker: CircuitBreakerEntry?
    package var connectTimeout: Duration
    /// From the end of the request to the head of the response.
    package var responseTimeout: Duration
    package var idleTimeout: Duration
    /// Idle connections kept by each worker.
    package var maximumIdle: Int
    /// Connections of each worker; 0 means any number.
    package var maximumConnections: Int
    /// Requests of each worker under way; 0 means any number.
    package var maximumInFlight: Int
    package var queue: QueueEntry
    package var retries: RetriesEntry
    /// How long a server that comes back gets less than its share; zero where it gets it at once.
    package var slowStart: Duration

    static func readAll(_ field: Field) -> [UpstreamEntry]? {
        field.object("an object of upstreams by name").entries.map { name, place in
            if !WebgateEntry.isName(name) { place.error("invalid upstream name", expected: WebgateEntry.nameRule) }
            return read(place, name: name)
        }
    }

    private static func read(_ field: Field, name: String) -> UpstreamEntry {
        var object = field.object("an upstream: {\"url\"}")
        let servers = ServerEntry.readAll(&object)
        let tlsField = object.take("tls")
        let queueField = object.take("queue")
        let entry = UpstreamEntry(
            name: name, servers: servers,
            balance: BalanceEntry.read(&object),
            http2: object.flag("http2", default: false),
            tls: tls(tlsField, servers),
            resolveInterval: object.duration("resolveInterval", default: .seconds(30)),
            healthCheck: object.optional("healthCheck", HealthCheckEntry.read),
            ejection: object.optional("ejection", EjectionEntry.read),
            circuitBreaker: object.optional("circuitBreaker", CircuitBreakerEntry.read),
            connectTimeout: object.duration("connectTimeout", default: .seconds(5)),
            responseTimeout: object.duration("responseTimeout", default: .seconds(60)),
            idleTimeout: object.duration("idleTimeout", default: .seconds(60)),
            maximumIdle: object.count("maxIdle", in: 0...65_536, default: 64, "a number of connections"),
            maximumConnections: object.count("maxConnections", in: 0...65_536, default: 0, "a number of connections"),
            maximumInFlight: object.count("maxInFlight", in: 0...1_000_000, default: 0, "a number of requests"),
            queue: queueField.map(QueueEntry.read) ?? QueueEntry(),
            retries: object.value("retries", default: RetriesEntry(), RetriesEntry.read),
            slowStart: object.value("slowStart", default: .zero) { $0.durationOrOff() }
        )
        if let queueField, entry.queue.length > 0, entry.maximumInFlight == 0, entry.maximumConnections == 0 {
            queueField.error(
                "without a limit nothing ever waits", expected: "\"maxInFlight\" or \"maxConnections\" beside \"queue\""
            )
        }
        object.finish()
        return entry
    }

    private static func tls(_ field: Field?, _ servers: [ServerEntry]) -> UpstreamTLSEntry? {
        let isSecure = servers.contains(where: \.isSecure)
        if let field, !isSecure, !servers.isEmpty {
            field.error("no server of this upstream has https", expected: "a URL with https, or no \"tls\"")
        }
        return field.flatMap(UpstreamTLSEntry.shape.read) ?? (isSecure ? UpstreamTLSEntry() : nil)
    }
}
