/// What one HTTP/2 connection may ask of this program. Budgets are for one window of time each.
///
/// Windows: a stream whose body nobody takes holds at most `initialWindow` bytes, all streams of a connection together at
/// most `connectionWindow`. Credit for both is given back when a body has been passed on, so that
/// `connectionWindow / initialWindow` stalled uploads stop the other uploads of the same connection, and fewer do not.
package struct H2Limits: Sendable {
    /// Of a head: the size of the field list (RFC 9113 section 6.5.2: name, value and 32 bytes of each field), its
    /// number of fields, and the length of `:path`.
    package var head = HTTPLimits()
    /// Streams open at the same time, advertised.
    package var maximumStreams = 100
    /// Flow-control window of a stream for what the peer sends, in bytes.
    package var initialWindow = 65_535
    /// Flow-control window of the connection for what the peer sends, in bytes; never below 65,535.
    package var connectionWindow = 1_048_576
    /// Largest dynamic table of HPACK in bytes, in both directions.
    package var headerTableSize = 4096
    /// Compressed bytes of one field block, HEADERS and CONTINUATION frames together. Compression seldom makes a list
    /// longer, so that a head which is a little too large still gets its 431.
    var maximumBlockBytes: Int { 2 &* head.maximumHeadBytes }
    /// CONTINUATION frames of one field block (CVE-2024-28182).
    package var maximumContinuations = 8
    /// Whether clients are told that they may ask for tunnels with extended CONNECT (RFC 8441). Not where nobody relays
    /// them: a browser that is told so no longer opens WebSockets over HTTP/1.
    package var acceptsTunnels = true
    /// Bytes waiting in a stream below which `H2Event.drained` comes.
    package var lowWater = 32_768

    /// Length of a window of time in milliseconds.
    package var budgetWindow: Int64 = 10_000
    /// Streams that the peer resets before their response is done (CVE-2023-44487).
    package var maximumResets = 100
    /// Streams that we reset, or answer with an error of form, for what the peer sent on them (CVE-2025-8671).
    package var maximumProvokedResets = 100
    package var maximumSettings = 100
    package var maximumPings = 1000
    /// Frames without payload that end nothing, and interim responses.
    package var maximumEmptyFrames = 1000
    /// WINDOW_UPDATE frames; 10 more for each DATA frame sent and each stream.
    package var maximumWindowUpdates = 1000
    /// PRIORITY and GOAWAY frames; 10 more for each stream.
    package var maximumPriorities = 1000
    /// Frames waiting to be sent, bodies not counted.
    package var maximumQueuedFrames = 2000

    package init() {}
}
