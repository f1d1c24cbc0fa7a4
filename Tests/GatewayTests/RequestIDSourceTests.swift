import Bytes
import HTTP
import Model
import Testing

@testable import Gateway

@Suite struct RequestIDSourceTests {
    static func id(_ lines: String, _ source: inout RequestIDSource) throws -> String {
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n".utf8)
        let headers = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head = parser.parse(bytes.span, into: headers) else { throw HeaderRewriteTests.Refused() }
        let chunk = Chunk(capacity: 128)
        source.take(headers, bytes.span, into: chunk)
        var id: [UInt8] = []
        for i in 0..<chunk.count { id.append(chunk.readable[i]) }
        return String(decoding: id, as: UTF8.self)
    }

    @Test(arguments: ["a", "9f0c-1.2_3:4", String(repeating: "x", count: 128)])
    func aHarmlessIDOfTheClientIsKept(_ value: String) throws {
        var source = RequestIDSource(worker: 0)
        #expect(try Self.id("X-Request-Id: \(value)\r\n", &source) == value)
    }

    @Test(arguments: [
        "", "X-Request-Id:\r\n", "X-Request-Id: a b\r\n", "X-Request-Id: a\"b\r\n", "X-Request-Id: ä\r\n",
        "X-Request-Id: a,b\r\n", "X-Request-Id: a\r\nX-Request-Id: a\r\n", "X_Request_Id: a\r\n",
        "X-Request-Id: \(String(repeating: "x", count: 129))\r\n", "X-Request-Id: ${jndi:x}\r\n",
    ])
    func anyOtherIsReplaced(_ lines: String) throws {
        var source = RequestIDSource(worker: 0)
        let id = try Self.id(lines, &source)
        #expect(id.count == 24)
        #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }

    @Test func idsDiffer() throws {
        var sources = (0..<4).map { RequestIDSource(worker: $0) }
        var seen: Set<String> = []
        for round in 0..<1_000 { seen.insert(try Self.id("", &sources[round % 4])) }
        #expect(seen.count == 1_000)
    }
}
