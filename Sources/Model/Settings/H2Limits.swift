/// Limits of an HTTP/2 connection. Budgets apply to one window of time each.
///
/// Windows: an unread stream holds at most `initialWindow` bytes, all streams of a connection at most
/// `connectionWindow`. Credit is returned when a body has been forwarded, so that `connectionWindow / initialWindow`
/// stalled uploads block the other uploads of a connection. A request that waits at a full upstream gets it for the bytes
/// that are buffered meanwhile.
package struct H2Limits: Sendable {
    /// Limits of a head: size of the field list (RFC 9113 section 6.5.2: name, value and 32 bytes for each field),
    /// number of fields, and length of `:path`.
    package var head = HTTPLimits()
    /// Advertised limit of concurrent streams.
    package var maximumStreams = 100
    /// Receive window of a stream in bytes.
    package var initialWindow = 65_535
    /// Receive window of the connection in bytes; at least 65,535.
    package var connectionWindow = 1_048_576
    /// Largest dynamic table of HPACK in bytes, in both directions.
    package var headerTableSize = 4096
    /// CONTINUATION frames of one field block (CVE-2024-28182).
    package var maximumContinuations = 8
    /// Whether extended CONNECT (RFC 8441) is advertised. Browsers then no longer open WebSockets over HTTP/1, so that
    /// tunnels must be supported.
    package var acceptsTunnels = true
    /// Unframed bytes of a stream below which `H2Event.drained` is reported.
    package var lowWater = 32_768

    /// Length of a window of time in milliseconds.
    package var budgetWindow: Int64 = 10_000
    /// Streams that the peer resets before their response is complete (CVE-2023-44487).
    package var maximumResets = 100
    /// Streams that are reset or refused because of invalid frames of the peer (CVE-2025-8671).
    package var maximumProvokedResets = 100
    package var maximumSettings = 100
    package var maximumPings = 1000
    /// Empty frames that end no message, and interim responses.
    package var maximumEmptyFrames = 1000
    /// WINDOW_UPDATE frames; 10 more for each DATA frame sent and each stream.
    package var maximumWindowUpdates = 1000
    /// PRIORITY and GOAWAY frames; 10 more for each stream.
    package var maximumPriorities = 1000
    /// Queued frames, bodies excluded.
    package var maximumQueuedFrames = 2000

    package init() {}
}
