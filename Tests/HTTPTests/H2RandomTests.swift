import Bytes
import Foundation
import Model
import Testing

@testable import HTTP

/// A client and a server that exchange bodies of random sizes, over random windows, with the bytes between them cut at
/// random. In each case the bodies arrive whole and no chunk is lost.
@Suite struct H2RandomTests {
    /// What one side has sent and received of one stream.
    private final class Exchange {
        var toSend: [UInt8] = []
        var sent = 0
        var received: [UInt8] = []
        var isFinished = false
    }

    private final class Side {
        let session: H2Session
        let chunks: ChunkPool
        var exchanges: [Int32: Exchange] = [:]
        var closed = 0
        var resets = 0
        var wire: [UInt8] = []
        var streams: [Int32: H2Stream] = [:]
        init(_ session: H2Session, _ chunks: ChunkPool) {
            self.session = session
            self.chunks = chunks
        }
    }

    private static func body(_ id: Int32, _ count: Int, _ salt: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(id) &* 7 &+ salt &+ $0 >> 8) }
    }

    /// More of them where `PORTCULLIS_TEST_FULL` is set.
    private static let seeds = 0..<(ProcessInfo.processInfo.environment["PORTCULLIS_TEST_FULL"] == nil ? 6 : 96)

    @Test(arguments: seeds)
    func bodiesBothWays(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let chunks = ChunkPool(chunkSize: 2048, keep: 1000)
        var limits = H2Limits()
        limits.initialWindow = Int.random(in: 1...70_000, using: &random)
        limits.connectionWindow = Int.random(in: 65_535...200_000, using: &random)
        limits.lowWater = Int.random(in: 1...10_000, using: &random)
        limits.maximumWindowUpdates = 1_000_000
        limits.maximumEmptyFrames = 1_000_000
        let server = Side(H2Session(server: limits, chunks: chunks), chunks)
        limits.initialWindow = Int.random(in: 1...70_000, using: &random)
        let client = Side(H2Session(client: limits, chunks: chunks), chunks)
        var left = 40
        var turns = 0
        while left > 0 || client.closed < 40 || server.closed < 40 {
            turns += 1
            try #require(turns < 200_000, "seed \(seed): no end in sight")
            if left > 0, client.session.mayOpen, Int.random(in: 0..<4, using: &random) == 0 {
                left -= 1
                try open(client, &random)
            }
            pump(client, to: server, &random)
            pump(server, to: client, &random)
            listen(server, &random)
            listen(client, &random)
            feed(server, &random)
            feed(client, &random)
        }
        #expect(client.resets == 0 && server.resets == 0)
        for (id, exchange) in client.exchanges {
            let answered = try #require(server.exchanges[id])
            #expect(answered.received == exchange.toSend, "seed \(seed) stream \(id): request")
            #expect(exchange.received == answered.toSend, "seed \(seed) stream \(id): response")
        }
        #expect(chunks.inUse == 0)
        #expect(client.session.failure == nil && server.session.failure == nil)
        #expect(client.session.activeStreams == 0 && server.session.activeStreams == 0)
    }

    private func open(_ client: Side, _ random: inout SeededRandom) throws {
        let (m, p, a, s) = ("POST".bytes, "/".bytes, "example.org".bytes, "http".bytes)
        let none: [UInt8] = []
        let opened = client.session.request(
            method: m.span, scheme: s.span, authority: a.span, path: p.span, fields: none.span, ended: false)
        let stream = try #require(opened)
        let exchange = Exchange()
        exchange.toSend = Self.body(stream.id, size(&random), 1)
        client.exchanges[stream.id] = exchange
        client.streams[stream.id] = stream
    }

    private func size(_ random: inout SeededRandom) -> Int {
        Int.random(in: 0..<3, using: &random) == 0 ? 0 : Int.random(in: 0...50_000, using: &random)
    }

    /// Passes some bytes on, cut somewhere.
    private func pump(_ from: Side, to: Side, _ random: inout SeededRandom) {
        if from.session.wantsToSend {
            let chunk = from.chunks.take()
            _ = from.session.produce(into: chunk, upTo: Int.random(in: 1...2048, using: &random))
            from.wire += H2Wire.array(chunk)
            from.chunks.give(chunk)
        }
        let count = min(from.wire.count, Int.random(in: 0...3000, using: &random))
        guard count > 0 else { return }
        let piece = Array(from.wire[..<count])
        from.wire.removeFirst(count)
        _ = to.session.receive(piece.span, now: 1)
    }

    private func listen(_ side: Side, _ random: inout SeededRandom) {
        while let event = side.session.nextEvent() {
            switch event {
            case .head(let stream):
                guard side.session.isServer else { continue }
                let exchange = Exchange()
                exchange.toSend = Self.body(stream.id, size(&random), 2)
                side.exchanges[stream.id] = exchange
                side.streams[stream.id] = stream
            case .reset: side.resets += 1
            case .closed(let stream):
                side.streams[stream.id] = nil
                side.closed += 1
            default: break
            }
        }
    }

    /// Takes and sends a bit of every stream.
    private func feed(_ side: Side, _ random: inout SeededRandom) {
        for id in side.streams.keys.sorted() {
            guard let stream = side.streams[id], let exchange = side.exchanges[id] else { continue }
            if Bool.random(using: &random), let chunk = stream.takeInbox() {
                exchange.received += H2Wire.array(chunk)
                let count = chunk.count
                side.chunks.give(chunk)
                side.session.consumed(stream, count)
            }
            // A server that answers in full ends the request: it waits for the request's end first.
            if side.session.isServer, !stream.ended || stream.unread > 0 { continue }
            if side.session.isServer, !stream.marks.contains(.hasAnswered) {
                let none: [UInt8] = []
                side.session.respond(stream, status: 200, fields: none.span, ended: false)
            }
            guard !exchange.isFinished, stream.pendingBytes < 10_000 else { continue }
            if exchange.sent < exchange.toSend.count {
                let end = min(exchange.toSend.count, exchange.sent + Int.random(in: 1...2048, using: &random))
                let chunk = side.chunks.take()
                chunk.append(Array(exchange.toSend[exchange.sent..<end]))
                side.session.send(stream, chunk)
                exchange.sent = end
            } else {
                let none: [UInt8] = []
                side.session.finish(stream, trailers: none.span)
                exchange.isFinished = true
            }
        }
    }

    /// Bytes that mean nothing, and frames whose bytes were changed, end the connection or a stream and nothing else.
    @Test(arguments: 0..<200)
    func damagedFrames(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let attacked = H2Attacked()
        attacked.answers = true
        for i in 0..<20 {
            let id = UInt32(2 * i + 1)
            var bytes =
                H2Frames.head(id, H2Frames.pseudo + [("cookie", "a"), ("x", "y")], ended: false)
                + H2Frames.data(id, [UInt8](repeating: 7, count: 40))
                + H2Frames.frame(1, flags: 5, stream: id, H2Frames.block([("x", "y")]))
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard attacked.receive(bytes) else { break }
            _ = H2Wire.take(attacked.session)
        }
        _ = H2Wire.take(attacked.session)
        attacked.session.disconnect()
        attacked.listen()
        attacked.listen()
        #expect(attacked.chunks.inUse == 0)
        #expect(attacked.session.activeStreams == 0)
        // Every stream that was announced was closed.
        #expect(
            attacked.log.filter { $0.hasPrefix("head") }.count == attacked.log.filter { $0.hasPrefix("closed") }.count)
    }
}
