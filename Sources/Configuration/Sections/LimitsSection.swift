/// Limits of clients.
package struct LimitsSection: Sendable {
    package var maximumHeadBytes: Int
    package var maximumHeaders: Int
    package var maximumTargetBytes: Int
    /// Bytes of a request body; 0 means any number.
    package var maximumBodyBytes: Int
    /// Client connections of the process; 0 means derived from the limit on open files.
    package var maximumConnections: Int
    /// Connections of one client address; 0 means any number.
    package var maximumConnectionsPerAddress: Int
    /// Connections of one client address that are closed for a flood in ten seconds; 0 means any number.
    package var maximumFloodsPerAddress: Int
    /// Memory of the process's receive and send buffers.
    package var maximumBufferBytes: Int
    /// Minimum transfer rate of a body in bytes per second, in either direction; 0 means any rate.
    package var minimumBodyRate: Int
    /// TLS handshakes of the process; 0 means any number.
    package var maximumHandshakesPerSecond: Int
    /// Concurrent password checks of one client address, queued ones included; 0 means any number.
    package var passwordChecksPerAddress: Int
    package var headerTimeout: Duration
    /// Between two reads of a body.
    package var bodyTimeout: Duration
    package var idleTimeout: Duration
    package var writeTimeout: Duration
    /// For a decision that needs more than the request head, such as a password check or an issued token.
    package var decisionTimeout: Duration
    /// While neither side of a tunnel (WebSocket) sends anything.
    package var tunnelIdleTimeout: Duration
    /// How long a shutdown waits for active exchanges.
    package var drainTimeout: Duration
    package var http2: HTTP2LimitsSection

    static func read(_ object: inout ObjectReader) -> LimitsSection {
        let limits = LimitsSection(
            maximumHeadBytes: object.value(
                "maxHeaderBytes", .size(in: 1 << 10...64 << 10), default: 16 << 10,
                "Largest head of a request, from 1KiB to 64KiB."),
            maximumHeaders: object.value(
                "maxHeaders", .integer(1...120, "a number of header fields"), default: 100,
                "Maximum number of header fields of a request."),
            maximumTargetBytes: object.value(
                "maxTargetBytes", .size(in: 256...64 << 10), default: 8 << 10,
                "Longest request target, from 256 bytes; at most `maxHeaderBytes`."),
            maximumBodyBytes: object.value(
                "maxBodyBytes", .size(in: 0...Int.max), default: 0,
                "Largest request body; 0 means no limit. The gateway's own endpoints accept 64KiB."),
            maximumConnections: object.value(
                "maxConnections", .integer(0...1_000_000, "a number of connections"), default: 0,
                "Maximum number of client connections of the process; 0 means two fifths of the limit on open files."),
            maximumConnectionsPerAddress: object.value(
                "maxConnectionsPerAddress", .integer(0...1_000_000, "a number of connections"), default: 0,
                "Maximum number of connections of one client address; 0 means no limit."),
            maximumFloodsPerAddress: object.value(
                "maxFloodsPerAddress", .integer(0...1_000_000, "a number of connections"), default: 20,
                """
                Connections of one client address that may be closed for a flood of HTTP/2 frames within ten seconds; \
                with more of them the address is barred for a while. 0 means no limit.
                """),
            maximumBufferBytes: object.value(
                "maxBufferBytes", .size(in: 8 << 20...1 << 40), default: 256 << 20,
                "Memory for the receive and send buffers of the process, at least 8MiB."),
            minimumBodyRate: object.value(
                "minBodyRate", .size(in: 0...1 << 30), default: 256,
                "Bytes per second that a body must move at, in either direction; 0 means any rate."),
            maximumHandshakesPerSecond: object.value(
                "maxHandshakesPerSecond", .integer(0...1_000_000, "a number of handshakes"), default: 0,
                "Maximum number of TLS handshakes of the process in a second; 0 means no limit."),
            passwordChecksPerAddress: object.value(
                "passwordChecksPerAddress", .integer(0...1_000_000, "a number of checks"), default: 32,
                "Maximum number of password checks of one client address that run or wait; 0 means no limit."),
            headerTimeout: object.value(
                "headerTimeout", .duration, default: .seconds(10), "Time for a request head to arrive."),
            bodyTimeout: object.value(
                "bodyTimeout", .duration, default: .seconds(30), "Longest pause between two pieces of a request body."),
            idleTimeout: object.value(
                "idleTimeout", .duration, default: .seconds(60), "Longest pause between two requests of a connection."),
            writeTimeout: object.value(
                "writeTimeout", .duration, default: .seconds(30),
                "How long a client may accept nothing of its response."),
            decisionTimeout: object.value(
                "decisionTimeout", .duration, default: .seconds(30),
                "Time for a decision that needs more than the request head: a password check, an issued token."),
            tunnelIdleTimeout: object.value(
                "tunnelIdleTimeout", .duration, default: .seconds(3600),
                "How long both sides of a tunnel (WebSocket) may be silent, or a stream of events without an event."),
            drainTimeout: object.value(
                "drainTimeout", .duration, default: .seconds(30),
                """
                Time for requests under way when the gateway stops; a WebSocket in the middle of a frame has one second \
                more.
                """),
            http2: object.section(
                "http2", "Limits of one HTTP/2 connection of a client. Frames are counted in windows of ten seconds.",
                expected: "an object of HTTP/2 limits", HTTP2LimitsSection.read))
        if limits.maximumTargetBytes > limits.maximumHeadBytes {
            object.field.error(
                "maxTargetBytes is more than maxHeaderBytes",
                expected: "at most \(limits.maximumHeadBytes) bytes, for the target is part of the head",
                found: "\(limits.maximumTargetBytes)")
        }
        return limits
    }
}
