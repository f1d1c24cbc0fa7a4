/// What one HTTP/2 connection of a client may take. Numbers of frames are counted in windows of ten seconds.
package struct HTTP2LimitsSection: Sendable {
    /// Requests under way at once.
    package var maximumStreams: Int
    /// Bytes of one request that may be on their way before the gateway has taken any.
    package var windowBytes: Int
    /// The same for all requests of a connection.
    package var connectionWindowBytes: Int
    /// Requests that the client takes back (CVE-2023-44487).
    package var maximumResets: Int
    package var maximumSettings: Int
    package var maximumPings: Int
    /// Frames without payload that end nothing.
    package var maximumEmptyFrames: Int
    /// Beyond what the responses sent call for.
    package var maximumWindowUpdates: Int
    /// PRIORITY frames, and those of unknown types.
    package var maximumPriorities: Int

    static func read(_ object: inout ObjectReader) -> HTTP2LimitsSection {
        let frames = Shape.integer(1...1_000_000, "a number of frames")
        let limits = HTTP2LimitsSection(
            maximumStreams: object.value(
                "maxStreams", .integer(1...10_000, "a number of streams"), default: 100,
                "Maximum number of requests of a connection under way at once."),
            windowBytes: object.value(
                "windowBytes", .size(in: 16 << 10...16 << 20), default: 64 << 10,
                """
                Bytes of one request body that may be under way before the gateway has read any, from 16KiB to 16MiB; at \
                most `connectionWindowBytes`.
                """),
            connectionWindowBytes: object.value(
                "connectionWindowBytes", .size(in: 64 << 10...256 << 20), default: 1 << 20,
                "The same for all request bodies of a connection, from 64KiB to 256MiB."),
            maximumResets: object.value(
                "maxResets", frames, default: 100, "Maximum number of requests that the client cancels."),
            maximumSettings: object.value("maxSettings", frames, default: 100, "Maximum number of SETTINGS frames."),
            maximumPings: object.value("maxPings", frames, default: 1000, "Maximum number of PING frames."),
            maximumEmptyFrames: object.value(
                "maxEmptyFrames", frames, default: 1000, "Maximum number of frames without payload that end nothing."),
            maximumWindowUpdates: object.value(
                "maxWindowUpdates", frames, default: 1000,
                "Maximum number of WINDOW_UPDATE frames beyond those that the responses sent account for."),
            maximumPriorities: object.value(
                "maxPriorities", frames, default: 1000, "Maximum number of PRIORITY frames and frames of unknown types."
            ))
        if limits.windowBytes > limits.connectionWindowBytes {
            object.field.error(
                "windowBytes is more than connectionWindowBytes",
                expected: "at most \(limits.connectionWindowBytes) bytes", found: "\(limits.windowBytes)")
        }
        return limits
    }
}
