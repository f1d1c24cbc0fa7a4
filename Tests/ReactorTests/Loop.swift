import Bytes
import Glibc
import TestSupport
import Testing

@testable import Reactor

/// A poller with a listener, moved turn by turn in the thread of the test.
final class Loop {
    let poller: Poller
    let waker: Waker
    let port: UInt16

    init(chunkSize: Int = 1024, engine: LoopEngine = .underTest) throws {
        waker = try Waker()
        poller = try Poller(waker: waker, chunkSize: chunkSize, engine: engine)
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
        let bound = try BoundListener(address)
        port = bound.address.port
        try poller.listen(bound, id: 5)
    }

    /// One turn, which does not wait; answers what has happened but for the wake-up itself.
    @discardableResult func turn(_ handle: (Completion) -> Void = { _ in }) -> [Completion] {
        waker.wake()
        poller.wait()
        var completions: [Completion] = []
        while let completion = poller.next() {
            if case .woken = completion { continue }
            handle(completion)
            completions.append(completion)
        }
        return completions
    }

    /// Turns until the condition holds, for ten seconds at the most.
    func turn(
        until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ handle: (Completion) -> Void = { _ in }
    ) {
        let deadline = Clock.monotonicMilliseconds + 10_000
        while !condition() {
            guard Clock.monotonicMilliseconds < deadline else {
                Issue.record("it did not come to that", sourceLocation: sourceLocation)
                return
            }
            turn(handle)
        }
    }

    /// A connection that the poller has accepted, and its other side.
    func accepted(receiveBuffer: Int32? = nil) throws -> (socket: Socket, peer: Peer) {
        let peer = Peer(port: port, receiveBuffer: receiveBuffer)
        var socket: Socket?
        turn(until: { socket != nil }) {
            if case .accepted(5, let accepted) = $0 { socket = accepted }
        }
        return (try #require(socket), peer)
    }

    /// Waits until a paused connection has hung up, and reads what came before that, to its end. Answers the text.
    func readBehindHangUp(_ socket: Socket) -> String {
        var kinds: [String] = []
        turn(until: { !kinds.isEmpty }) { kinds.append($0.kind) }
        #expect(kinds == ["hungUp"])
        #expect(socket.isUnusable)
        #expect(!socket.ended)
        poller.resumeReading(socket)
        var text = ""
        turn(until: { socket.ended }) {
            kinds.append($0.kind)
            text += socket.readText()
        }
        #expect(kinds == ["hungUp", "received", "ended"])
        return text
    }

    /// A chunk of the loop with this text, grown where it must be.
    func chunk(_ text: String) -> Chunk { chunk(Array(text.utf8)) }

    func chunk(_ bytes: [UInt8]) -> Chunk {
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count)
        chunk.append(bytes)
        return chunk
    }
}

/// Waits, for ten seconds at the most, for what a program that another test is just starting may put off: until it runs,
/// it has all descriptors of this process, listening ones too.
func comesTrue(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        if .now > deadline { return false }
        sched_yield()
    }
    return true
}

extension Socket {
    /// Takes what is unread.
    func read() -> [UInt8] {
        guard let inbox else { return [] }
        let bytes = inbox.readable
        let copy = bytes.indices.map { bytes[$0] }
        inbox.consume(copy.count)
        return copy
    }

    func readText() -> String { String(decoding: read(), as: UTF8.self) }
}

extension Socket {
    /// Makes the kernel take little, so that sends are taken in part.
    func limitSendBuffer(to count: Int32) {
        var count = count
        // SAFETY: the pointer is to a local and used during the call only.
        let result = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDBUF, &count, socklen_t(MemoryLayout<Int32>.size))
        precondition(result == 0)
    }
}

extension Socket {
    /// TCP_NODELAY is set.
    var sendsAtOnce: Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the pointers are to locals and used during the call only.
        let result = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size)
        return result == 0 && value != 0
    }
}

extension Completion {
    /// Its kind, to compare what a turn has brought.
    var kind: String {
        switch self {
        case .accepted: "accepted"
        case .received: "received"
        case .ended: "ended"
        case .sent: "sent"
        case .connected: "connected"
        case .secured: "secured"
        case .failed: "failed"
        case .hungUp: "hungUp"
        case .woken: "woken"
        case .timer: "timer"
        }
    }
}
