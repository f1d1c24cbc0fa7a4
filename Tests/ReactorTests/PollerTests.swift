import Bytes
import TestSupport
import Testing

@testable import Reactor

/// Receiving, ending and closing over real sockets, in one thread.
@Suite struct PollerTests {
    @Test func whatAClientSendsIsReceived() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        #expect(socket.peer?.isLoopback == true)
        for word in ["hello", "again"] {
            peer.send(word)
            var text = ""
            loop.turn(until: { text == word }) { _ in text += socket.readText() }
            #expect(socket.inbox == nil, "an idle connection holds no buffer")
        }
        loop.poller.close(socket)
        loop.turn()
        #expect(peer.waitForEnd())
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// After 2^31 connections in one place, the highest bit of an event's number still stands for a listener.
    @Test func aPlaceIsUsedAgainAndAgain() throws {
        let loop = try Loop()
        let first = try loop.accepted()
        first.socket.generation = Socket.largestGeneration
        loop.poller.close(first.socket)
        let second = try loop.accepted()
        #expect(second.socket === first.socket && second.socket.generation == 0)
        second.peer.send("hello")
        loop.turn(until: { second.socket.unread == 5 })
    }

    @Test func aFloodOfConnectionsIsTakenInPortions() throws {
        let loop = try Loop()
        let peers = (0..<40).map { _ in Peer(port: loop.port) }
        let portions = (0..<4).map { _ in loop.turn().filter { $0.kind == "accepted" }.count }
        #expect(portions == [16, 16, 8, 0])
        withExtendedLifetime(peers) {}
    }

    /// Edge-triggered reading: nothing new comes from the kernel for bytes that are there already.
    @Test(arguments: [1, 1023, 1024, 1025, 2048, 100_000])
    func allBytesComeAndThenTheEnd(_ count: Int) throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(peer.send(bytes) == count)
        peer.shutdownSending()
        var taken: [UInt8] = []
        var kinds: [String] = []
        loop.turn(until: { socket.ended }) {
            kinds.append($0.kind)
            taken += socket.read()
        }
        let isWhole = taken == bytes
        #expect(isWhole)
        #expect(kinds.last == "ended")
        #expect(kinds.filter { $0 == "ended" }.count == 1)
        #expect(socket.isUnusable)
        #expect(loop.turn().isEmpty)
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// The owner leaves everything unread: reading stops at the end of the buffer and goes on when there is room.
    @Test func aFullInboxStopsReadingUntilThereIsRoom() throws {
        let loop = try Loop(chunkSize: 100)
        let (socket, peer) = try loop.accepted()
        peer.send([UInt8](repeating: 65, count: 350))
        loop.turn(until: { socket.unread == 100 })
        for _ in 0..<3 { #expect(loop.turn().isEmpty, "no spinning on what cannot be read") }

        loop.poller.growInbox(socket, toHold: 250)
        loop.turn(until: { socket.unread >= 250 })
        let held = socket.unread
        #expect(held < 350)

        #expect(socket.read().count == held)
        loop.poller.readMore(socket)
        loop.turn(until: { socket.unread == 350 - held })
        _ = socket.read()
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func anInboxConsumedInFrontMakesRoomByItself() throws {
        let loop = try Loop(chunkSize: 100)
        let (socket, peer) = try loop.accepted()
        peer.send([UInt8](repeating: 65, count: 150))
        loop.turn(until: { socket.unread == 100 })
        socket.inbox?.consume(60)
        loop.poller.readMore(socket)
        loop.turn(until: { socket.unread == 90 })
        #expect(socket.inbox?.capacity == 100)
        loop.poller.close(socket)
    }

    @Test func aPausedSocketIsNotRead() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.pauseReading(socket)
        peer.send("one")
        for _ in 0..<3 { #expect(loop.turn().isEmpty) }
        peer.send("two")
        loop.turn()
        #expect(socket.unread == 0)
        loop.poller.resumeReading(socket)
        loop.turn(until: { socket.unread == 6 })
        #expect(socket.readText() == "onetwo")
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test("a hang-up while paused is reported, with the last words and behind them", arguments: [true, false])
    func aHangUpWhilePausedIsTold(_ together: Bool) throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.pauseReading(socket)
        peer.send("last words")
        if !together {
            for _ in 0..<3 { #expect(loop.turn().isEmpty) }
            #expect(!socket.isUnusable)
        }
        peer.close()
        #expect(loop.readBehindHangUp(socket) == "last words")
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aResetIsAFailureReportedOnce() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.reset()
        var kinds: [String] = []
        loop.turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        loop.turn { kinds.append($0.kind) }
        #expect(kinds == ["failed"])
        loop.poller.close(socket)
        loop.poller.close(socket)
        #expect(!socket.isOpen)
    }

    /// Two events of one batch: the owner of the first closes the second, and its place is taken by a connection that
    /// comes in the same batch.
    @Test func eventsOfAClosedConnectionAreDropped() throws {
        let loop = try Loop()
        let (first, firstPeer) = try loop.accepted()
        let (second, secondPeer) = try loop.accepted()
        let identities = [first.identity, second.identity]
        firstPeer.send("a")
        secondPeer.send("b")
        let newPeer = Peer(port: loop.port)
        newPeer.send("new")
        var closed: Socket?
        var received: [UInt64] = []
        var new: Socket?
        loop.turn(until: { new != nil && new?.unread == 3 }) { completion in
            switch completion {
            case .received(let socket):
                received.append(socket.identity)
                guard closed == nil, socket === first || socket === second else { return }
                let other = socket === first ? second : first
                closed = other
                loop.poller.close(other)
            case .accepted(_, let socket): new = socket
            default: Issue.record("\(completion.kind)")
            }
        }
        // Whichever of the two came first, the other was never heard of again, though its place lives on.
        #expect(received.filter { identities.contains($0) }.count == 1)
        #expect(new === closed || new?.identity != closed?.identity)
        #expect(new?.readText() == "new")
        withExtendedLifetime((firstPeer, secondPeer)) {}
    }

    /// A socket that waits to be looked at again is closed, and its place used anew, before its turn comes.
    @Test func aQueuedLookAtAClosedConnectionIsDropped() throws {
        let loop = try Loop(chunkSize: 10)
        let (socket, peer) = try loop.accepted()
        let index = socket.identity & 0xffff_ffff
        peer.send([UInt8](repeating: 65, count: 30))
        loop.turn(until: { socket.unread == 10 })
        _ = socket.read()
        loop.poller.readMore(socket)
        loop.poller.close(socket)
        let (next, nextPeer) = try loop.accepted()
        #expect(next.identity & 0xffff_ffff == index)
        #expect(loop.turn().isEmpty)
        nextPeer.send("x")
        loop.turn(until: { next.unread == 1 })
        loop.poller.close(next)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func theSideThatIsShutDownStillReceives() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.shutdownSending(socket)
        #expect(peer.waitForEnd())
        #expect(peer.ended)
        peer.send("rest")
        loop.turn(until: { socket.unread == 4 })
        loop.poller.close(socket, reset: true)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func aResetReachesThePeer() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.close(socket, reset: true)
        loop.turn()
        #expect(peer.waitForEnd())
        #expect(peer.wasReset)
    }

    @Test func aTakenInboxBelongsToTheTaker() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.send("mine")
        var taken: Chunk?
        loop.turn(until: { taken != nil }) {
            if case .received(let socket) = $0 { taken = loop.poller.takeInbox(socket) }
        }
        let chunk = try #require(taken)
        #expect(chunk.text == "mine")
        loop.poller.close(socket)
        #expect(loop.poller.chunks.inUse == 1)
        loop.poller.chunks.give(chunk)
        #expect(loop.poller.chunks.inUse == 0)
    }

    /// An owner that consumes the bytes later than in the turn they came in.
    @Test func aBufferEmptiedLaterIsGivenBack() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        peer.send("parked")
        loop.turn(until: { socket.unread == 6 })
        loop.turn()
        #expect(socket.readText() == "parked")
        loop.poller.readMore(socket)
        loop.turn()
        #expect(socket.inbox == nil)
        #expect(loop.poller.chunks.inUse == 0)
    }

    @Test func timersComeWithTheirTokenAndNotEarly() throws {
        let loop = try Loop()
        let start = loop.poller.now
        loop.poller.schedule(TimerToken(role: 3, owner: 4, generation: 5), at: start + 40)
        var fired: TimerToken?
        while fired == nil {
            loop.poller.wait()
            while let completion = loop.poller.next() {
                if case .timer(let token) = completion { fired = token }
            }
        }
        #expect(fired == TimerToken(role: 3, owner: 4, generation: 5))
        #expect(loop.poller.now >= start + 40)
    }

    @Test func closedListenersRefuse() throws {
        let loop = try Loop()
        let (socket, peer) = try loop.accepted()
        loop.poller.stopListening { $0 == 5 }
        let target = try #require(SocketAddress(literal: "127.0.0.1", port: loop.port))
        let attempt = try? loop.poller.connect(to: target)
        var failed = attempt == nil
        loop.turn(until: { failed }) { if case .failed = $0 { failed = true } }
        peer.send("still")
        loop.turn(until: { socket.unread == 5 })
    }
}
