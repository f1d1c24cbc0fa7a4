import Bytes
import Model
import Testing

@testable import HTTP

/// The client's end, and what both ends do when one of them leaves.
@Suite struct H2ClientTests {
    /// The peer's limit on streams is kept (RFC 9113 section 5.1.2).
    @Test func streamsAreBounded() throws {
        var limits = H2Limits()
        limits.maximumStreams = 3
        let pair = H2Pair(server: limits)
        pair.settle()
        for _ in 0..<3 { _ = try #require(pair.request()) }
        #expect(!pair.client.mayOpen)
        #expect(pair.request() == nil)
        pair.settle()
        pair.respond(pair.asked[0], ended: true)
        pair.settle()
        #expect(pair.client.mayOpen)
        #expect(pair.request() != nil)
    }

    /// RFC 9113 section 6.8: two steps, and what comes in between is served.
    @Test func gracefulShutdown() throws {
        let pair = H2Pair()
        _ = try #require(pair.request())
        pair.settle()
        _ = try #require(pair.request())
        pair.server.announceShutdown()
        let farewell = H2Wire.take(pair.server)
        let frames = H2Frames.parse(farewell)
        // A PING in front of the GOAWAY would be answered by who has not read that yet.
        #expect(frames.map(\.type) == [7, 6])
        #expect(frames.first?.payload == [0x7f, 255, 255, 255, 0, 0, 0, 0])
        #expect(frames.last?.flags == 0)
        // What the client has sent meanwhile says nothing of what it has read.
        _ = pair.server.receive(H2Wire.take(pair.client).span, now: pair.now)
        #expect(!pair.server.shutdownIsAcknowledged)
        _ = pair.client.receive(farewell.span, now: pair.now)
        pair.settle()
        #expect(pair.server.shutdownIsAcknowledged)
        #expect(pair.clientLog == ["goaway"])
        #expect(pair.serverLog == ["head 1", "head 3"])
        #expect(!pair.client.mayOpen)
        pair.server.shutDown()
        pair.settle()
        #expect(!pair.server.isOver)
        for stream in pair.asked { pair.respond(stream, ended: true) }
        pair.settle()
        #expect(pair.clientLog.filter { $0.hasPrefix("closed") } == ["closed 1", "closed 3"])
        #expect(pair.server.isOver && pair.client.isOver)
        #expect(pair.server.failure == nil && pair.client.failure == nil)
    }

    /// An answer to no PING is no sign that a farewell was read.
    @Test func unaskedPingAnswersAreNothing() {
        let attacked = H2Attacked()
        attacked.receive(H2Frames.frame(6, flags: 1, [UInt8](repeating: 0, count: 8)))
        attacked.session.announceShutdown()
        attacked.receive(H2Frames.frame(6, flags: 1, [UInt8](repeating: 0, count: 8)))
        #expect(!attacked.session.shutdownIsAcknowledged, "the farewell has not even left")
        _ = H2Wire.take(attacked.session)
        #expect(!attacked.session.shutdownIsAcknowledged)
        attacked.receive(H2Frames.frame(6, flags: 1, [UInt8](repeating: 0, count: 8)))
        #expect(attacked.session.shutdownIsAcknowledged)
    }

    /// Streams above the last one named were not looked at: they may be sent again elsewhere.
    @Test func goAwaySetsRequestsFree() throws {
        let pair = H2Pair()
        let first = try #require(pair.request("POST"))
        pair.settle()
        pair.server.shutDown()
        let second = try #require(pair.request("POST"))
        let bytes = H2Wire.take(pair.server)
        _ = H2Wire.take(pair.client)
        _ = pair.client.receive(bytes.span, now: 0)
        var freed: [Int32] = []
        while let event = pair.client.nextEvent() {
            if case .reset(let stream, let code) = event {
                #expect(code == H2Code.refusedStream)
                #expect(stream.mayReplay)
                freed.append(stream.id)
            }
        }
        #expect(freed == [3])
        #expect(!first.mayReplay)
        #expect(pair.client.peerSentGoAway)
        _ = second
    }

    @Test func refusedStreamsMayBeReplayed() throws {
        let pair = H2Pair()
        let stream = try #require(pair.request("POST"))
        let bytes = H2Wire.take(pair.client)
        #expect(!bytes.isEmpty)
        let answer = H2Frames.frame(4) + H2Frames.reset(1, H2Code.refusedStream)
        _ = pair.client.receive(answer.span, now: 0)
        #expect(stream.mayReplay)
        pair.listen()
        #expect(pair.clientLog == ["reset 1 7", "closed 1"])
    }

    /// The connection dies: what was sent may have been processed, what was not sent was not.
    @Test func disconnect() throws {
        let pair = H2Pair()
        let sent = try #require(pair.request())
        pair.settle()
        let unsent = try #require(pair.request())
        pair.client.disconnect()
        #expect(!sent.mayReplay && unsent.mayReplay)
        pair.listen()
        #expect(pair.clientLog == ["reset 1 8", "closed 1", "reset 3 8", "closed 3"])
        #expect(pair.client.isOver && !pair.client.wantsToSend)
        #expect(!pair.client.mayOpen)
        #expect(pair.client.failure == .disconnected)
    }

    @Test func pushIsRefused() throws {
        let pair = H2Pair()
        _ = try #require(pair.request())
        let hello = H2Frames.parse(Array(H2Wire.take(pair.client).dropFirst(24)))
        #expect(hello.first?.payload.starts(with: [0, 4]) == true || hello.first?.payload.contains(2) == true)
        let push =
            H2Frames.frame(4)
            + H2Frames.frame(5, flags: 4, stream: 1, H2Frames.number(2) + H2Frames.block(H2Frames.pseudo))
        _ = pair.client.receive(push.span, now: 0)
        let frames = H2Frames.parse(H2Wire.take(pair.client))
        #expect(frames.contains { $0.type == 7 && $0.payload.suffix(4) == [0, 0, 0, 1] })
        #expect(pair.client.failure == .protocolError)
    }

    /// A response's body waits in the stream's window, and no further.
    @Test func backPressureOfOneStreamLeavesTheOthers() throws {
        let pair = H2Pair()
        let slow = try #require(pair.request())
        let quick = try #require(pair.request())
        pair.settle()
        for stream in pair.asked { pair.respond(stream) }
        for _ in 0..<64 { pair.send(pair.server, pair.asked[0], String(repeating: "a", count: 4096)) }
        pair.settle()
        #expect(slow.unread == 65_535)
        #expect(pair.asked[0].pendingBytes == 64 * 4096 - 65_535)
        #expect(!pair.server.wantsToSend)
        pair.send(pair.server, pair.asked[1], "b")
        pair.finish(pair.server, pair.asked[1])
        pair.settle()
        #expect(H2Wire.body(quick, pair.client, pair.chunks) == [98])
        pair.serverLog = []
        while pair.asked[0].pendingBytes > 0 {
            _ = H2Wire.body(slow, pair.client, pair.chunks)
            pair.settle()
        }
        #expect(pair.serverLog.filter { $0 == "drained 1" }.count == 1)
        pair.server.reset(pair.asked[0], code: H2Code.cancel)
        _ = H2Wire.body(slow, pair.client, pair.chunks)
        pair.settle()
        pair.listen()
        #expect(pair.chunks.inUse == 0)
    }

    /// Streams take turns, with bodies of any size.
    @Test func streamsShareTheConnection() throws {
        let pair = H2Pair()
        let first = try #require(pair.request())
        let second = try #require(pair.request())
        pair.settle()
        for stream in pair.asked {
            pair.respond(stream)
            for _ in 0..<10 { pair.send(pair.server, stream, String(repeating: "a", count: 4096)) }
        }
        var bytes: [UInt8] = []
        let chunk = Chunk(capacity: 4096)
        for _ in 0..<6 {
            _ = pair.server.produce(into: chunk, upTo: 4096)
            bytes += H2Wire.array(chunk)
            chunk.reset()
        }
        let ids = H2Frames.parse(bytes).filter { $0.type == 0 }.map(\.stream)
        #expect(ids.filter { $0 == UInt32(first.id) }.count >= 2)
        #expect(ids.filter { $0 == UInt32(second.id) }.count >= 2)
    }

    /// The head of a response is checked like one of HTTP/1 (GW-07).
    @Test(arguments: [
        ("200", "content-length", "x", false), ("099", "x", "y", false), ("600", "x", "y", false),
        ("200", "x", "a\u{1}b", false), ("200", "x", "y", true),
    ])
    func responseHeads(_ status: String, _ name: String, _ value: String, _ isValid: Bool) throws {
        let pair = H2Pair()
        _ = try #require(pair.request())
        _ = H2Wire.take(pair.client)
        let answer = H2Frames.frame(4) + H2Frames.head(1, [(":status", status), (name, value)])
        _ = pair.client.receive(answer.span, now: 0)
        _ = H2Wire.take(pair.client)
        pair.listen()
        if isValid {
            #expect(pair.answers.first??.status == 200)
        } else {
            #expect(pair.answers == [nil] || pair.clientLog.first == "reset 1 1")
        }
    }

    /// Responses that ask for more memory than a head may have.
    @Test func responseHeadsAreBounded() throws {
        let pair = H2Pair()
        _ = try #require(pair.request())
        _ = H2Wire.take(pair.client)
        let fields = (0..<150).map { ("x-\($0)", "") }
        let answer = H2Frames.frame(4) + H2Frames.head(1, [(":status", "200")] + fields)
        _ = pair.client.receive(answer.span, now: 0)
        pair.listen()
        #expect(pair.answers == [nil])
    }
}
