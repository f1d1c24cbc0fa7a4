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
    /// Connections of one client address that are ended for a flood in ten seconds; 0 means any number.
    package var maximumFloodsPerAddress = 20
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
        var limits = LimitsSection()
        var object = field.object("an object of limits")
        limits.readSizes(&object)
        limits.readCounts(&object)
        limits.readTimes(&object)
        limits.http2 = object.value("http2", default: limits.http2, HTTP2LimitsSection.read)
        if limits.maximumTargetBytes > limits.maximumHeadBytes {
            field.error(
                "maxTargetBytes is more than maxHeaderBytes",
                expected: "at most \(limits.maximumHeadBytes) bytes, for the target is part of the head",
                found: "\(limits.maximumTargetBytes)")
        }
        object.finish()
        return limits
    }

    private mutating func readSizes(_ object: inout ObjectReader) {
        maximumHeadBytes = object.value("maxHeaderBytes", default: maximumHeadBytes) { $0.size(in: 1 << 10...64 << 10) }
        maximumTargetBytes = object.value("maxTargetBytes", default: maximumTargetBytes) { $0.size(in: 256...64 << 10) }
        maximumBodyBytes = object.value("maxBodyBytes", default: maximumBodyBytes) { $0.size(in: 0...Int.max) }
        maximumBufferBytes = object.value("maxBufferBytes", default: maximumBufferBytes) {
            $0.size(in: 8 << 20...1 << 40)
        }
        minimumBodyRate = object.value("minBodyRate", default: minimumBodyRate) { $0.size(in: 0...1 << 30) }
    }

    private mutating func readCounts(_ object: inout ObjectReader) {
        let any = 0...1_000_000
        maximumHeaders = object.count("maxHeaders", in: 1...120, default: maximumHeaders, "a number of header fields")
        maximumConnections = object.count(
            "maxConnections", in: any, default: maximumConnections, "a number of connections")
        maximumConnectionsPerAddress = object.count(
            "maxConnectionsPerAddress", in: any, default: maximumConnectionsPerAddress, "a number of connections")
        maximumFloodsPerAddress = object.count(
            "maxFloodsPerAddress", in: any, default: maximumFloodsPerAddress, "a number of connections")
        maximumHandshakesPerSecond = object.count(
            "maxHandshakesPerSecond", in: any, default: maximumHandshakesPerSecond, "a number of handshakes")
        passwordChecksPerAddress = object.count(
            "passwordChecksPerAddress", in: any, default: passwordChecksPerAddress, "a number of checks")
    }

    private mutating func readTimes(_ object: inout ObjectReader) {
        headerTimeout = object.duration("headerTimeout", default: headerTimeout)
        bodyTimeout = object.duration("bodyTimeout", default: bodyTimeout)
        idleTimeout = object.duration("idleTimeout", default: idleTimeout)
        writeTimeout = object.duration("writeTimeout", default: writeTimeout)
        decisionTimeout = object.duration("decisionTimeout", default: decisionTimeout)
        tunnelIdleTimeout = object.duration("tunnelIdleTimeout", default: tunnelIdleTimeout)
        drainTimeout = object.duration("drainTimeout", default: drainTimeout)
    }
}
