import Bytes
import Testing

@testable import HTTP

@Suite struct RequestParserTests {
    @Test func simple() throws {
        let bytes = Array("GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept:  */* \r\n\r\nrest".utf8)
        let table = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(bytes.span, into: table) else {
            Issue.record("no head")
            return
        }
        #expect(head.method == .get)
        #expect(String(decoding: bytes[head.path.range], as: UTF8.self) == "/a")
        #expect(head.length == bytes.count - 4)
    }
}
