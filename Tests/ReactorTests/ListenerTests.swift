import Glibc
import Model
import TestSupport
import Testing

@testable import Reactor

/// Listeners of a process that has no descriptor left, in a process of its own.
@Suite struct ListenerTests {
    /// Sets how many descriptors the process may have; those that are open stay open.
    private static func limitDescriptors(to count: rlim_t) {
        var limit = rlimit(rlim_cur: count, rlim_max: 1_024)
        // SAFETY: the pointer is to a local and used during the call only.
        let result = unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
        precondition(result == 0)
    }

    /// A loop with a connection in the queue of its listener, which rests because nothing can be accepted.
    private static func resting() throws -> (loop: Loop, peer: Peer) {
        let loop = try Loop()
        let peer = Peer(port: loop.port)
        limitDescriptors(to: 3)
        for _ in 0..<3 { precondition(loop.turn().isEmpty) }
        precondition(loop.poller.acceptsPostponed == 1)
        return (loop, peer)
    }

    @Test func whoRestsAcceptsAgain() async {
        await #expect(processExitsWith: .success) {
            let (loop, peer) = try Self.resting()
            Self.limitDescriptors(to: 1_024)
            // It rests for its time, and is not asked again and again meanwhile.
            precondition(loop.turn().isEmpty)
            var accepted = 0
            loop.turn(until: { accepted == 1 }) { if case .accepted = $0 { accepted += 1 } }
            precondition(accepted == 1)
            withExtendedLifetime(peer) {}
        }
    }

    /// Who is closed while it rests does not come back.
    @Test func whoRestsCanBeClosed() async {
        await #expect(processExitsWith: .success) {
            let (loop, peer) = try Self.resting()
            loop.poller.stopListening { _ in true }
            Self.limitDescriptors(to: 1_024)
            var ended = false
            loop.poller.schedule(TimerToken(role: 1, owner: 0, generation: 0), at: loop.poller.now + 200)
            loop.turn(until: { ended }) {
                if case .accepted = $0 { fatalError("it came back") }
                if case .timer(let token) = $0, token.role == 1 { ended = true }
            }
            precondition(peer.waitForEnd())
        }
    }

    /// Clients whose connection the kernel has accepted are served, not reset, when their listener closes.
    @Test func whatWaitsInTheQueueIsTakenAtTheEnd() throws {
        let loop = try Loop()
        let peers = (0..<100).map { _ in Peer(port: loop.port) }
        loop.poller.stopListening { $0 == 5 }
        #expect(loop.poller.hasLateArrivals)
        var sockets: [Socket] = []
        loop.turn { if case .accepted(5, let socket) = $0 { sockets.append(socket) } }
        #expect(sockets.count == 100)
        #expect(!loop.poller.hasLateArrivals)
        peers[99].send("still")
        loop.turn(until: { sockets.contains { $0.unread == 5 } })
        let target = try #require(SocketAddress(literal: "127.0.0.1", port: loop.port))
        var isRefused = false
        do { _ = try loop.poller.connect(to: target) } catch { isRefused = true }
        loop.turn(until: { isRefused }) { if case .failed = $0 { isRefused = true } }
    }

    /// Two loops at one socket; one lets go of it, as at a hand-over, and the other goes on.
    @Test func aSharedSocketLivesOn() throws {
        let wanted = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
        let bound = try BoundListener(wanted)
        let copy = try bound.duplicate()
        #expect(copy.address == bound.address)
        let port = bound.address.port
        let (first, second) = (try Loop(), try Loop())
        try first.poller.listen(bound, id: 1)
        try second.poller.listen(copy, id: 2)
        let peers = (0..<20).map { _ in Peer(port: port) }
        var counts = [0, 0]
        first.turn(until: { counts[0] == 20 }) { if case .accepted(1, _) = $0 { counts[0] += 1 } }
        first.poller.stopListening { $0 == 1 }
        let late = Peer(port: port)
        second.turn(until: { counts[1] == 1 }) { if case .accepted(2, _) = $0 { counts[1] += 1 } }
        #expect(counts == [20, 1])
        withExtendedLifetime((peers, late)) {}
    }

    /// Which open file a descriptor stands for; nil for none.
    private func identity(_ descriptor: Int32) -> UInt64? {
        var status = stat()
        // SAFETY: the structure outlives the call.
        return unsafe fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    @Test func onlyListeningStreamSocketsAreAdopted() throws {
        var pair: [Int32] = [0, 0]
        // SAFETY: the array has room for both.
        precondition(unsafe pipe(&pair) == 0)
        let refused = identity(pair[0])
        #expect(throws: KernelError(ENOTSOCK)) { _ = try BoundListener(adopting: pair[0]) }
        // Others may have got the number in between.
        #expect(identity(pair[0]) != refused, "what is refused is closed")
        let unconnected = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(throws: KernelError(EINVAL)) { _ = try BoundListener(adopting: unconnected) }
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        #expect(throws: KernelError(EINVAL)) { _ = try BoundListener(adopting: datagrams) }
        #expect(throws: KernelError(EBADF)) { _ = try BoundListener(adopting: 9_999) }
        _ = close(pair[1])

        let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        precondition(listen(plain, 5) == 0)
        let bound = try BoundListener(adopting: plain)
        #expect(bound.address.port != 0)
        #expect(fcntl(plain, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(plain, F_GETFL) & O_NONBLOCK != 0)
    }
}
