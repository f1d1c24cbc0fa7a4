import Identity
import Testing

/// URLs of calls: what is taken, and how each strange one is refused.
@Suite struct OutboundURLTests {
    @Test(arguments: [
        ("https://idp.example.com", "https", "idp.example.com", 443, "/", "idp.example.com"),
        (
            "HTTP://IdP.Example.com:8080/Keys?a=b&c=%2f", "http", "idp.example.com", 8080, "/Keys?a=b&c=%2f",
            "idp.example.com:8080"
        ),
        ("http://127.0.0.1:80/x", "http", "127.0.0.1", 80, "/x", "127.0.0.1"),
        ("https://[::1]:8443/k", "https", "::1", 8443, "/k", "[::1]:8443"),
        ("https://[2001:DB8::1]/k", "https", "2001:db8::1", 443, "/k", "[2001:db8::1]"),
        ("https://token_service/k", "https", "token_service", 443, "/k", "token_service"),
        ("https://idp.example.com?x=1", "https", "idp.example.com", 443, "/?x=1", "idp.example.com"),
    ])
    func taken(text: String, scheme: String, host: String, port: Int, target: String, authority: String) throws {
        let url = try OutboundURL(text)
        #expect(url.scheme.rawValue == scheme)
        #expect(url.host == host)
        #expect(Int(url.port) == port)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect(try OutboundURL(url.description) == url)
    }

    @Test(arguments: [
        ("", OutboundURL.Problem.scheme), ("idp.example.com/keys", .scheme), ("ftp://idp.example.com", .scheme),
        ("https:/idp.example.com", .scheme), ("https://", .scheme), (" https://a", .scheme),
        ("file:///etc/passwd", .scheme),
        ("https://user@idp.example.com", .userInformation), ("https://good.example@evil.example/", .userInformation),
        ("https:///keys", .host), ("https://a..b/", .host), ("https://-a/", .host), ("https://a b/", .host),
        ("https://a%2eb/", .host), ("https://127.1/", .host), ("https://0x7f.0x1/", .host),
        ("https://2130706433/", .host),
        ("https://127.0.0.01/", .host), ("https://[::1/", .host), ("https://[::1%25eth0]/", .host),
        ("https://a.b./", .host),
        ("https://\u{e4}.example/", .host), ("https://[127.0.0.1]/", .host),
        ("https://a:/", .port), ("https://a:0/", .port), ("https://a:65536/", .port), ("https://a:+443/", .port),
        ("https://a:4 3/", .port),
        ("https://a/#x", .fragment), ("https://a#x", .fragment),
        ("https://a/ b", .target), ("https://a/%zz", .target), ("https://a/%2", .target), ("https://a/\u{e4}", .target),
        ("https://a\\@b/", .target), ("https://a\\b", .target), ("https://a/\r\nHost: b", .target),
        ("https://a/\u{0}", .target), ("https://a/<b>", .target), ("https://a/\"", .target),
    ])
    func refused(text: String, problem: OutboundURL.Problem) {
        #expect(throws: problem) { try OutboundURL(text) }
    }

    @Test func lengthIsLimited() throws {
        let text = "https://a/" + String(repeating: "x", count: OutboundURL.maximumLength - 10)
        #expect(try OutboundURL(text).target.utf8.count == OutboundURL.maximumLength - 9)
        #expect(throws: OutboundURL.Problem.tooLong) { try OutboundURL(text + "x") }
    }

    @Test func fieldsOfResponsesAreFoundWithoutCase() {
        let response = OutboundResponse(
            status: 200, headers: [("Cache-Control", "max-age=5"), ("X-A", "1"), ("x-a", "2")])
        #expect(response.value(of: "cache-control") == "max-age=5")
        #expect(response.value(of: "X-A") == nil)
        #expect(response.values(of: "X-A") == ["1", "2"])
    }
}
