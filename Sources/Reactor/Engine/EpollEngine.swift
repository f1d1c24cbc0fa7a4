import Bytes
import CLinux

/// The engine of epoll(7). Sockets are registered once, edge-triggered, so that a request costs no `epoll_ctl`; listeners
/// are level-triggered.
final class EpollEngine: Engine {
    private let epoll: Descriptor
    private let events = EventBuffer(capacity: 512)
    private var cursor = 0

    private static let wakerData: UInt64 = .max
    private static let listenerFlag: UInt64 = 1 << 63

    override init(
        _ chunks: ChunkPool, _ sockets: SocketTable, _ revisits: Backlog, _ waker: Waker
    ) throws(KernelError) {
        epoll = Descriptor(try Kernel.check(clinux_epoll_create()))
        try super.init(chunks, sockets, revisits, waker)
        _ = try Kernel.check(clinux_epoll_add(epoll.number, waker.descriptor, CLINUX_IN, EpollEngine.wakerData))
    }

    override func wait(timeoutMilliseconds: Int32, turn: UInt64) {
        cursor = 0
        events.wait(epoll: epoll.number, timeoutMilliseconds: timeoutMilliseconds)
    }

    override var event: EngineEvent? {
        guard cursor < events.count else { return nil }
        let (data, mask) = events.event(cursor)
        if data == EpollEngine.wakerData { return EngineEvent(kind: .woken, place: 0) }
        if data & EpollEngine.listenerFlag != 0 {
            return EngineEvent(kind: .listener, place: Int(data & ~EpollEngine.listenerFlag))
        }
        return EngineEvent(
            kind: .socket, place: Int(data & 0xffff_ffff), generation: UInt32(data >> 32), mask: mask)
    }

    override func advance() { cursor += 1 }

    override func register(_ socket: Socket, connecting: Bool) {
        let mask = CLINUX_IN | CLINUX_OUT | CLINUX_RDHUP | CLINUX_EDGE
        if clinux_epoll_add(epoll.number, socket.descriptor, mask, socket.identity) < 0 { failForMemory(socket) }
    }

    override func watch(_ listener: Listener, at place: Int) throws(KernelError) {
        // Wakes only one of the loops that wait at the same socket.
        let mask = listener.isShared ? CLINUX_IN | CLINUX_EXCLUSIVE : CLINUX_IN
        let data = EpollEngine.listenerFlag | UInt64(place)
        _ = try Kernel.check(clinux_epoll_add(epoll.number, listener.descriptor, mask, data))
        listener.registered = true
    }

    override func unwatch(_ listener: Listener, at place: Int) {
        _ = clinux_epoll_remove(epoll.number, listener.descriptor)
        listener.registered = false
    }
}
