import Bytes
import Model
import Testing

@testable import HTTP

/// Exchanges between a client and a server in memory (GW-06).
@Suite struct H2ExchangeTests {
    let pair = H2Pair()

    @Test func requestAndResponseWithBodies() throws {
        let asked = try #require(
            pair.request("POST", "/a?b=c", fields: "Content-Length: 5\r\nX-One: 1\r\n", ended: false))
        pair.send(pair.client, asked, "hello")
        pair.finish(pair.client, asked)
        pair.settle()
        #expect(pair.serverLog == ["head 1", "body 1", "ended 1"])
        let stream = try #require(pair.asked.first)
        let head = try pair.head(stream)
        let bytes = H2Wire.array(stream.head)
        #expect(head.method == .post)
        #expect(text(head.methodText, bytes) == "POST")
        #expect(text(head.target, bytes) == "/a?b=c")
        #expect(text(head.path, bytes) == "/a")
        #expect(text(head.query, bytes) == "b=c")
        #expect(text(head.authority, bytes) == "example.org")
        #expect(head.framing == .length(5))
        #expect(head.keepAlive)
        #expect(pair.table.count == 2)
        #expect(text(pair.table.value(.contentLength), bytes) == "5")
        #expect(H2Wire.body(stream, pair.server, pair.chunks) == "hello".bytes)

        pair.respond(
            stream, fields: "Content-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\n")
        pair.send(pair.server, stream, "world")
        pair.finish(pair.server, stream, trailers: "X-Sum: 7\r\nContent-Length: 5\r\n")
        pair.settle()
        #expect(pair.serverLog.last == "closed 1")
        #expect(pair.clientLog == ["head 1", "body 1", "ended 1"])
        let answer = try pair.response(asked, to: .post)
        #expect(answer.status == 200)
        #expect(answer.framing == .untilClose)
        #expect(pair.table.occurrences(.setCookie) == 2)
        #expect(pair.table.occurrences(.connection) == 0)
        #expect(H2Wire.text(asked.trailers) == "x-sum: 7\r\n\r\n")
        #expect(H2Wire.body(asked, pair.client, pair.chunks) == "world".bytes)
        // The stream is let go only when its body has been taken.
        pair.listen()
        #expect(pair.clientLog.last == "closed 1")
        pair.listen()
        #expect(pair.chunks.inUse == 0)
        #expect(pair.client.activeStreams == 0 && pair.server.activeStreams == 0)
    }

    @Test func requestsWithoutBodyEndWithTheirHead() throws {
        _ = try #require(pair.request())
        pair.settle()
        #expect(pair.serverLog == ["head 1"])
        #expect(pair.asked[0].ended)
        #expect(try pair.head(pair.asked[0]).framing == BodyFraming.none)
    }

    @Test func requestTrailers() throws {
        let stream = try #require(pair.request("POST", ended: false))
        pair.send(pair.client, stream, "x")
        pair.finish(pair.client, stream, trailers: "grpc-status: 0\r\n\r\n")
        pair.settle()
        #expect(pair.serverLog == ["head 1", "body 1", "ended 1"])
        #expect(try pair.head(pair.asked[0]).framing == .untilClose)
        #expect(H2Wire.text(pair.asked[0].trailers) == "grpc-status: 0\r\n\r\n")
        #expect(pair.asked[0].unread == 1)
    }

    @Test func trailersAlone() throws {
        _ = try #require(pair.request())
        pair.settle()
        pair.respond(pair.asked[0])
        pair.finish(pair.server, pair.asked[0], trailers: "grpc-status: 5\r\n")
        pair.settle()
        #expect(pair.clientLog == ["head 1", "ended 1", "closed 1"])
    }

    @Test func interimResponses() throws {
        _ = try #require(pair.request("POST", fields: "Expect: 100-continue\r\n", ended: false))
        pair.settle()
        #expect(try pair.head(pair.asked[0]).expectsContinue)
        let hint = "Link: </a>\r\n".bytes
        pair.server.interim(pair.asked[0], status: 103, fields: hint.span)
        pair.settle()
        #expect(pair.clientLog == ["interim 1"])
        #expect(pair.table.count == 1)
        pair.server.interim(pair.asked[0], status: 100, fields: [UInt8]().span)
        pair.respond(pair.asked[0], 204, ended: true)
        pair.settle()
        #expect(pair.clientLog == ["interim 1", "interim 1", "head 1", "closed 1"])
        #expect(pair.answers.map { $0?.status } == [103, 100, 204])
        #expect(pair.answers.last??.framing == BodyFraming.none)
    }

    /// All that come in one piece of bytes are reported, in their order, and ahead of the head.
    @Test func interimResponsesInOnePiece() throws {
        _ = try #require(pair.request())
        pair.settle()
        for (status, link) in [(103, "</a>"), (100, "</b>"), (103, "</c>")] {
            let hint = "Link: \(link)\r\n".bytes
            pair.server.interim(pair.asked[0], status: status, fields: hint.span)
        }
        pair.respond(pair.asked[0], 204, ended: true)
        pair.settle()
        #expect(pair.clientLog == ["interim 1", "interim 1", "interim 1", "head 1", "closed 1"])
        #expect(pair.answers.map { $0?.status } == [103, 100, 103, 204])
        #expect(pair.chunks.bytesInUse == 0)
    }

    @Test func tooManyInterimResponsesInOnePieceEndTheStream() throws {
        _ = try #require(pair.request())
        pair.settle()
        for _ in 0..<17 { pair.server.interim(pair.asked[0], status: 103, fields: [UInt8]().span) }
        pair.settle()
        #expect(pair.clientLog.last == "closed 1" && pair.clientLog.contains { $0.hasPrefix("reset 1") })
        #expect(pair.client.failure == nil)
    }

    /// Heads are no chunks of the pool, but what they take up is counted there as long as they stand.
    @Test func headsAreCounted() throws {
        let filler = "X-Filler: \(String(repeating: "y", count: 5000))\r\n"
        for _ in 0..<10 { _ = try #require(pair.request(fields: filler)) }
        pair.settle()
        #expect(pair.chunks.bytesInUse >= 10 * 5000)
        for stream in pair.asked { pair.respond(stream, 204, ended: true) }
        pair.settle()
        #expect(pair.chunks.bytesInUse == 0)
    }

    /// RFC 9113 section 8.1: a response that is whole lets go of the rest of the request, without blame.
    @Test func earlyResponseEndsTheRequest() throws {
        let stream = try #require(pair.request("POST", ended: false))
        pair.send(pair.client, stream, "some")
        pair.settle()
        pair.respond(pair.asked[0], 413, ended: true)
        pair.settle()
        #expect(pair.clientLog == ["head 1", "closed 1"])
        #expect(pair.serverLog == ["head 1", "body 1", "closed 1"])
        #expect(pair.chunks.inUse == 0)
        #expect(pair.server.failure == nil)
    }

    @Test(arguments: [("HEAD", 200, "Content-Length: 9\r\n"), ("GET", 304, "Content-Length: 9\r\n"), ("GET", 204, "")])
    func responsesWithoutBody(_ method: String, _ status: Int, _ fields: String) throws {
        _ = try #require(pair.request(method))
        pair.settle()
        pair.respond(pair.asked[0], status, fields: fields, ended: true)
        pair.settle()
        #expect(pair.clientLog == ["head 1", "closed 1"])
        #expect(pair.answers.first??.framing == BodyFraming.none)
        #expect(pair.answers.first??.declaredLength == (fields.isEmpty ? nil : 9))
        #expect(pair.client.failure == nil)
    }

    /// A body that is not as long as announced is an error of the stream (RFC 9113 section 8.1.1).
    @Test(arguments: ["abcd", "abcdef"])
    func lengthMismatch(_ body: String) throws {
        let request = try #require(pair.request("POST", fields: "Content-Length: 5\r\n", ended: false))
        pair.settle()
        pair.send(pair.client, request, body)
        pair.finish(pair.client, request)
        pair.settle()
        #expect(pair.serverLog.contains("reset 1 1"))
        #expect(pair.serverLog.last == "closed 1")
        #expect(pair.clientLog == ["reset 1 1", "closed 1"])
        // And of a response.
        _ = try #require(pair.request())
        pair.settle()
        pair.respond(try #require(pair.asked.last), fields: "Content-Length: 5\r\n")
        pair.send(pair.server, try #require(pair.asked.last), body)
        pair.finish(pair.server, try #require(pair.asked.last))
        pair.settle()
        #expect(pair.clientLog.suffix(2) == ["reset 3 1", "closed 3"])
    }

    @Test func resetByTheServer() throws {
        let stream = try #require(pair.request("POST", ended: false))
        pair.settle()
        pair.respond(pair.asked[0])
        pair.send(pair.server, pair.asked[0], "part")
        pair.settle()
        pair.server.reset(pair.asked[0], code: H2Code.internalError)
        pair.settle()
        #expect(pair.serverLog == ["head 1", "closed 1"])
        #expect(pair.clientLog == ["head 1", "body 1", "reset 1 2", "closed 1"])
        #expect(!stream.mayReplay)
    }

    @Test func resetByTheClient() throws {
        let stream = try #require(pair.request("POST", ended: false))
        pair.settle()
        pair.client.reset(stream, code: H2Code.cancel)
        pair.settle()
        #expect(pair.serverLog == ["head 1", "reset 1 8", "closed 1"])
        #expect(pair.clientLog == ["closed 1"])
    }

    /// Calls on a stream that is gone do nothing and lose no chunk.
    @Test func closedStreamsTakeNothing() throws {
        let stream = try #require(pair.request())
        pair.settle()
        let asked = pair.asked[0]
        pair.client.reset(stream, code: H2Code.cancel)
        let bytes = H2Wire.take(pair.client)
        _ = pair.server.receive(bytes.span, now: 0)
        #expect(asked.isClosed)
        pair.respond(asked)
        pair.send(pair.server, asked, "late")
        pair.finish(pair.server, asked)
        pair.server.reset(asked, code: 1)
        pair.server.consumed(asked, 5)
        pair.settle()
        #expect(pair.chunks.inUse == 0)
        #expect(pair.server.failure == nil)
    }

    @Test func linesThatAreNotValidAreRefused() throws {
        for block in ["No colon\r\n", "A: b\rc\r\n", "A b: c\r\n", "A: b\n", "Transfer_Encoding: chunked\r\n"] {
            _ = try #require(pair.request())
            pair.settle()
            let stream = try #require(pair.asked.last)
            let bytes = block.bytes
            let sent = pair.server.respond(stream, status: 200, fields: bytes.span, ended: true)
            #expect(!sent, "\(block)")
            pair.settle()
            #expect(pair.clientLog.suffix(2).first == "reset \(pair.asked.count * 2 - 1) 2")
        }
    }

    /// A head that is larger than the library writes ends the stream and not the connection.
    @Test func responseHeadsThatAreTooLarge() throws {
        _ = try #require(pair.request())
        pair.settle()
        let line = "X: " + String(repeating: "a", count: 10_000) + "\r\n"
        pair.respond(pair.asked[0], fields: String(repeating: line, count: 8), ended: true)
        pair.settle()
        #expect(pair.serverLog == ["head 1", "reset 1 2", "closed 1"])
        #expect(pair.clientLog == ["reset 1 2", "closed 1"])
        #expect(pair.chunks.inUse == 0)
    }

    /// RFC 8441
    @Test func extendedConnect() throws {
        pair.settle()
        #expect(pair.client.mayTunnel)
        _ = try #require(pair.request("CONNECT", "/chat", ended: false, protocol: "websocket"))
        pair.settle()
        let stream = pair.asked[0]
        let head = try pair.head(stream)
        #expect(head.method == .connect)
        #expect(text(stream.extendedProtocol, H2Wire.array(stream.head)) == "websocket")
        #expect(text(head.path, H2Wire.array(stream.head)) == "/chat")
        #expect(head.framing == .untilClose)
    }

    /// Tunnels that are not supported are not announced, and a request for one is reset.
    @Test func extendedConnectSwitchedOff() throws {
        var limits = H2Limits()
        limits.acceptsTunnels = false
        let pair = H2Pair(server: limits)
        pair.settle()
        #expect(!pair.client.mayTunnel)
        _ = try #require(pair.request("CONNECT", "/chat", ended: false, protocol: "websocket"))
        pair.settle()
        #expect(pair.serverLog.isEmpty)
        #expect(pair.clientLog == ["reset 1 1", "closed 1"])
    }

    /// Streams and their arrays are used again, and say so.
    @Test func streamsAreReused() throws {
        var seen: Set<ObjectIdentifier> = []
        var generations: Set<UInt32> = []
        for _ in 0..<50 {
            _ = try #require(pair.request())
            pair.settle()
            let stream = try #require(pair.asked.last)
            seen.insert(ObjectIdentifier(stream))
            generations.insert(stream.generation)
            pair.respond(stream, ended: true)
            pair.settle()
        }
        #expect(seen.count <= 2)
        #expect(generations.count >= 25)
        #expect(pair.server.activeStreams == 0)
    }

    @Test func settingsAreAcknowledged() {
        #expect(!pair.server.settingsAcknowledged)
        pair.settle()
        #expect(pair.server.settingsAcknowledged && pair.client.settingsAcknowledged)
    }
}
