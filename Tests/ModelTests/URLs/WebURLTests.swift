import Model
import Testing

/// URLs: what is taken, and how each strange one is refused.
@Suite struct WebURLTests {
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
        let url = try WebURL(text)
        #expect(url.scheme == scheme)
        #expect(url.host == host)
        #expect(Int(url.port) == port)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect(try WebURL(url.description) == url)
    }

    @Test(arguments: [
        ("", WebURL.Problem.scheme), ("idp.example.com/keys", .scheme), ("ftp://idp.example.com", .scheme),
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
    func refused(text: String, problem: WebURL.Problem) {
        #expect(throws: problem) { try WebURL(text) }
    }

    @Test func lengthIsLimited() throws {
        let text = "https://a/" + String(repeating: "x", count: WebURL.maximumLength - 10)
        #expect(try WebURL(text).target.utf8.count == WebURL.maximumLength - 9)
        #expect(throws: WebURL.Problem.tooLong) { try WebURL(text + "x") }
    }

    @Test("applications write characters that RFC 3986 has no place for")
    func lenient() throws {
        #expect(try WebURL(lenient: "http://a/x?page[size]=1|\\%").target == "/x?page[size]=1|\\%")
        let long = "https://a/" + String(repeating: "x", count: WebURL.maximumLength)
        #expect(try WebURL(lenient: long).description == long)
        for text in ["http://a\\b", "http://a/ b", "http://a/\u{e4}", "http://a/\r\n"] {
            #expect(throws: WebURL.Problem.target) { try WebURL(lenient: text) }
        }
        #expect(throws: WebURL.Problem.fragment) { try WebURL(lenient: "http://a/#b") }
        #expect(throws: WebURL.Problem.userInformation) { try WebURL(lenient: "http://a@b/") }
    }
}

/// Origins: a URL with nothing behind the authority.
@Suite struct WebOriginTests {
    @Test(arguments: [
        ("https://API.example.com", "https://api.example.com"), ("https://a:443", "https://a"),
        ("http://a:443", "http://a:443"), ("http://[0:0::1]:80", "http://[::1]"),
        ("http://10.0.0.1", "http://10.0.0.1"),
        ("http://3scale:80", "http://3scale"),
    ])
    func taken(text: String, canonical: String) throws {
        let origin = try WebOrigin(text)
        #expect(origin.description == canonical)
        #expect(try WebURL("\(text)/a?b").origin == origin)
    }

    @Test(arguments: [
        ("https://a/", WebURL.Problem.path), ("https://a?b", .path), ("https://a#b", .path), ("https://a/b", .path),
        ("a.example", .scheme), ("https://*.example.com", .host), ("https://a:080", .port),
        ("https://a@b", .userInformation),
        ("http://10.0.0.256", .host), ("http://[::1]x", .host), ("http://[fe80::1%25lo]", .host),
    ])
    func refused(text: String, problem: WebURL.Problem) {
        #expect(throws: problem) { try WebOrigin(text) }
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://a.localhost", true), ("http://127.9.9.9", true), ("http://[::1]", true),
        ("http://localhost.a", false), ("http://10.0.0.1", false),
    ])
    func local(text: String, isLocal: Bool) throws { #expect(try WebOrigin(text).isLocal == isLocal) }
}
