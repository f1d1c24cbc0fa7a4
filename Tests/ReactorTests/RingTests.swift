import Bytes
import TestSupport
import Testing

@testable import Reactor

/// What only the engine of io_uring has to get right (issue E). The other tests of loops run with either.
@Suite(.enabled(if: (try? LoopEngine.ioUring.checkAvailable()) != nil, "the kernel does not allow io_uring"))
struct RingTests {
    private func loop(chunkSize: Int = 1024) throws -> Loop { try Loop(chunkSize: chunkSize, engine: .ioUring) }

    /// More messages in one turn than the kernel has buffers for: what is left is read one by one.
    @Test func moreMessagesThanBuffersAreAllReceived() throws {
        let loop = try loop()
        let clients = try (0..<300).map { _ in try loop.accepted() }
        for round in 0..<3 {
            for (index, client) in clients.enumerated() { client.peer.send("\(round) \(index)") }
            var texts = [String](repeating: "", count: clients.count)
            loop.turn(until: { texts.indices.allSatisfy { texts[$0] == "\(round) \($0)" } }) { completion in
                guard case .received(let socket) = completion else { return }
                guard let index = clients.firstIndex(where: { $0.socket === socket }) else { return }
                texts[index] += socket.readText()
            }
        }
        #expect(loop.poller.chunks.inUse == 0 && loop.poller.chunks.bytesInUse == 0)
    }

    /// More is asked for in a turn than the queue has entries for.
    @Test func manyConnectionsAreClosedInOneTurn() throws {
        let loop = try loop()
        let clients = try (0..<700).map { _ in try loop.accepted() }
        for (socket, _) in clients { loop.poller.close(socket) }
        loop.turn(until: { clients.allSatisfy { $0.peer.isOver } })
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// What an owner does not read stays in the kernel, but for what has come before that was known.
    @Test func whoIsPausedIsNotReceivedFrom() throws {
        let loop = try loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.pauseReading(socket)
        let piece = [UInt8](repeating: 0x61, count: 32 * 1024)
        var sent = 0
        var taken = -1
        while taken != 0, sent < 1 << 28 {
            taken = peer.send(piece)
            sent += taken
            loop.turn()
        }
        #expect(taken == 0, "the peer is slowed down")
        #expect(loop.poller.chunks.inUse <= 33, "what the kernel receives at once, at most")
        loop.poller.resumeReading(socket)
        var received = 0
        loop.turn(until: { received == sent }) { _ in received += socket.read().count }
        // And it is received from as before.
        peer.send("more")
        loop.turn(until: { socket.unread == 4 })
        _ = socket.read()
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// Nor does what an owner does not take gather here, though no pause was asked for: each byte would come with a
    /// buffer of its own.
    @Test func whatNobodyTakesIsNotGathered() throws {
        let loop = try loop()
        let (socket, peer) = try loop.accepted()
        var sent: [UInt8] = []
        func send(_ count: Int) {
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: sent.count + $0) }
            peer.send(piece)
            sent += piece
            for _ in 0..<2 { loop.turn() }
        }
        // Never a full buffer, and one byte more than the inbox holds.
        send(700)
        send(325)
        for _ in 0..<200 { send(1) }
        #expect(socket.receivedCapacity < 16 * 1024)
        #expect(loop.poller.chunks.bytesInUse < 16 * 1024)
        var received = socket.read()
        loop.poller.readMore(socket)
        loop.turn(until: { received.count == sent.count }) { _ in received += socket.read() }
        #expect(received == sent)
        // And it is received from as before.
        peer.send("more")
        loop.turn(until: { socket.unread == 4 })
        _ = socket.read()
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0 && loop.poller.chunks.bytesInUse == 0)
    }

    /// The last words of a peer that broke the connection are reported first, also where so much else has come that the kernel
    /// has not yet got to them.
    @Test func lastWordsComeBeforeTheBreak() throws {
        let loop = try loop()
        let broken = try loop.accepted()
        let clients = try (0..<100).map { _ in try loop.accepted() }
        for client in clients { client.peer.send("x") }
        broken.peer.send("last words")
        broken.peer.reset()
        var told: [String] = []
        loop.turn(until: { told.last == "failed" }) { completion in
            switch completion {
            case .received(let socket) where socket === broken.socket: told.append(socket.readText())
            case .failed(let socket, _) where socket === broken.socket: told.append("failed")
            default: if told.isEmpty { loop.poller.send(broken.socket, loop.chunk("a request")) }
            }
        }
        #expect(told == ["last words", "failed"])
    }

    /// All that a turn has brought is known when the first of it is reported: more than was asked for is not the answer to
    /// what is asked next.
    @Test func whatHasComeBehindIsKnownAtOnce() throws {
        let loop = try loop(chunkSize: 64)
        let (socket, peer) = try loop.accepted()
        peer.send([UInt8](repeating: 0x61, count: 64) + [0x62])
        var pieces: [[UInt8]] = []
        loop.turn(until: { !pieces.isEmpty }) { completion in
            guard case .received = completion else { return }
            pieces.append(socket.read())
            if pieces.count == 1 { #expect(socket.mayHaveMore) }
        }
        loop.turn(until: { pieces.count == 2 }) { _ in pieces.append(socket.read()) }
        #expect(pieces == [[UInt8](repeating: 0x61, count: 64), [0x62]])
    }

    /// What comes within a turn is reported in the next one, also where receiving has just been given up: it may be the
    /// answer to what was asked in this turn, and is not to be taken for something that came before.
    @Test func whatComesInATurnIsOfTheNext() throws {
        let loop = try loop(chunkSize: 64)
        let upstream = try loop.accepted()
        // More than the kernel deals with in one turn, so that receiving is not yet given up when the rest is read.
        let clients = try (0..<48).map { _ in try loop.accepted() }
        for _ in 0..<20 {
            // One full buffer, for which receiving is given up, and a rest.
            upstream.peer.send([UInt8](repeating: 0x61, count: 70))
            var count = 0
            loop.turn(until: { count > 0 }) { _ in count += upstream.socket.read().count }
            for client in clients { client.peer.send("x") }
            var asked: UInt64?
            var answered: UInt64?
            loop.turn(until: { answered != nil }) { completion in
                guard case .received(let socket) = completion else { return }
                let bytes = socket.read().count
                if socket === upstream.socket {
                    if count == 70 { answered = loop.poller.turn } else { count += bytes }
                } else if count == 70, asked == nil {
                    asked = loop.poller.turn
                    upstream.peer.send("answer")
                }
                if count == 70, asked == nil, socket === upstream.socket { clients[0].peer.send("y") }
            }
            #expect(try #require(answered) > #require(asked))
            loop.turn()
            for client in clients { _ = client.socket.read() }
        }
    }

    /// What was received for a connection that is closed in the same turn is nothing of the one that has its place next.
    @Test func whatComesLateIsNobodys() throws {
        let loop = try loop()
        for _ in 0..<50 {
            let first = try loop.accepted()
            let second = try loop.accepted()
            first.peer.send("first")
            second.peer.send("second")
            var closed = false
            loop.turn(until: { closed }) { completion in
                guard case .received = completion, !closed else { return }
                closed = true
                loop.poller.close(first.socket)
                loop.poller.close(second.socket)
            }
            let next = try loop.accepted()
            #expect(next.socket.unread == 0)
            next.peer.send("next")
            loop.turn(until: { next.socket.unread == 4 })
            #expect(next.socket.readText() == "next")
            loop.poller.close(next.socket)
            loop.turn()
        }
        #expect(loop.poller.chunks.inUse == 0 && loop.poller.chunks.bytesInUse == 0)
    }

    /// A ring that waits at a listening socket keeps it open: it must let go of it at once.
    @Test func aClosedListenersAddressIsFree() throws {
        let loop = try loop()
        loop.turn()
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: loop.port))
        #expect(throws: KernelError.self) { try BoundListener.checkFree(address) }
        // As it may be where it has rested.
        try loop.poller.engine.watch(loop.poller.listeners[0], at: 0)
        loop.turn()
        loop.poller.stopListening { _ in true }
        #expect(comesTrue { (try? BoundListener.checkFree(address)) != nil })
    }

    @Test func theLoopsEndEndsEverything() throws {
        var loop: Loop? = try loop()
        let port = try #require(loop?.port)
        let open = try #require(try loop?.accepted())
        let closed = try #require(try loop?.accepted())
        loop?.poller.close(closed.socket)
        loop = nil
        #expect(closed.peer.waitForEnd())
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: port))
        #expect(comesTrue { (try? BoundListener.checkFree(address)) != nil })
        withExtendedLifetime(open) {}
    }
}
