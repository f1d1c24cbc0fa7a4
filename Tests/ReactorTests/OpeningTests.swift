import Bytes
import TestSupport
import Testing

@testable import Reactor

/// Issue B: handshakes, each as dear as dozens of requests, come behind what the connected have sent, and by ones.
@Suite struct OpeningTests {
    /// A filter whose handshake takes a while.
    private final class SlowFilter: StreamFilter {
        static let milliseconds: Int64 = 20
        private let inner = ToyFilter(isServer: true)
        var hasMore: Bool { inner.hasMore }

        func start(replying wire: Chunk) -> StreamFilterState { inner.start(replying: wire) }

        func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> StreamFilterState {
            let end = Clock.monotonicMilliseconds + SlowFilter.milliseconds
            while inner.state == .opening, Clock.monotonicMilliseconds < end {}
            return inner.receive(received, into: plain, replying: wire)
        }

        func send(_ plain: Chunk, into wire: Chunk) -> StreamFilterState { inner.send(plain, into: wire) }
        func finish(into wire: Chunk) { inner.finish(into: wire) }
    }

    /// Four clients have said the first message of a handshake, and then one that is connected has sent a request.
    private struct Crowd {
        let loop: Loop
        let connected: (socket: Socket, peer: Peer)
        let opening: [(socket: Socket, peer: Peer)]

        init() throws {
            let loop = try Loop()
            self.loop = loop
            connected = try loop.accepted()
            opening = try (0..<4).map { _ in
                let accepted = try loop.accepted()
                loop.poller.secure(accepted.socket, with: SlowFilter())
                return accepted
            }
            loop.turn()
            for (_, peer) in opening { peer.send(ToyFilter.record(.hello, [])) }
            connected.peer.send("request")
        }
    }

    @Test func whoIsConnectedComesFirst() throws {
        let crowd = try Crowd()
        let kinds = crowd.loop.turn { _ in _ = crowd.connected.socket.read() }.map(\.kind)
        #expect(kinds.first == "received")
        #expect(kinds.contains("secured"), "one handshake goes on in each turn")
    }

    /// The request that comes between two handshakes is read before the second of them.
    @Test func handshakesAreSpreadOverTurns() throws {
        let crowd = try Crowd()
        var order: [String] = []
        var requests = 1
        crowd.loop.turn(until: { order.count { $0 == "secured" } == 4 }) { completion in
            order.append(completion.kind)
            _ = crowd.connected.socket.read()
            guard case .secured = completion, requests < 4 else { return }
            requests += 1
            crowd.connected.peer.send("request")
        }
        #expect(order == (0..<4).flatMap { _ in ["received", "secured"] })
    }

    @Test func oneThatIsClosedMeanwhileIsForgotten() throws {
        let crowd = try Crowd()
        var secured = 0
        crowd.loop.turn(until: { secured == 1 }) { if case .secured = $0 { secured += 1 } }
        let waiting = crowd.opening.filter { !$0.socket.isSecured }
        #expect(waiting.count == 3)
        crowd.loop.poller.close(waiting[0].socket)
        // Its place is another connection's at once, which has said nothing yet.
        let next = try crowd.loop.accepted()
        #expect(next.socket === waiting[0].socket)
        crowd.loop.poller.secure(next.socket, with: SlowFilter())
        crowd.loop.turn(until: { waiting[1].socket.isSecured && waiting[2].socket.isSecured })
        #expect(!next.socket.isSecured)
        next.peer.send(ToyFilter.record(.hello, []))
        crowd.loop.turn(until: { next.socket.isSecured })
    }
}
