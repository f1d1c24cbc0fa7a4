/// What one HTTP/2 connection of a client may take. Numbers of frames are counted in windows of ten seconds.
package struct HTTP2LimitsSection: Sendable {
    /// Requests under way at once.
    package var maximumStreams = 100
    /// Bytes of one request that may be on their way before the gateway has taken any.
    package var windowBytes = 64 << 10
    /// The same for all requests of a connection.
    package var connectionWindowBytes = 1 << 20
    /// Requests that the client takes back (CVE-2023-44487).
    package var maximumResets = 100
    package var maximumSettings = 100
    package var maximumPings = 1000
    /// Frames without payload that end nothing.
    package var maximumEmptyFrames = 1000
    /// Beyond what the responses sent call for.
    package var maximumWindowUpdates = 1000
    /// PRIORITY frames, and those of unknown types.
    package var maximumPriorities = 1000

    static func read(_ field: Field) -> HTTP2LimitsSection {
        let standard = HTTP2LimitsSection()
        var object = field.object("an object of HTTP/2 limits")
        let frames = 1...1_000_000
        let limits = HTTP2LimitsSection(
            maximumStreams: object.count(
                "maxStreams", in: 1...10_000, default: standard.maximumStreams, "a number of streams"),
            windowBytes: object.value("windowBytes", default: standard.windowBytes) {
                $0.size(in: 16 << 10...16 << 20)
            },
            connectionWindowBytes: object.value("connectionWindowBytes", default: standard.connectionWindowBytes) {
                $0.size(in: 64 << 10...256 << 20)
            },
            maximumResets: object.count("maxResets", in: frames, default: standard.maximumResets, "a number of frames"),
            maximumSettings: object.count(
                "maxSettings", in: frames, default: standard.maximumSettings, "a number of frames"),
            maximumPings: object.count("maxPings", in: frames, default: standard.maximumPings, "a number of frames"),
            maximumEmptyFrames: object.count(
                "maxEmptyFrames", in: frames, default: standard.maximumEmptyFrames, "a number of frames"),
            maximumWindowUpdates: object.count(
                "maxWindowUpdates", in: frames, default: standard.maximumWindowUpdates, "a number of frames"),
            maximumPriorities: object.count(
                "maxPriorities", in: frames, default: standard.maximumPriorities, "a number of frames"))
        if limits.windowBytes > limits.connectionWindowBytes {
            field.error(
                "windowBytes is more than connectionWindowBytes",
                expected: "at most \(limits.connectionWindowBytes) bytes", found: "\(limits.windowBytes)")
        }
        object.finish()
        return limits
    }
}
