import Model
import Testing

@testable import Conversion

/// Regular expressions for paths as path patterns.
@Suite struct PathLanguageTests {
    @Test(
        "expressions that patterns can say exactly",
        arguments: [
            ("^/metrics$", ["/metrics"]), ("^/a\\.b$", ["/a.b"]), ("^/api/", ["/api/", "/api/*/**"]),
            ("^/api/.*$", ["/api/", "/api/*/**"]), ("^/api/.+", ["/api/*/**"]), ("^/.*", ["/**"]), ("^/", ["/**"]),
            ("^/users/[^/]+$", ["/users/*"]), ("^/users/[^/]+/posts$", ["/users/*/posts"]),
            ("^/(a|b)/c$", ["/a/c", "/b/c"]), ("^/docs/?$", ["/docs/", "/docs"]),
            ("^/x(/.*)?$", ["/x/", "/x/*/**", "/x"]),
            ("^/x(?:/|$)", ["/x/", "/x/*/**", "/x"]), ("^/ä b$", ["/%C3%A4%20b"]),
            ("^/a*$".replacing("*", with: "\\*"), ["/a%2A"]),
            ("^/a/|^/b$", ["/a/", "/a/*/**", "/b"]), ("^/a$|^/(b|c)$", ["/a", "/b", "/c"]),
        ])
    func exact(_ expression: String, _ patterns: [String]) throws {
        let language = PathLanguage(searched: expression)
        #expect(language.isExact && language.served.map(\.pattern) == patterns, "\(language)")
        for pattern in patterns { #expect(throws: Never.self) { try PathPattern(pattern) } }
    }

    @Test(
        "of other expressions patterns serve a part, or nothing",
        arguments: [
            ("^/metrics", ["/metrics/**"]), ("/health$", ["/health"]), ("^/a.*b$", []), ("\\.css$", []),
            ("^/users/[0-9]+$", []), ("^/users/\\d+$", []), ("(?i)^/a$", []), ("^/a.b$", []), ("^/a(b", []),
            ("^/a{2}$", []), ("^/[^/]$", []), ("^(/a|/b.*c)$", ["/a"]),
            ("^/api$|/admin$", ["/api", "/admin"]), ("/admin$|^/api$", ["/admin", "/api"]),
            ("^(/a\\Qx|/b|y\\E)", []), ("^/a\\Q|^/b/", []), ("^[\\]|/b/x]", []), ("^(/a{|/b/}c)", []),
            ("^/a$|\u{301}x", []),
            ("^/" + String(repeating: "(", count: 20_000) + String(repeating: ")", count: 20_000), []),
        ])
    func inexact(_ expression: String, _ patterns: [String]) {
        let language = PathLanguage(searched: expression)
        #expect(!language.isExact && language.served.map(\.pattern) == patterns, "\(language)")
    }

    @Test("patterns serve no path that the expression does not match, and the cover has all that it matches")
    func paths() throws {
        let paths = [
            "/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c", "/ab", "/ab/c", "/a.b", "/x", "/x/a", "/x/1", "/x/12/y",
            "/x/y1",
            "/b/c", "/api/v1/users", "/api/v2", "/apis",
        ]
        let expressions = [
            "^/a", "^/a$", "^/a/", "/a", "/a$", "^/a/.*$", "^/a/[^/]+$", "^/a/[^/]*$", "^/x/[0-9]+$", "^/x/[0-9]*/y",
            "^/(a|x)/",
            "^/a(/.*)?$", "^/api/(v1|v2)(/|$)", "^/.+$", "^/a.*", "^/a/?", "b$", "^/a.b$", "^/x/[a-z][0-9]$", "^/[ab]/",
            "^/a/.*/c$", "^/ap?i?s?$", "^/a/|/b/", "^/a/|^/x/", "/b$|^/x",
        ]
        for expression in expressions {
            let language = PathLanguage(searched: expression)
            let regex = try Regex(expression)
            for path in paths {
                let isMatched = path.firstMatch(of: regex) != nil
                let shape = PathLanguage(PathToken.literal(path), isAnchoredAtEnd: true).served[0]
                let isServed = language.served.contains { $0.covers(shape) }
                #expect(!isServed || isMatched, "\(expression) serves \(path)")
                #expect(!isMatched || language.cover.contains { $0.covers(shape) }, "\(expression) covers \(path)")
                if language.isExact { #expect(isServed == isMatched, "\(expression) on \(path)") }
            }
        }
    }

    @Test("cells have the intersection of all shapes of each path")
    func cells() throws {
        func shape(_ expression: String) -> PathShape { PathLanguage(searched: expression).served[0] }
        let shapes = [PathShape.all, shape("^/a/.+"), shape("^/[^/]+/b$"), shape("^/a/b$"), shape("^/a/[^/]+/c$")]
        let cells = try #require(PathShape.cells(shapes))
        #expect(Set(cells.map(\.pattern)) == ["/**", "/a/*/**", "/*/b", "/a/b", "/a/*/c"])
        #expect(cells.count == Set(cells).count)
        let wide = (0..<14).map { index in
            PathShape(segments: (0..<14).map { $0 == index ? .literal("x") : .one })
        }
        #expect(PathShape.cells(wide) == nil)
    }
}
