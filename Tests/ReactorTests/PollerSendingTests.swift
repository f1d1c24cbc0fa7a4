import Bytes
import TestSupport
import Testing

@testable import Reactor

/// Sending and connecting over real sockets, in one thread.
@Suite struct PollerSendingTests {
    /// A ring tells of every event that the peer has sent its last byte, and must hear of room all the same.
    @Test func whoHasSentTheLastByteTakesTheRestLate() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted(receiveBuffer: 4096)
        socket.limitSendBuffer(to: 4096)
        peer.shutdownSending()
        loop.turn(until: { socket.ended })
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        loop.poller.send(socket, loop.chunk(bytes))
        loop.turn()
        for _ in 0..<5 { #expect(loop.turn().isEmpty, "no spinning on what is known") }
        var kinds: [String] = []
        while peer.received.count < bytes.count {
            peer.receive(atMost: 10_000)
            loop.turn { kinds.append($0.kind) }
        }
        let isWhole = peer.received == bytes
        #expect(isWhole && kinds == ["sent"] && socket.pendingBytes == 0)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    static func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
        (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    }

    @Test func aSlowReaderGetsEverythingInOrder() throws {
        let loop = try Loop(chunkSize: 64 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 8 * 1024)
        let all = Self.pattern(8 * 1024 * 1024)
        var queued = 0
        while queued < all.count {
            let piece = min(64 * 1024, all.count - queued)
            loop.poller.send(socket, loop.chunk(Array(all[queued..<queued + piece])))
            queued += piece
        }
        #expect(socket.pendingBytes > 0)
        var sent = 0
        loop.turn(until: {
            peer.receive(atMost: 500_000)
            return peer.received.count >= all.count
        }) {
            if $0.kind == "sent" { sent += 1 }
        }
        let isWhole = peer.received == all
        #expect(isWhole)
        loop.turn { if $0.kind == "sent" { sent += 1 } }
        #expect(sent == 1)
        #expect(socket.pendingBytes == 0)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// What the kernel holds for a slow reader stays bounded: megabytes in small segments take it milliseconds to give
    /// back, and a hundred slow readers are closed at once when their time is up (issue B, slow read).
    @Test func theKernelHoldsLittleForASlowReader() throws {
        let loop = try Loop(chunkSize: 64 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        for _ in 0..<128 { loop.poller.send(socket, loop.chunk(Self.pattern(64 * 1024))) }
        loop.turn()
        #expect(socket.sentBytes + socket.pendingBytes == 128 * 64 * 1024)
        #expect(socket.sentBytes < 512 * 1024, "\(socket.sentBytes)")
        withExtendedLifetime(peer) {}
    }

    /// Accepted and made connections alike send small messages at once.
    @Test func nothingWaitsForMoreToSend() throws {
        let loop = try Loop()
        let (accepted, peer) = try loop.accepted()
        let made = try loop.poller.connect(to: try #require(SocketAddress(literal: "127.0.0.1", port: loop.port)))
        #expect(accepted.sendsAtOnce)
        #expect(made.sendsAtOnce)
        withExtendedLifetime(peer) {}
    }

    /// The two-chunk form keeps the order behind what already waits, and gives every chunk back.
    @Test func twoChunksGoOutInOneOrder() throws {
        let loop = try Loop(chunkSize: 32 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        var expected: [UInt8] = []
        for round in 0..<200 {
            let first = Self.pattern(1 + round * 37 % 5_000, from: round)
            let second = Self.pattern(30_000, from: round * 7)
            expected += first + second
            loop.poller.send(socket, loop.chunk(first), loop.chunk(second))
        }
        loop.poller.send(socket, loop.poller.chunks.take(), loop.chunk("end"))
        expected += Array("end".utf8)
        #expect(socket.pendingBytes > 0)
        loop.turn(until: {
            peer.receive(atMost: 50_000)
            return peer.received.count >= expected.count
        })
        let isWhole = peer.received == expected
        #expect(isWhole)
        loop.turn()
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func whatWaitsIsGivenBackOnClosing() throws {
        let loop = try Loop(chunkSize: 64 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        for _ in 0..<200 { loop.poller.send(socket, loop.chunk(Self.pattern(64 * 1024))) }
        peer.send("unread")
        loop.turn(until: { socket.unread > 0 })
        #expect(socket.pendingBytes > 0)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
        loop.poller.send(socket, loop.chunk("too late"))
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// A chunk that its owner holds for another sending is neither given to the pool nor counted as given.
    @Test func aHeldChunkStaysWithItsHolder() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        let chunk = loop.chunk("request")
        chunk.isHeld = true
        loop.poller.send(socket, chunk)
        #expect(peer.text == "request")
        #expect(loop.poller.chunks.inUse == 1)
        chunk.rewind(to: 7)
        loop.poller.send(socket, chunk)
        #expect(peer.text == "requestrequest")
        loop.poller.close(socket)
        chunk.isHeld = false
        loop.poller.chunks.give(chunk)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func sendingToAGonePeerFailsOnce() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.reset()
        loop.poller.send(socket, loop.chunk("one"))
        loop.poller.send(socket, loop.chunk("two"))
        var kinds: [String] = []
        loop.turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == ["failed"])
        #expect(loop.poller.chunks.inUse == 0)
        loop.poller.close(socket)
    }

    // MARK: Connecting

    private func connect(_ loop: Loop, _ port: UInt16) throws -> Socket {
        try loop.poller.connect(to: try #require(SocketAddress(literal: "127.0.0.1", port: port)))
    }

    @Test func aConnectionIsReportedAndUsable() throws {
        let loop = try Loop()
        let listener = PeerListener()
        let socket = try connect(loop, listener.port)
        // Bytes may be queued before it stands.
        loop.poller.send(socket, loop.chunk("early"))
        var kinds: [String] = []
        loop.turn(until: { kinds.contains("connected") }) { kinds.append($0.kind) }
        let peer = try #require(listener.accept())
        loop.poller.send(socket, loop.chunk(" late"))
        loop.turn(until: { peer.text == "early late" })
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aRefusedConnectionFails() throws {
        let loop = try Loop()
        let port = RefusingPort()
        defer { withExtendedLifetime(port) {} }
        var error: KernelError?
        do {
            let socket = try connect(loop, port.number)
            loop.poller.send(socket, loop.chunk("never"))
            loop.turn(until: { error != nil }) {
                if case .failed(_, let reason) = $0 { error = reason }
            }
            loop.poller.close(socket)
        } catch let refusal as KernelError {
            error = refusal
        }
        #expect(error?.text == "Connection refused")
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// A server that speaks first and closes, all before the loop looks: the end must be reported although no event follows.
    @Test func whatCameBeforeTheConnectionWasSeenIsNotLost() throws {
        let loop = try Loop()
        let listener = PeerListener()
        let socket = try connect(loop, listener.port)
        let peer = try #require(listener.accept())
        peer.send("busy")
        peer.close()
        var kinds: [String] = []
        var text = ""
        for _ in 0..<5 {
            loop.turn {
                kinds.append($0.kind)
                text += socket.readText()
            }
        }
        #expect(kinds == ["connected", "received", "ended"])
        #expect(text == "busy")
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// The peer answers, and closes without reading the rest: its answer is read before the failure is reported.
    @Test func anAnswerAheadOfAResetIsRead() throws {
        let loop = try Loop(chunkSize: 64 * 1024)
        let (socket, peer) = try loop.accepted(receiveBuffer: 4 * 1024)
        for _ in 0..<100 { loop.poller.send(socket, loop.chunk(Self.pattern(64 * 1024))) }
        #expect(socket.pendingBytes > 0)
        peer.send("enough")
        peer.close()
        var kinds: [String] = []
        var text = ""
        loop.turn(until: { kinds.last == "failed" || kinds.last == "ended" }) {
            kinds.append($0.kind)
            text += socket.readText()
        }
        #expect(text == "enough")
        #expect(kinds == ["received", "failed"])
        #expect(loop.turn().isEmpty)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }
}
