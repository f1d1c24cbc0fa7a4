import Declaration
import Model

extension H2Limits {
    /// Frames are counted in windows of ten seconds.
    static func read(_ object: inout ObjectReader) -> H2Limits {
        let frames = Shape.integer(1...1_000_000, "a number of frames")
        var limits = H2Limits()
        object.read(
            "maxStreams", .integer(1...10_000, "a number of streams"), into: &limits.maximumStreams,
            "Maximum number of requests of a connection under way at once.")
        limits.initialWindow = object.value(
            "windowBytes", .size(in: 16 << 10...16 << 20), default: 64 << 10,
            """
            Bytes of one request body that may be under way before the gateway has read any, from 16KiB to 16MiB; at \
            most `connectionWindowBytes`.
            """)
        object.read(
            "connectionWindowBytes", .size(in: 64 << 10...256 << 20), into: &limits.connectionWindow,
            "The same for all request bodies of a connection, from 64KiB to 256MiB.")
        object.read(
            "maxResets", frames, into: &limits.maximumResets,
            "Maximum number of requests that the client cancels.")
        object.read(
            "maxSettings", frames, into: &limits.maximumSettings,
            "Maximum number of SETTINGS frames.")
        object.read(
            "maxPings", frames, into: &limits.maximumPings,
            "Maximum number of PING frames.")
        object.read(
            "maxEmptyFrames", frames, into: &limits.maximumEmptyFrames,
            "Maximum number of frames without payload that end nothing.")
        object.read(
            "maxWindowUpdates", frames, into: &limits.maximumWindowUpdates,
            "Maximum number of WINDOW_UPDATE frames beyond those that the responses sent account for.")
        object.read(
            "maxPriorities", frames, into: &limits.maximumPriorities,
            "Maximum number of PRIORITY frames and frames of unknown types.")
        if limits.initialWindow > limits.connectionWindow {
            object.field.error(
                "windowBytes is more than connectionWindowBytes",
                expected: "at most \(limits.connectionWindow) bytes", found: "\(limits.initialWindow)")
        }
        return limits
    }
}
