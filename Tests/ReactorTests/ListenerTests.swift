import Glibc
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
        limitDescriptors(to: 1_024)
        return (loop, peer)
    }

    @Test func whoRestsAcceptsAgain() async {
        await #expect(processExitsWith: .success) {
            let (loop, peer) = try Self.resting()
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
            var ended = false
            loop.poller.schedule(TimerToken(role: 1, owner: 0, generation: 0), at: loop.poller.now + 200)
            loop.turn(until: { ended }) {
                if case .accepted = $0 { fatalError("it came back") }
                if case .timer(let token) = $0, token.role == 1 { ended = true }
            }
            precondition(peer.isOver)
        }
    }
}
