import Bytes
import TestSupport
import Testing

@testable import Reactor

/// A peer that reads slowly while small pieces come for it.
@Suite struct RegressionSmallPiecesTests {
    @Test func smallPiecesThatWaitShareBuffers() throws {
        let loop = try Loop(chunkSize: 16 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        var expected: [UInt8] = []
        while socket.pendingBytes == 0 {
            let piece = PollerSendingTests.pattern(16 * 1024, from: expected.count)
            expected += piece
            loop.poller.send(socket, loop.chunk(piece))
        }
        let before = loop.poller.chunks.inUse
        for _ in 0..<10_000 {
            let piece = PollerSendingTests.pattern(6, from: expected.count)
            expected += piece
            loop.poller.send(socket, loop.chunk(piece))
        }
        // 60 kB, in buffers of 16 kB.
        #expect(loop.poller.chunks.inUse <= before + 5)
        loop.turn(until: {
            peer.receive(atMost: 1_000_000)
            return peer.received.count >= expected.count
        })
        let isWhole = peer.received == expected
        #expect(isWhole)
        loop.turn()
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// A chunk that is held for another sending must keep what it has, and nothing else.
    @Test func nothingIsAddedToAHeldChunk() throws {
        let loop = try Loop(chunkSize: 16 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        var expected: [UInt8] = []
        while socket.pendingBytes == 0 {
            let piece = PollerSendingTests.pattern(16 * 1024, from: expected.count)
            expected += piece
            loop.poller.send(socket, loop.chunk(piece))
        }
        let held = loop.chunk(PollerSendingTests.pattern(16 * 1024 - 10))
        held.isHeld = true
        loop.poller.send(socket, held)
        loop.poller.send(socket, loop.chunk("behind"))
        expected += PollerSendingTests.pattern(16 * 1024 - 10) + Array("behind".utf8)
        #expect(held.count == 16 * 1024 - 10)
        loop.turn(until: {
            peer.receive(atMost: 1_000_000)
            return peer.received.count >= expected.count
        })
        let isWhole = peer.received == expected
        #expect(isWhole)
        held.isHeld = false
        loop.poller.chunks.give(held)
        loop.turn()
        #expect(loop.poller.chunks.inUse == 0)
    }
}
