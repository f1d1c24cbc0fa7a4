import Bytes
import Model
import Testing

@Suite struct RouteRedirectTests {
    private func location(_ redirect: RouteRedirect, _ path: String, _ query: String?, strip: String? = nil) -> String {
        let bytes = Array((query ?? "").utf8)
        let chunk = Chunk(capacity: 8)
        let rewrite = strip.map { PathRewrite(stripping: PathPrefix($0), prefixes: []) }
        redirect.append(
            path: path.utf8.span, query: query.map { _ in ByteRange(start: 0, count: bytes.count) }, of: bytes.span,
            rewrite: rewrite, to: chunk)
        return String(copying: chunk.readable)
    }

    @Test(
        "path and query follow the URL where the route wants them",
        arguments: [
            ("https://www.example.com", false, false, "https://www.example.com/"),
            ("https://www.example.com", true, true, "https://www.example.com/a/b?c=%2F"),
            ("https://www.example.com", false, true, "https://www.example.com/?c=%2F"),
            ("https://www.example.com/new/", true, false, "https://www.example.com/new/a/b"),
            ("http://www.example.com:8080/new", true, false, "http://www.example.com:8080/new/a/b"),
            ("https://www.example.com/new?d=e", false, false, "https://www.example.com/new?d=e"),
            ("/new", false, false, "/new"), ("/new", true, true, "/new/a/b?c=%2F"), ("/", true, false, "/a/b"),
            ("/", false, false, "/"), ("/new?d", false, false, "/new?d"),
        ])
    func locations(_ url: String, _ keepsPath: Bool, _ keepsQuery: Bool, _ expected: String) throws {
        var redirect = RouteRedirect(to: try #require(RedirectURL(url)))
        redirect.keepsPath = keepsPath
        redirect.keepsQuery = keepsQuery
        #expect(location(redirect, "/a/b", "c=%2F") == expected)
        #expect(location(redirect, "/a/b", nil) == expected.replacing("?c=%2F", with: ""))
    }

    @Test("a prefix is left out of the appended path, which is never empty")
    func rewritten() throws {
        var redirect = RouteRedirect(to: try #require(RedirectURL("https://www.example.com")))
        redirect.keepsPath = true
        #expect(location(redirect, "/a/b", nil, strip: "/a") == "https://www.example.com/b")
        #expect(location(redirect, "/a", nil, strip: "/a") == "https://www.example.com/")
    }

    @Test(
        "URLs that a reader could take for another host, or that are none",
        arguments: [
            "", "a", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https:/a", "https://",
            "javascript:alert(1)", "ftp://a.example", "https://u@a.example/", "https://a.example/#b", "/a#b", "/a b",
            "/a\r\nX: y", "/%zz", "https://a.example\\@evil.example", "https://a.example:99999/", "/\u{e4}",
        ])
    func invalid(_ text: String) { #expect(RedirectURL(text) == nil) }
}
