import Declaration
import Model

extension GatewayLimits {
    static func read(_ object: inout ObjectReader) -> GatewayLimits {
        var limits = GatewayLimits()
        object.read(
            "maxHeaderBytes", .size(in: 1 << 10...64 << 10), into: &limits.head.maximumHeadBytes,
            "Largest head of a request, from 1KiB to 64KiB.")
        object.read(
            "maxHeaders", .integer(1...120, "a number of header fields"), into: &limits.head.maximumFields,
            "Maximum number of header fields of a request.")
        object.read(
            "maxTargetBytes", .size(in: 256...64 << 10), into: &limits.head.maximumTargetBytes,
            "Longest request target, from 256 bytes; at most `maxHeaderBytes`.")
        object.read(
            "maxBodyBytes", .size(in: 0...Int.max), into: &limits.maximumBodyBytes,
            "Largest request body; 0 means no limit. The gateway's own endpoints accept 64KiB.")
        object.read(
            "maxConnections", .integer(0...1_000_000, "a number of connections"), into: &limits.maximumConnections,
            "Maximum number of client connections of the process; 0 means two fifths of the limit on open files.")
        object.read(
            "maxConnectionsPerAddress", .integer(0...1_000_000, "a number of connections"),
            into: &limits.maximumConnectionsPerAddress,
            "Maximum number of connections of one client address; 0 means no limit.")
        object.read(
            "maxFloodsPerAddress", .integer(0...1_000_000, "a number of connections"),
            into: &limits.maximumFloodsPerAddress,
            """
            Connections of one client address that are closed for a flood of HTTP/2 frames within ten seconds. A \
            further one blocks the address for a while. 0 means no limit.
            """)
        limits.maximumBufferBytes = object.value(
            "maxBufferBytes", .size(in: 8 << 20...1 << 40), default: 256 << 20,
            "Memory for the receive and send buffers of the process, at least 8MiB.")
        object.read(
            "minBodyRate", .size(in: 0...1 << 30), into: &limits.minimumBodyRate,
            "Bytes per second that a body must move at, in either direction; 0 means any rate.")
        object.read(
            "bufferedBodyBytes", .size(in: 0...16 << 20), into: &limits.bufferedBodyBytes,
            """
            How much of a request body arrives before its request gets a place at an upstream that is full; 0 means \
            nothing.
            """)
        object.read(
            "maxHandshakesPerSecond", .integer(0...1_000_000, "a number of handshakes"),
            into: &limits.maximumHandshakesPerSecond,
            "Maximum number of TLS handshakes of the process in a second; 0 means no limit.")
        object.read(
            "passwordChecksPerAddress", .integer(0...1_000_000, "a number of checks"),
            into: &limits.maximumPasswordChecksPerAddress,
            "Maximum number of password checks of one client address that run or wait; 0 means no limit.")
        object.read(
            "headerTimeout", .milliseconds, into: &limits.headerTimeout,
            "Time for a request head to arrive.")
        object.read(
            "bodyTimeout", .milliseconds, into: &limits.bodyTimeout,
            "Longest pause between two pieces of a request body.")
        object.read(
            "idleTimeout", .milliseconds, into: &limits.idleTimeout,
            "Longest pause between two requests of a connection.")
        object.read(
            "writeTimeout", .milliseconds, into: &limits.writeTimeout,
            "How long a client may accept nothing of its response.")
        object.read(
            "decisionTimeout", .milliseconds, into: &limits.decisionTimeout,
            "Time for a decision that needs more than the request head: a password check, an issued token.")
        object.read(
            "tunnelIdleTimeout", .milliseconds, into: &limits.tunnelIdleTimeout,
            "How long both sides of a tunnel (WebSocket) may be silent, or a stream of events without an event.")
        object.read(
            "drainTimeout", .milliseconds, into: &limits.drainTimeout,
            """
            Time for requests under way when the gateway stops; a WebSocket in the middle of a frame has one second \
            more.
            """)
        limits.http2 = object.section(
            "http2", "Limits of one HTTP/2 connection of a client. Frames are counted in windows of ten seconds.",
            expected: "an object of HTTP/2 limits", H2Limits.read)
        if limits.head.maximumTargetBytes > limits.head.maximumHeadBytes {
            object.field.error(
                "maxTargetBytes is more than maxHeaderBytes",
                expected: "at most \(limits.head.maximumHeadBytes) bytes, for the target is part of the head",
                found: "\(limits.head.maximumTargetBytes)")
        }
        return limits
    }
}
