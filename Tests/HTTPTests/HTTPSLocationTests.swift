import Bytes
import Model
import Testing

@testable import HTTP

/// Where a plain listener sends its clients.
@Suite struct HTTPSLocationTests {
    private func location(_ target: String, host: String?, port: Int = 443, method: String = "GET") throws -> String? {
        let version = host == nil ? "1.0" : "1.1"
        let bytes =
            "\(method) \(target) HTTP/\(version)\r\n\(host.map { "Host: \($0)\r\n" } ?? "")\r\n".bytes
        let head = try #require(MessageReader.read(bytes, .request).message?.request)
        let chunk = Chunk(capacity: 16)
        let isAppended = HTTPSLocation.append(head, bytes.span, port: port, to: chunk)
        let text = String(copying: chunk.readable)
        #expect(isAppended || text.isEmpty)
        return isAppended ? text : nil
    }

    @Test(
        "the host of the request without its port, and the target as it came",
        arguments: [
            ("/", "a.example", "https://a.example/"), ("/?", "a.example:8080", "https://a.example/?"),
            ("/a%2Fb/../c?d=%0A&e", "A.Example.", "https://A.Example./a%2Fb/../c?d=%0A&e"),
            ("/x", "[2001:db8::1]:80", "https://[2001:db8::1]/x"), ("/x", "[::1]", "https://[::1]/x"),
            ("//evil.example/x", "a.example", "https://a.example//evil.example/x"),
            ("/\\evil.example", "a.example", "https://a.example/\\evil.example"),
            ("/@evil.example", "a.example", "https://a.example/@evil.example"),
            ("http://a.example:80/b?c", "other.example", "https://a.example/b?c"),
            ("http://a.example?c", "other.example", "https://a.example/?c"),
        ])
    func locations(_ target: String, _ host: String, _ expected: String) throws {
        #expect(try location(target, host: host) == expected)
        let behind = expected.replacing("https://", with: "").prefix { $0 != "/" }
        let ported = expected.replacing("https://\(behind)/", with: "https://\(behind):8443/")
        #expect(try location(target, host: host, port: 8443) == ported)
    }

    @Test("a request without a host, and one for the server as a whole, have none")
    func none() throws {
        #expect(try location("/a", host: nil) == nil)
        #expect(try location("*", host: "a.example", method: "OPTIONS") == nil)
    }
}
