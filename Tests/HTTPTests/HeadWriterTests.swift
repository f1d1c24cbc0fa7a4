import Bytes
import Testing

@testable import HTTP

@Suite struct HeadWriterTests {
    /// What was written; the chunk begins with one byte, so that growth is tried too.
    private func written(_ write: (Chunk) -> Void) -> String {
        let chunk = Chunk(capacity: 1)
        write(chunk)
        var bytes: [UInt8] = []
        for i in chunk.readable.indices { bytes.append(chunk.readable[i]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "status lines",
        arguments: [
            (200, "HTTP/1.1 200 OK\r\n"), (404, "HTTP/1.1 404 Not Found\r\n"), (502, "HTTP/1.1 502 Bad Gateway\r\n"),
            (299, "HTTP/1.1 299 \r\n"), (100, "HTTP/1.1 100 Continue\r\n"),
        ])
    func statusLine(_ status: Int, _ expected: String) {
        #expect(written { HeadWriter.appendStatusLine(status, to: $0) } == expected)
    }

    @Test("a response that is written is read as it was meant")
    func response() throws {
        let text = written { chunk in
            HeadWriter.appendStatusLine(401, phrase: "Authorization Required", to: chunk)
            HeadWriter.appendField("Content-Length", decimal: 1_234_567, to: chunk)
            HeadWriter.appendField("Cache-Control", "no-store", to: chunk)
            let value = "OAM-Auth realm=\"x\"".bytes
            HeadWriter.appendField("WWW-Authenticate", value.span, to: chunk)
            let name = "X-Any".bytes
            HeadWriter.appendField(name.span, value.span, to: chunk)
            HeadWriter.appendEnd(to: chunk)
        }
        let message = try #require(MessageReader.read(text.bytes, .response(to: .get)).message)
        #expect(message.response?.status == 401)
        #expect(message.response?.framing == .length(1_234_567))
        #expect(message.fields.map(\.name) == ["Content-Length", "Cache-Control", "WWW-Authenticate", "X-Any"])
        #expect(message.fields.map(\.token) == [.contentLength, .cacheControl, .wwwAuthenticate, .other])
        #expect(text.hasPrefix("HTTP/1.1 401 Authorization Required\r\n"))
    }

    @Test(
        "text that no parser has seen cannot end its line",
        arguments: [
            ("X-A", "plain \u{e9}", true), ("X-A", "", true), ("X-A", "a\r\nX-Gateway-User: root", false),
            ("X-A", "a\nb", false),
            ("X-A", "a\rb", false), ("X-A", "a\u{0}", false), ("X A", "b", false), ("X-A:", "b", false),
            ("", "b", false),
        ])
    func untrusted(_ name: String, _ value: String, _ expected: Bool) {
        let name = name.bytes
        let value = value.bytes
        var accepted = false
        let text = written { accepted = HeadWriter.appendUntrusted(name.span, value.span, to: $0) }
        #expect(accepted == expected)
        #expect(text.isEmpty != expected)
    }
}
