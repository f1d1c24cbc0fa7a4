import Bytes
import TestSupport
import Testing

@testable import Reactor

/// Issue B: who asks for little does not wait for large bodies, nor for the closing of connections that hold much.
@Suite struct TurnSharesTests {
    private func spin(milliseconds: Int64) {
        let end = Clock.monotonicMilliseconds + milliseconds
        while Clock.monotonicMilliseconds < end {}
    }

    /// Four clients have sent more than is read at once, and each piece takes longer than the share of a turn.
    @Test func largeBodiesGoOnByOnesBehindWhatComesNew() throws {
        let loop = try Loop(chunkSize: 1024)
        let small = try loop.accepted()
        let large = try (0..<4).map { _ in try loop.accepted() }
        let size = 40 * 1024
        for (_, peer) in large { #expect(peer.send([UInt8](repeating: 0x61, count: size)) == size) }
        var read = [Int](repeating: 0, count: 4)
        func take(_ socket: Socket) {
            guard let index = large.firstIndex(where: { $0.socket === socket }) else { return }
            read[index] += socket.read().count
        }
        loop.turn(until: { read.allSatisfy { $0 > 0 } }) { completion in
            if case .received(let socket) = completion { take(socket) }
        }
        for _ in 0..<5 {
            small.peer.send("request")
            var order: [String] = []
            loop.turn { completion in
                guard case .received(let socket) = completion else { return }
                if socket === small.socket {
                    order.append("small")
                    _ = socket.read()
                } else {
                    order.append("large")
                    take(socket)
                    spin(milliseconds: 2)
                }
            }
            #expect(order == ["small", "large"])
        }
        // Nothing is lost, and each has its turn.
        loop.turn(until: { read.allSatisfy { $0 == size } }) { completion in
            if case .received(let socket) = completion { take(socket) }
        }
    }

    /// What has filled a buffer is read in larger pieces, where memory allows it.
    @Test(arguments: [true, false])
    func whatComesInLargePiecesIsReadAheadFurther(_ readsFarAhead: Bool) throws {
        let loop = try Loop(chunkSize: 1024)
        loop.poller.readsFarAhead = readsFarAhead
        let (socket, peer) = try loop.accepted()
        var pieces: [Int] = []
        for size in [1024, 11 * 1024] {
            let before = pieces.reduce(0, +)
            #expect(peer.send([UInt8](repeating: 0x61, count: size)) == size)
            loop.turn(until: { pieces.reduce(0, +) == before + size }) { completion in
                if case .received = completion { pieces.append(socket.read().count) }
            }
        }
        #expect(pieces == (readsFarAhead ? [1024, 8192, 3072] : [Int](repeating: 1024, count: 12)))
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aConnectionThatHoldsMuchIsClosedBehindTheTurn() throws {
        let loop = try Loop()
        let light = try loop.accepted()
        let heavy = try (0..<3).map { _ in try loop.accepted() }
        for (socket, _) in heavy { loop.poller.pauseReading(socket) }
        loop.poller.close(light.socket)
        for (index, (socket, _)) in heavy.enumerated() { loop.poller.close(socket, reset: index == 0) }
        #expect(heavy.allSatisfy { !$0.socket.isOpen })
        for (_, peer) in heavy { #expect(!peer.isOver) }
        // A place that is free is another's at once, and what happens to the old connection is nothing of it.
        heavy[0].peer.send("late")
        let next = try loop.accepted()
        #expect(light.peer.waitForEnd())
        #expect(heavy.contains { $0.socket === next.socket })
        loop.turn(until: { loop.poller.closings.isEmpty })
        for (_, peer) in heavy { #expect(peer.waitForEnd()) }
        #expect(heavy[0].peer.wasReset)
        next.peer.send("request")
        loop.turn(until: { next.socket.unread > 0 })
        #expect(next.socket.readText() == "request")
    }

    @Test func theLoopsEndClosesWhatWaits() throws {
        var loop: Loop? = try Loop()
        let accepted = try #require(try loop?.accepted())
        loop?.poller.pauseReading(accepted.socket)
        loop?.poller.close(accepted.socket)
        loop = nil
        #expect(accepted.peer.waitForEnd())
    }
}
