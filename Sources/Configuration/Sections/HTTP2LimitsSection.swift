/// Limits of a client's HTTP/2 connection. Frames are counted in windows of ten seconds.
package struct HTTP2LimitsSection: Sendable {
    /// Concurrent requests.
    package var maximumStreams: Int
    /// Flow control window of a stream in bytes.
    package var windowBytes: Int
    /// Flow control window of a connection in bytes.
    package var connectionWindowBytes: Int
    /// Requests that the client cancels (CVE-2023-44487).
    package var maximumResets: Int
    package var maximumSettings: Int
    package var maximumPings: Int
    /// Empty frames without END_STREAM.
    package var maximumEmptyFrames: Int
    /// WINDOW_UPDATE frames beyond those for the responses sent.
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
