import Bytes
import Model
import Testing

@testable import HTTP

/// RFC 9112 section 3.2.
@Suite struct RequestTargetTests {
    struct Parts: Equatable, Sendable {
        var path: String
        var query: String?
        var authority: String
    }

    private func outcome(_ target: String, method: String = "GET") -> (bytes: [UInt8], outcome: MessageOutcome) {
        let bytes = "\(method) \(target) HTTP/1.1\r\nHost: host.example\r\n\r\n".bytes
        return (bytes, MessageReader.read(bytes, .request))
    }

    @Test(
        "forms and parts",
        arguments: [
            ("/", Parts(path: "/", query: nil, authority: "host.example")),
            ("/?", Parts(path: "/", query: "", authority: "host.example")),
            ("/a?b/c?d", Parts(path: "/a", query: "b/c?d", authority: "host.example")),
            ("//a", Parts(path: "//a", query: nil, authority: "host.example")),
            ("/%zz\"<>^`{|}\\", Parts(path: "/%zz\"<>^`{|}\\", query: nil, authority: "host.example")),
            ("http://other.example", Parts(path: "/", query: nil, authority: "other.example")),
            ("http://other.example/", Parts(path: "/", query: nil, authority: "other.example")),
            ("http://other.example?x=1", Parts(path: "/", query: "x=1", authority: "other.example")),
            ("HTTP://other.example:8080/a?b", Parts(path: "/a", query: "b", authority: "other.example:8080")),
            ("https://[2001:db8::1]:443/a", Parts(path: "/a", query: nil, authority: "[2001:db8::1]:443")),
        ])
    func parts(_ target: String, _ expected: Parts) throws {
        let (bytes, outcome) = outcome(target)
        let head = try #require(outcome.message?.request)
        #expect(
            Parts(path: text(head.path, bytes), query: text(head.query, bytes), authority: text(head.authority, bytes))
                == expected)
        #expect(text(head.target, bytes) == target)
        expectSameWhenCut(bytes, .request)
    }

    @Test(
        "refused",
        arguments: [
            "a", "a/b", "*", "/a#b", "/a?b#c", "?a", "http:/a", "http://", "http:///a", "https://?x", "ftp://a/b",
            "http://u@a/",
            "http://u:p@a/", "http://a:99999/", "http://a:b/", "http://[::1/", "http://a b/", "/a\tb", "/a\u{0}b",
            "/a\u{7f}",
            "/\u{e9}", "http://a%2eb/", "http://a,b/", "host:443",
        ])
    func refused(_ target: String) {
        let error = outcome(target).outcome.error
        #expect(error == .malformedTarget || error == .malformedVersion)
    }

    @Test("RFC 9112 3.2.4: the asterisk is for OPTIONS alone")
    func asterisk() throws {
        let (bytes, outcome) = outcome("*", method: "OPTIONS")
        let head = try #require(outcome.message?.request)
        #expect(text(head.path, bytes) == "*")
        #expect(head.query == nil)
        #expect(self.outcome("*a", method: "OPTIONS").outcome.error == .malformedTarget)
    }

    @Test("tunnels are refused as not implemented")
    func connect() {
        for target in ["a:443", "/", "http://a/", "*"] {
            #expect(outcome(target, method: "CONNECT").outcome.error == .connectUnsupported)
        }
    }
}

/// RFC 3986 section 3.2 as far as `Host` goes.
@Suite struct AuthorityTests {
    private func isValid(_ text: String) -> Bool {
        let bytes = text.bytes
        return Authority.isValid(bytes.span)
    }

    @Test(
        "valid",
        arguments: [
            "a", "a.b", "a-b_c~d.example", "127.0.0.1", "a:80", "a:", "a:0", "a:65535", "[::1]", "[::]", "[::]:8080",
            "[1::]",
            "[2001:db8:0:0:0:0:0:1]", "[2001:DB8::1:2]", "[::ffff:192.0.2.1]", "[64:ff9b::192.0.2.33]:1",
            "[1:2:3:4:5:6:7::]",
            "[1:2:3:4:5:6:192.0.2.1]",
        ])
    func valid(_ text: String) {
        #expect(isValid(text))
    }

    @Test(
        "invalid",
        arguments: [
            "", ":", ":80", "a:65536", "a:000080", "a:+80", "a:8a", "a b", "a,b", "a@b", "a/b", "a?b", "a#b", "a%20b",
            "a\\b", "a;b",
            "\u{e9}", "[", "]", "[]", "[::1", "::1", "[::1]a", "[::1]:x", "[:1]", "[1:]", "[:::]", "[1::2::3]",
            "[12345::]", "[g::]",
            "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[::1%25eth0]", "[v1.a]", "[::1.2.3]",
            "[::1.2.3.256]",
            "[::1.2.3.4.5]", "[::01.2.3.4]", "[1.2.3.4]", "[1.2.3.4::]", "[:]", "[::1.2.3.]",
        ])
    func invalid(_ text: String) {
        #expect(!isValid(text))
    }
}
