import Bytes
import Model
import Testing

@testable import HTTP

/// What became of a path.
enum PathOutcome: Equatable, Sendable {
    case path(String)
    case ambiguous(PathAmbiguity)
}

func canonical(_ path: [UInt8]) -> PathOutcome {
    // As small as can be, so that growth is tried too.
    let scratch = Chunk(capacity: 1)
    switch CanonicalPath.canonicalise(path.span, into: scratch) {
    case .unchanged: return .path(String(decoding: path, as: UTF8.self))
    case .ambiguous(let reason): return .ambiguous(reason)
    case .rewritten:
        var bytes: [UInt8] = []
        for i in scratch.readable.indices { bytes.append(scratch.readable[i]) }
        return .path(String(decoding: bytes, as: UTF8.self))
    }
}

func canonical(_ path: String) -> PathOutcome { canonical(path.bytes) }

/// ROLE-05; the ways past other gateways are of peers' CVEs.
@Suite struct CanonicalPathTests {
    @Test(
        "canonical as they stand",
        arguments: [
            "/", "/a", "/a/", "/a/b.c", "/a.b/c..d/e...", "/.well-known/jwks.json", "/...", "/..a", "/.a", "/a-b_c~d",
            "/!$&'()*+,=:@",
            "/a;b=c", "/a;b/c", "/%2A", "/%25", "/100%25", "/%20", "/%C3%A9", "/%E2%82%AC", "/%F0%9F%98%80", "/%3F%23",
            "/a%3Bb", "/%7C",
        ])
    func unchanged(_ path: String) {
        let bytes = path.bytes
        #expect(CanonicalPath.canonicalise(bytes.span, into: Chunk(capacity: 8)) == .unchanged)
    }

    @Test(
        "rewritten",
        arguments: [
            ("//", "/"), ("///a", "/a"), ("/a//b", "/a/b"), ("/a//", "/a/"), ("/a/./b", "/a/b"), ("/./a", "/a"),
            ("/a/.", "/a/"), ("/.", "/"),
            ("/a/../b", "/b"), ("/a/..", "/"), ("/a/b/..", "/a/"), ("/a/b/../../c", "/c"), ("/a/./../b", "/b"),
            ("/public/../items", "/items"),
            ("/%61%62", "/ab"), ("/%7Ea%2Db%5Fc%30", "/~a-b_c0"), ("/%c3%a9", "/%C3%A9"), ("/%2a", "/%2A"),
            ("/a|b", "/a%7Cb"),
            ("/\"<>^`{|}[]", "/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"), ("/%41/../%42", "/B"), ("/a%3bb", "/a%3Bb"),
            ("/a%2ehtml", "/a.html"), ("/%2E.%2e", "/..."), ("/%2egit", "/.git"), ("/a%2e;x", "/a.;x"),
        ])
    func rewritten(_ path: String, _ expected: String) {
        #expect(canonical(path) == .path(expected))
        let bytes = path.bytes
        #expect(CanonicalPath.canonicalise(bytes.span, into: Chunk(capacity: 8)) == .rewritten)
    }

    @Test(
        "ambiguous",
        arguments: [
            ("", PathAmbiguity.notAbsolute), ("a", .notAbsolute), ("*", .notAbsolute), ("?", .notAbsolute),
            ("/a%2fb", .encodedSlash), ("/a%2Fb", .encodedSlash), ("/%2f", .encodedSlash),
            ("/a%5cb", .encodedBackslash),
            ("/a%5Cb", .encodedBackslash), ("/a\\b", .backslash), ("/..\\a", .backslash), ("/%2e%2e/a", .encodedDot),
            ("/%2E", .encodedDot),
            ("/.%2e/a", .encodedDot), ("/a/.%2E", .encodedDot), ("/%2e;a", .dotSegmentParameter),
            ("/a/.%2e%3bx", .dotSegmentParameter),
            ("/a%00", .encodedControl), ("/%0a", .encodedControl),
            ("/%0D%0aX", .encodedControl), ("/%1F", .encodedControl), ("/%7f", .encodedControl),
            ("/%", .malformedEscape),
            ("/%4", .malformedEscape), ("/%4/1", .malformedEscape), ("/%zz", .malformedEscape),
            ("/%u002e", .malformedEscape),
            ("/%%32%65", .malformedEscape), ("/%c0%ae", .malformedText), ("/%c0%af", .malformedText),
            ("/%e0%80%af", .malformedText),
            ("/%ff", .malformedText), ("/%c3", .malformedText), ("/%c3a", .malformedText), ("/%c3/%a9", .malformedText),
            ("/%ed%a0%80", .malformedText), ("/%f4%90%80%80", .malformedText), ("/%f8%88%80%80%80", .malformedText),
            ("/%80", .malformedText),
            ("/..", .aboveRoot), ("/../a", .aboveRoot), ("/a/../../b", .aboveRoot), ("/./..", .aboveRoot),
            ("//..", .dotsAfterEmptySegment), ("/a//../b", .dotsAfterEmptySegment),
            ("/a//b/../c", .dotsAfterEmptySegment),
            ("/a/..;/b", .dotSegmentParameter), ("/a/..;x=1/b", .dotSegmentParameter), ("/.;/a", .dotSegmentParameter),
            ("/a/..;", .dotSegmentParameter), ("/a/;/b", .dotSegmentParameter), ("/;", .dotSegmentParameter),
            ("/a/..%3b/b", .dotSegmentParameter), ("/a/..%3B/b", .dotSegmentParameter), ("/%3b", .dotSegmentParameter),
            ("/%252e%252e/", .doubleEncoding), ("/a%252Fb", .doubleEncoding), ("/a%255cb", .doubleEncoding),
            ("/%2500", .doubleEncoding),
            ("/%252525", .doubleEncoding), ("/%25%32%65", .doubleEncoding), ("/%25%32%66", .doubleEncoding),
            ("/a#b", .illegalByte), ("/a?b", .illegalByte), ("/a b", .illegalByte), ("/a\u{0}", .illegalByte),
            ("/a\t", .illegalByte),
            ("/\u{e9}", .illegalByte), ("/a\u{7f}", .illegalByte),
        ])
    func ambiguous(_ path: String, _ reason: PathAmbiguity) {
        #expect(canonical(path) == .ambiguous(reason))
    }

    @Test(
        "spellings that are kept stay as they came",
        arguments: [
            ("/a%2fb%2F", PathSpellings.encodedSlash, "/a%2fb%2F"), ("/a%5cb", .encodedBackslash, "/a%5cb"),
            ("/a%252Fb%253a", .encodedPercent, "/a%252Fb%253a"), ("//a//", .emptySegments, "//a//"),
            ("/a//./b/.//", .emptySegments, "/a//b//"), ("/%61%2f%3a//b", .encodedSlash, "/a%2f%3A/b"),
            ("/a%2Fb", .emptySegments, nil), ("/a%5Cb", .encodedSlash, nil), ("/a%252Fb", .encodedSlash, nil),
            ("/a//../b", .all, nil), ("/a%2F%2Eb", .all, "/a%2F.b"), ("/%2E%2e", .all, nil), ("/a%00", .all, nil),
            ("/a\\b", .all, nil),
            ("/%c3%2f%a9", .all, nil),
        ] as [(String, PathSpellings, String?)])
    func kept(_ path: String, _ kept: PathSpellings, _ expected: String?) {
        #expect(
            CanonicalPath.canonical(path.bytes, keeping: kept).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test("the spellings of a path, and paths that differ in the case of escapes")
    func spellings() {
        func spellings(_ path: String) -> PathSpellings {
            let bytes = path.bytes
            return CanonicalPath.spellings(in: bytes.span)
        }
        #expect(spellings("/a%2f") == .encodedSlash)
        #expect(spellings("/a%5C//") == [.encodedBackslash, .emptySegments])
        #expect(spellings("/a%252E") == .encodedPercent)
        #expect(spellings("/a/%25/%3A") == [])
        #expect(CanonicalPath.areSame("/a%2fB".bytes, "/a%2FB".bytes))
        #expect(!CanonicalPath.areSame("/a%2fb".bytes, "/a%2fB".bytes))
        #expect(!CanonicalPath.areSame("/a%2f".bytes, "/a%2".bytes))
    }

    @Test("the scratch chunk is emptied first")
    func scratch() {
        let scratch = Chunk(capacity: 64)
        scratch.append("left over")
        let path = "//a".bytes
        #expect(CanonicalPath.canonicalise(path.span, into: scratch) == .rewritten)
        #expect(scratch.count == 2)
    }

    /// A canonical path is canonical, and no segment of it can be taken for anything but a name.
    private func checkCanonical(_ path: [UInt8]) {
        guard case .path(let result) = canonical(path) else { return }
        #expect(canonical(result) == .path(result), "\(path)")
        #expect(result.first == "/")
        #expect(!result.contains("//"))
        let segments = result.split(separator: "/")
        #expect(!segments.contains { $0 == "." || $0 == ".." || $0.hasPrefix(";") }, "\(result)")
        for escape in ["%2E", "%2F", "%5C", "%00", "\\", "%2e", "%2f", "%5c"] {
            #expect(!result.contains(escape), "\(result)")
        }
    }

    @Test("what comes out is stable and has no second reading: 20000 random paths")
    func random() {
        var random = SeededRandom(seed: 5)
        let pieces = [
            "/", "/", "/", ".", "..", "a", "b", ";", "%2e", "%2f", "%25", "%", "2", "e", "f", "%61", "%c3", "%a9",
            "%3b", "|", "x=1",
            "%5c", "\\", "%00", "A", "~",
        ].map(\.bytes)
        var accepted = 0
        for _ in 0..<20_000 {
            var path = "/".bytes
            for _ in 0..<Int.random(in: 0...8, using: &random) { path += pieces.randomElement(using: &random) ?? [] }
            if case .path = canonical(path) { accepted += 1 }
            checkCanonical(path)
        }
        #expect(accepted > 2_000)
    }

    static let whatwg: [String] = ["url-whatwg/urltestdata.json", "url-whatwg/ada_extra_urltestdata.json"].flatMap {
        path in
        let cases = Fixtures.json(path) as? [Any] ?? []
        return cases.compactMap { ($0 as? [String: Any])?["pathname"] as? String }
            + cases.compactMap { ($0 as? [String: Any])?["input"] as? String }
    }

    @Test("paths and inputs of web-platform-tests have one reading or none")
    func webPlatformTests() {
        #expect(Self.whatwg.count > 500)
        for path in Self.whatwg { checkCanonical(path.bytes) }
        for path in Self.whatwg { checkCanonical("/\(path)".bytes) }
    }

    @Test("the form that browsers give a path stays what it is, or is refused")
    func browsersPaths() {
        // Pathnames are the WHATWG parser's output: no dot segment is left in them to be removed.
        let cases = Fixtures.json("url-whatwg/urltestdata.json") as? [Any] ?? []
        let paths = cases.compactMap { ($0 as? [String: Any])?["pathname"] as? String }.filter { $0.hasPrefix("/") }
        var kept = 0
        for path in paths {
            guard case .path(let result) = canonical(path) else { continue }
            kept += 1
            let slashes = result.utf8.count { $0 == 47 }
            #expect(slashes == path.utf8.count { $0 == 47 } || path.contains("//"), "\(path) became \(result)")
        }
        #expect(kept > 200)
    }
}
