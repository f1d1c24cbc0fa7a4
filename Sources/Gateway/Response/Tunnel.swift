/// State of a requested upgrade and the resulting tunnel.
///
/// After the upstream's agreement both connections carry opaque bytes until both sides end or a connection breaks.
final class Tunnel {
    let upgrade: Upgrade
    /// Frame boundaries of the upstream's direction, for a WebSocket.
    var frames: WebSocketFrames?
    /// Whether the client's end was passed on to the upstream.
    var clientIsDone = false
    /// Whether the upstream's end was passed on to the client.
    var upstreamIsDone = false

    init(_ upgrade: Upgrade) { self.upgrade = upgrade }

    /// Whether exactly one direction has ended.
    var isHalfClosed: Bool { clientIsDone != upstreamIsDone }
}
