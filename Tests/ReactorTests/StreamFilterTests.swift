import Bytes
import TestSupport
import Testing

@testable import Reactor

/// What an owner sees of a connection with a filter, over real sockets.
@Suite struct StreamFilterTests {
    private typealias Toy = ToyFilter

    /// A connection that the loop has accepted and given a filter.
    private func secured(
        _ loop: Loop, hoards: Bool = false, open: Bool = true, receiveBuffer: Int32? = nil
    ) throws -> (socket: Socket, peer: Peer, filter: ToyFilter) {
        let (socket, peer) = try loop.accepted(receiveBuffer: receiveBuffer)
        let filter = ToyFilter(isServer: true, hoards: hoards)
        loop.poller.secure(socket, with: filter)
        guard open else { return (socket, peer, filter) }
        peer.send(Toy.record(.hello, []))
        var kinds: [String] = []
        loop.turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        #expect(kinds == ["secured"])
        #expect(Toy.read(Array(peer.text.utf8)).kinds == [.welcome])
        peer.forget()
        return (socket, peer, filter)
    }

    @Test(arguments: [false, true])
    func ownersSeeWhatStandsInTheRecords(_ hoards: Bool) throws {
        let loop = try Loop()
        let (socket, peer, filter) = try secured(loop, hoards: hoards)
        #expect(socket.filter === filter)
        for word in ["hello", "again"] {
            peer.send(Toy.record(word))
            var text = ""
            loop.turn(until: { text == word }) { _ in text += socket.readText() }
            #expect(loop.poller.chunks.inUse == 0, "an idle connection holds no buffer")
            loop.poller.send(socket, loop.chunk("answer"))
            peer.receive()
            #expect(Toy.read(peer.received).payload == Array("answer".utf8))
            #expect(socket.pendingBytes == 0)
            peer.forget()
        }
        loop.poller.close(socket)
        loop.turn()
        #expect(peer.waitForEnd())
        #expect(Toy.read(peer.received).kinds == [.end])
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// The whole conversation cut in two at every place: the same is reported, in the same order.
    @Test(arguments: [false, true])
    func everySplitTellsTheSame(_ hoards: Bool) throws {
        let loop = try Loop(chunkSize: 16)
        let wire =
            Toy.record(.hello, []) + Toy.record("one") + Toy.record("a longer one, of some bytes") + Toy.record("")
            + Toy.record(.end, [])
        for cut in 0...wire.count {
            let (socket, peer, _) = try secured(loop, hoards: hoards, open: false)
            var kinds: [String] = []
            var text = ""
            let take: (Completion) -> Void = {
                kinds.append($0.kind)
                text += socket.readText()
            }
            peer.send(Array(wire[..<cut]))
            for _ in 0..<3 { loop.turn(take) }
            peer.send(Array(wire[cut...]))
            loop.turn(until: { socket.ended }, take)
            let received = kinds.filter { $0 == "received" }.count
            let isOrdered = kinds == ["secured"] + Array(repeating: "received", count: received) + ["ended"]
            #expect(isOrdered, "cut at \(cut): \(kinds)")
            #expect(text == "onea longer one, of some bytes", "cut at \(cut)")
            #expect(socket.endedCleanly)
            loop.poller.close(socket)
            #expect(loop.poller.chunks.inUse == 0, "cut at \(cut)")
        }
    }

    @Test func theClientsSideOpensToo() throws {
        let loop = try Loop()
        let listener = PeerListener()
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: listener.port))
        let socket = try loop.poller.connect(to: address, filter: ToyFilter(isServer: false))
        // Kept in order until it is open.
        loop.poller.send(socket, loop.chunk("early "), loop.chunk("bird"))
        #expect(socket.pendingBytes >= 10)
        var kinds: [String] = []
        loop.turn(until: { kinds.contains("connected") }) { kinds.append($0.kind) }
        let peer = try #require(listener.accept())
        loop.poller.send(socket, loop.chunk(", later"))
        for _ in 0..<3 { loop.turn { kinds.append($0.kind) } }
        peer.receive()
        #expect(Toy.read(peer.received).kinds == [.hello])
        #expect(socket.pendingBytes == 17)
        // Handshake and first bytes come in one piece.
        peer.send(Toy.record(.welcome, []) + Toy.record("worm"))
        loop.turn(until: { kinds.last == "received" }) { kinds.append($0.kind) }
        #expect(kinds == ["connected", "secured", "sent", "received"])
        #expect(socket.readText() == "worm")
        peer.receive()
        #expect(Toy.read(peer.received).payload == Array("early bird, later".utf8))
        #expect(socket.pendingBytes == 0)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// Bytes that came behind the header of a PROXY protocol stand in the inbox already.
    @Test func theInboxBecomesInput() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.send(Array("PROXY\n".utf8) + Toy.record(.hello, []) + Toy.record("first"))
        loop.turn(until: { socket.unread > 10 })
        socket.inbox?.consume(6)
        loop.poller.secure(socket, with: ToyFilter(isServer: true))
        var kinds: [String] = []
        loop.turn(until: { socket.unread == 5 }) { kinds.append($0.kind) }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == ["secured", "received"])
        #expect(socket.readText() == "first")
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// Far more than the buffers hold, both ways at once, to and from a peer that reads slowly.
    @Test(arguments: [false, true])
    func muchGoesBothWays(_ hoards: Bool) throws {
        let loop = try Loop(chunkSize: 16 * 1024)
        let (socket, peer, _) = try secured(loop, hoards: hoards, receiveBuffer: 8 * 1024)
        socket.limitSendBuffer(to: 16 * 1024)
        let down = PollerSendingTests.pattern(1_000_000)
        let up = PollerSendingTests.pattern(500_000, from: 77)
        for start in stride(from: 0, to: down.count, by: 50_000) {
            loop.poller.send(socket, loop.chunk(Array(down[start..<start + 50_000])))
        }
        #expect(socket.pendingBytes > 500_000)
        var wire: [UInt8] = []
        for start in stride(from: 0, to: up.count, by: 2_500) {
            wire += Toy.record(.bytes, Array(up[start..<start + 2_500]))
        }
        var position = 0
        var taken: [UInt8] = []
        var sent = 0
        loop.turn(until: {
            position += peer.send(Array(wire[position..<min(wire.count, position + 40_000)]))
            peer.receive(atMost: 100_000)
            return taken.count == up.count && socket.pendingBytes == 0 && sent > 0
        }) {
            if case .received = $0 { taken += socket.read() }
            if case .sent = $0 { sent += 1 }
        }
        peer.receive()
        let isWhole = taken == up
        #expect(isWhole)
        let cameWhole = Toy.read(peer.received).payload == down
        #expect(cameWhole)
        #expect(sent == 1)
        loop.turn()
        #expect(loop.poller.chunks.inUse == 0)
        #expect(loop.poller.traffic.receivedBytes == UInt64(wire.count + 4))
        #expect(loop.poller.traffic.sentBytes == UInt64(peer.received.count + 4))
        #expect(loop.poller.traffic.partialSends > 0)
        loop.poller.close(socket)
    }

    /// What waits is encrypted no further than the inbox has room.
    @Test(arguments: [false, true])
    func aFullInboxStopsTheFilter(_ hoards: Bool) throws {
        let loop = try Loop(chunkSize: 100)
        let (socket, peer, filter) = try secured(loop, hoards: hoards)
        peer.send(Toy.record(.bytes, PollerSendingTests.pattern(350)) + Toy.record("end"))
        loop.turn(until: { socket.unread == 100 })
        loop.turn()
        let calls = filter.calls
        for _ in 0..<3 { #expect(loop.turn().isEmpty, "no spinning on what cannot be read") }
        #expect(filter.calls == calls)
        var taken = socket.read()
        loop.poller.readMore(socket)
        loop.turn(until: { socket.unread == 100 })
        loop.poller.growInbox(socket, toHold: 400)
        loop.turn(until: { socket.unread == 253 })
        taken += socket.read()
        #expect(taken == PollerSendingTests.pattern(350) + Array("end".utf8))
        loop.poller.readMore(socket)
        loop.turn()
        #expect(loop.poller.chunks.inUse == 0)
        loop.poller.close(socket)
    }

    @Test(arguments: [false, true])
    func aPausedReaderIsToldNothing(_ hoards: Bool) throws {
        let loop = try Loop(chunkSize: 32)
        let (socket, peer, filter) = try secured(loop, hoards: hoards)
        loop.poller.pauseReading(socket)
        let calls = filter.calls
        peer.send(Toy.record(.bytes, PollerSendingTests.pattern(90)) + Toy.record(.end, []))
        for _ in 0..<3 { #expect(loop.turn().isEmpty) }
        #expect(filter.calls == calls)
        loop.poller.resumeReading(socket)
        var taken: [UInt8] = []
        var pauses = 0
        loop.turn(until: { socket.ended }) {
            guard case .received = $0 else { return }
            taken += socket.read()
            // Paused again in the middle, with the rest of the record and the end behind it.
            loop.poller.pauseReading(socket)
            pauses += 1
            loop.poller.resumeReading(socket)
        }
        #expect(taken == PollerSendingTests.pattern(90))
        #expect(pauses >= 3)
        #expect(socket.endedCleanly)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aHangUpWhilePausedIsTold() throws {
        let loop = try Loop()
        let (socket, peer, _) = try secured(loop)
        loop.poller.pauseReading(socket)
        peer.send(Toy.record("last words") + Toy.record(.end, []))
        peer.close()
        #expect(loop.readBehindHangUp(socket) == "last words")
        #expect(socket.endedCleanly)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// An end that was read together with the bytes ahead of it is kept for a reader who pauses between the two.
    @Test func anEndBehindAPauseIsTold() throws {
        let loop = try Loop()
        let (socket, peer, _) = try secured(loop)
        peer.send(Toy.record("bytes") + Toy.record(.end, []))
        var kinds: [String] = []
        loop.turn(until: { kinds.count == 2 }) {
            kinds.append($0.kind)
            if case .received = $0 { loop.poller.pauseReading(socket) }
        }
        #expect(kinds == ["received", "hungUp"])
        #expect(socket.isUnusable)
        loop.poller.resumeReading(socket)
        loop.turn(until: { socket.ended }) { kinds.append($0.kind) }
        #expect(kinds == ["received", "hungUp", "ended"])
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// RFC 8446 section 6.1: an end of the connection that the peer did not announce may be an attack.
    @Test(arguments: [0, 3])
    func aCutOffEndIsToldApart(_ lost: Int) throws {
        let loop = try Loop()
        let (socket, peer, _) = try secured(loop)
        peer.send(Array(Toy.record("whole") + Toy.record("x").dropLast(lost)))
        peer.shutdownSending()
        var text = ""
        loop.turn(until: { socket.ended }) { _ in text += socket.readText() }
        #expect(text == (lost == 0 ? "wholex" : "whole"))
        #expect(!socket.endedCleanly)
        #expect(loop.turn().isEmpty)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func withoutAFilterEveryEndIsClean() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.shutdownSending()
        loop.turn(until: { socket.ended })
        #expect(socket.endedCleanly)
        #expect(socket.filter == nil)
        loop.poller.close(socket)
    }

    /// A client may end its side and wait for the answer.
    @Test func anAnswerFollowsTheEnd() throws {
        let loop = try Loop()
        let (socket, peer, filter) = try secured(loop)
        peer.send(Toy.record("question") + Toy.record(.end, []))
        loop.turn(until: { socket.ended })
        loop.poller.send(socket, loop.chunk("answer"))
        loop.poller.shutdownSending(socket)
        #expect(peer.waitForEnd())
        #expect(Toy.read(peer.received).payload == Array("answer".utf8))
        #expect(Toy.read(peer.received).kinds == [.bytes, .end])
        loop.poller.close(socket)
        #expect(filter.finished == 1)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test(arguments: [false, true])
    func aFailureFollowsItsAlert(_ isOpen: Bool) throws {
        let loop = try Loop()
        let (socket, peer, filter) = try secured(loop, open: isOpen)
        if !isOpen { loop.poller.send(socket, loop.chunk("never")) }
        peer.send((isOpen ? Toy.record("good") : []) + Toy.record(.welcome, []))
        var kinds: [String] = []
        var error: KernelError?
        loop.turn(until: { error != nil }) {
            kinds.append($0.kind)
            if case .failed(_, let reason) = $0 { error = reason }
        }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == (isOpen ? ["received", "failed"] : ["failed"]))
        #expect(error == KernelError(71), "EPROTO")
        #expect(Toy.read(Array(peer.text.utf8)).kinds == [.alert])
        loop.poller.send(socket, loop.chunk("dropped"))
        loop.poller.close(socket)
        #expect(filter.finished == 0)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// Who goes in the middle of the handshake has failed: of an end only an open connection can speak.
    @Test func anEndBeforeTheOpeningIsAFailure() throws {
        let loop = try Loop()
        let (socket, peer, filter) = try secured(loop, open: false)
        peer.send([1, 0])
        peer.shutdownSending()
        var kinds: [String] = []
        loop.turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == ["failed"])
        loop.poller.close(socket)
        #expect(filter.finished == 0)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aRecordTooLongIsRefused() throws {
        let loop = try Loop(chunkSize: 100)
        let (socket, peer, _) = try secured(loop)
        peer.send(Toy.record(.bytes, PollerSendingTests.pattern(Toy.longestRecord)))
        var taken = 0
        loop.turn(until: { taken == Toy.longestRecord }) { _ in taken += socket.read().count }
        peer.send(Toy.record(.bytes, PollerSendingTests.pattern(Toy.longestRecord + 1)))
        var failed = false
        loop.turn(until: { failed }) { if case .failed = $0 { failed = true } }
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aResetIsAFailure() throws {
        let loop = try Loop()
        let (socket, peer, _) = try secured(loop)
        peer.reset()
        loop.poller.send(socket, loop.chunk("one"), loop.chunk("two"))
        loop.poller.send(socket, loop.chunk("three"))
        var kinds: [String] = []
        loop.turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == ["failed"])
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// The filter reads a chunk that its owner keeps for another sending, and leaves it to the owner.
    @Test func aHeldChunkStaysWithItsHolder() throws {
        let loop = try Loop()
        let (socket, peer, _) = try secured(loop)
        let chunk = loop.chunk("request")
        chunk.isHeld = true
        loop.poller.send(socket, chunk)
        chunk.rewind(to: 7)
        loop.poller.send(socket, chunk)
        peer.receive()
        #expect(Toy.read(peer.received).payload == Array("requestrequest".utf8))
        #expect(loop.poller.chunks.inUse == 1)
        chunk.isHeld = false
        loop.poller.chunks.give(chunk)
        loop.poller.close(socket, reset: true)
        #expect(loop.poller.chunks.inUse == 0)
    }
}
