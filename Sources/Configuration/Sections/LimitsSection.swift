/// What one client may take.
package struct LimitsSection: Sendable {
    package var maximumHeadBytes = 16 << 10
    package var maximumHeaders = 100
    package var maximumTargetBytes = 8 << 10
    /// Bytes of a request body; 0 means any number.
    package var maximumBodyBytes = 0
    /// Client connections of the process; 0 means derived from the limit on open files.
    package var maximumConnections = 0
    /// Connections of one client address; 0 means any number.
    package var maximumConnectionsPerAddress = 0
    /// Memory of the process's receive and send buffers.
    package var maximumBufferBytes = 256 << 20
    /// Bytes per second that a body must move at, either way; 0 where any rate will do.
    package var minimumBodyRate = 256
    /// TLS handshakes of the process; 0 means any number.
    package var maximumHandshakesPerSecond = 0
    /// Password checks of one client address that run or wait; 0 means any number.
    package var passwordChecksPerAddress = 32
    package var http2 = HTTP2LimitsSection()
    package var headerTimeout = Duration.seconds(10)
    /// Between two reads of a body.
    package var bodyTimeout = Duration.seconds(30)
    package var idleTimeout = Duration.seconds(60)
    package var writeTimeout = Duration.seconds(30)
    /// For a decision that needs more than the head of a request: a password check, an issued token.
    package var decisionTimeout = Duration.seconds(30)
    /// While neither side of a tunnel (WebSocket) sends anything.
    package var tunnelIdleTimeout = Duration.seconds(3600)
    /// How long a shutdown waits for exchanges under way.
    package var drainTimeout = Duration.seconds(30)

    static func read(_ field: Field) -> LimitsSection? {
        let standard = LimitsSection()
        var object = field.object("an object of limits")
        let limits = LimitsSection(
            maximumHeadBytes: object.value("maxHeaderBytes", default: standard.maximumHeadBytes) {
                $0.size(in: 1 << 10...64 << 10)
            },
            maximumHeaders: object.value("maxHeaders", default: standard.maximumHeaders) {
                $0.integer(in: 1...120, "a number of header fields")
            },
            maximumTargetBytes: object.value("maxTargetBytes", default: standard.maximumTargetBytes) {
                $0.size(in: 256...64 << 10)
            },
            maximumBodyBytes: object.value("maxBodyBytes", default: 0) { $0.size(in: 0...Int.max) },
            maximumConnections: object.value("maxConnections", default: 0) {
                $0.integer(in: 0...1_000_000, "a number of connections")
            },
            maximumConnectionsPerAddress: object.count(
                "maxConnectionsPerAddress", in: 0...1_000_000, default: 0, "a number of connections"),
            maximumBufferBytes: object.value("maxBufferBytes", default: standard.maximumBufferBytes) {
                $0.size(in: 8 << 20...1 << 40)
            },
            minimumBodyRate: object.value("minBodyRate", default: standard.minimumBodyRate) {
                $0.size(in: 0...1 << 30)
            },
            maximumHandshakesPerSecond: object.count(
                "maxHandshakesPerSecond", in: 0...1_000_000, default: 0, "a number of handshakes"),
            passwordChecksPerAddress: object.count(
                "passwordChecksPerAddress", in: 0...1_000_000, default: standard.passwordChecksPerAddress,
                "a number of checks"),
            http2: object.value("http2", default: standard.http2, HTTP2LimitsSection.read),
            headerTimeout: object.duration("headerTimeout", default: standard.headerTimeout),
            bodyTimeout: object.duration("bodyTimeout", default: standard.bodyTimeout),
            idleTimeout: object.duration("idleTimeout", default: standard.idleTimeout),
            writeTimeout: object.duration("writeTimeout", default: standard.writeTimeout),
            decisionTimeout: object.duration("decisionTimeout", default: standard.decisionTimeout),
            tunnelIdleTimeout: object.duration("tunnelIdleTimeout", default: standard.tunnelIdleTimeout),
            drainTimeout: object.duration("drainTimeout", default: standard.drainTimeout)
        )
        if limits.maximumTargetBytes > limits.maximumHeadBytes {
            field.error(
                "maxTargetBytes is more than maxHeaderBytes",
                expected: "at most \(limits.maximumHeadBytes) bytes, for the target is part of the head",
                found: "\(limits.maximumTargetBytes)")
        }
        object.finish()
        return limits
    }
}
