import Bytes
import Model
import Testing

@Suite struct PathRewriteTests {
    @Test(arguments: [
        ("", [], "/a/b", "/a/b"), ("/a", [], "/a/b", "/b"), ("/a", [], "/a", "/"), ("/a", [], "/a/", "/"),
        ("", ["/v1"], "/a", "/v1/a"), ("/a", ["/v1"], "/a", "/v1"), ("/a", ["/v1"], "/a/", "/v1/"),
        ("/a/b", ["/base", "/v1"], "/a/b/c%2E", "/base/v1/c%2E"), ("", ["/v1"], "/", "/v1/"),
    ])
    func paths(_ strip: String, _ prefixes: [String], _ path: String, _ forwarded: String) {
        let rewrite = PathRewrite(stripping: PathPrefix(strip), prefixes: prefixes.compactMap(PathPrefix.init))
        #expect(String(decoding: rewrite.path(Array(path.utf8)), as: UTF8.self) == forwarded)
        #expect((rewrite == .identity) == (path == forwarded))
    }

    @Test(arguments: ["", "/", "a", "/a/", "/a//b", "/*", "/a/**", "/../a", "/%2f", "/a?b", "/a#b", "/a b", "/\u{e4}"])
    func noPrefixes(_ text: String) {
        #expect(PathPrefix(text) == nil)
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/a/**", true), ("/a", "/a/*/b", true), ("/a", "/ab/**", false),
        ("/a", "/**", false),
        ("/a", "/*/a", false), ("/a/b", "/a/**", false), ("/a", "/A/**", false),
    ])
    func beginnings(_ prefix: String, _ pattern: String, _ begins: Bool) throws {
        #expect(try #require(PathPrefix(prefix)).begins(try PathPattern(pattern)) == begins)
    }
}
