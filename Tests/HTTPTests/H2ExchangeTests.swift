import Bytes
import Testing

@testable import HTTP

/// One exchange after the other between a client and a server in memory (GW-06).
@Suite struct H2ExchangeTests {
    @Test func requestAndResponseWithBodies() throws {
        let pair = H2Pair()
        let asked = try #require(pair.request("POST", "/a?b=c", fields: "Content-Length: 5\r\nX-One: 1\r\n", ended: false))
        pair.client.send(asked, pair.chunk("hello".bytes))
        pair.client.finish(asked, trailers: [UInt8]().span)
        pair.settle()
        #expect(pair.serverEvents.map(\.text) == ["head 1", "body 1", "ended 1"])
        guard case .head(let stream) = pair.serverEvents[0] else { return }
        guard case .head(let head) = stream.requestHead(into: pair.table, limits: HTTPLimits()) else {
            Issue.record("no head")
            return
        }
        let bytes = H2Wire.array(stream.head)
        #expect(head.method == .post)
        #expect(text(head.path, bytes) == "/a")
        #expect(text(head.query, bytes) == "b=c")
        #expect(text(head.authority, bytes) == "example.org")
        #expect(head.framing == .length(5))
        #expect(pair.table.count == 2)
        #expect(H2Wire.body(stream, pair.server, pair.chunks) == "hello".bytes)

        let fields = "Content-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\n".bytes
        pair.server.respond(stream, status: 200, fields: fields.span, ended: false)
        pair.server.send(stream, pair.chunk("world".bytes))
        let trailers = "X-Sum: 7\r\n".bytes
        pair.server.finish(stream, trailers: trailers.span)
        pair.serverEvents = []
        pair.settle()
        #expect(pair.serverEvents.map(\.text) == ["closed 1"])
        #expect(pair.clientEvents.map(\.text) == ["head 1", "body 1", "ended 1"])
        guard case .head(let answer) = asked.responseHead(into: pair.table, limits: HTTPLimits(), requestMethod: .post)
        else {
            Issue.record("no head")
            return
        }
        #expect(answer.status == 200)
        #expect(answer.framing == .untilClose)
        #expect(pair.table.occurrences(.setCookie) == 2)
        #expect(pair.table.occurrences(.connection) == 0)
        #expect(H2Wire.text(asked.trailers) == "x-sum: 7\r\n\r\n")
        #expect(H2Wire.body(asked, pair.client, pair.chunks) == "world".bytes)
        // The stream is let go only when its body has been taken.
        #expect(pair.client.nextEvent()?.text == "closed 1")
        #expect(pair.client.nextEvent() == nil)
        #expect(pair.server.nextEvent() == nil)
        #expect(pair.chunks.inUse == 0)
    }
}
