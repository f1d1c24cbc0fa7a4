/// What an exchange keeps of the upgrade that it asks for, and of the tunnel that comes of it.
///
/// Once the upstream has agreed, both connections carry bytes that the gateway does not look into, until both sides
/// have ended or one of the connections breaks.
final class Tunnel {
    let upgrade: Upgrade
    /// Where the frames of the upstream stand, if they are those of a WebSocket.
    var frames: WebSocketFrames?
    /// The client's end was passed on to the upstream.
    var clientIsDone = false
    /// The upstream's end was passed on to the client.
    var upstreamIsDone = false

    init(_ upgrade: Upgrade) { self.upgrade = upgrade }

    /// One direction has ended and the other goes on.
    var isHalfClosed: Bool { clientIsDone != upstreamIsDone }
}
