import Bytes
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Spellings that a route keeps: forwarded as received where every reading has the same rule, refused elsewhere.
@Suite struct KeptSpellingTests {
    struct Rule: Sendable {
        let path: String
        var kept: PathSpellings = []
        var rewrite: PathRewrite = .identity

        func settings() throws -> ResolvedRoute {
            var route = ResolvedRoute(RouteEntry(name: path, path: try PathPattern(path)))
            route.access.isPublic = true
            route.options.keptSpellings = kept
            route.rewrite = rewrite
            return route
        }
    }

    private static func snapshot(_ rules: Rule...) throws -> PolicySnapshot { try snapshot(rules) }

    private static func snapshot(_ rules: [Rule]) throws -> PolicySnapshot {
        var settings = TestPolicy.settings()
        settings.routes = try rules.map { try $0.settings() }
        settings.endpoints = []
        return TestPolicy.snapshot(settings)
    }

    @Test(
        "paths of real APIs are forwarded as received",
        arguments: [
            "/api/v4/projects/group%2Fname/issues", "/api/v4/projects/a%2fb%2Fc", "/api/queues/%2F/name",
            "/api/exchanges/%2f/a.b/publish", "/api/v1/repositories/https%3A%2F%2Fgit.example.com%2Forg%2Frepo.git",
            "/@scope%2fname", "/-/package/@scope%2Fname/dist-tags", "/bucket/a//b///c", "/bucket/a//", "/a%5Cb",
            "/a%5cb/c", "/api/queues/a%252Fb/name", "/x%25252Fy", "/a%252Eb", "/100%25", "/a//b%2Fc",
        ])
    func asReceived(_ path: String) throws {
        let snapshot = try Self.snapshot(Rule(path: "/**", kept: .all))
        let request = TestRequest("GET", path)
        #expect(request.answer(snapshot) == "/**")
        // Escapes that no route keeps have their canonical form.
        let canonical = request.canonicalPath(snapshot).map { String(decoding: $0, as: UTF8.self) }
        #expect(canonical == path)
    }

    @Test(
        "a path that decodes to a dot segment, to nothing or to a control character is refused",
        arguments: [
            "/a/..%2Fb", "/a/.%2Fb", "/a/b%2F..%2Fc", "/a/b%2F..", "/a/b%2f.", "/..%2F", "/a/..%5Cb", "/a%5C..%5Cb",
            "/a%5C.", "/a/%2e%2e/b", "/a%2F%2E/b", "/a%2F%2e%2E", "/a/%2E%2F", "/a/%252E%252E/b", "/a/%252e/b",
            "/a/%25252E%25252e/b", "/a/..%252Fb",
            "/a/%252E%252E%252Fb", "/a/..%255Cb", "/a/%2500", "/a%252500b", "/a%00", "/a%2F%00", "/a%250Ab", "/a%257F",
            "/a//../b", "/a//b/..", "/a/;x/b", "/a/%253B/b", "/a%2F;x", "/a%2F..;x%2Fb", "/a/..;x%2Fb", "//a/b",
            "//a%2Fb", "/a/%c0%af", "/a%2F%c3", "/a%" + String(repeating: "25", count: 70) + "41",
        ])
    func alwaysRefused(_ path: String) throws {
        let snapshot = try Self.snapshot(Rule(path: "/**", kept: .all))
        #expect(TestRequest("GET", path).answer(snapshot) == "ambiguous_path")
    }

    @Test(
        "a path is refused whose decoded form has another rule, or none",
        arguments: [
            ("/admin%2Fx", "ambiguous_path"), ("/admin%2fx", "ambiguous_path"), ("/x/admin%2Fy", "/**"),
            ("/admin%5Cx", "ambiguous_path"), ("/admin%252Fx", "ambiguous_path"), ("/admin%25252Fx", "ambiguous_path"),
            ("/%61dmin%2Fx", "ambiguous_path"), ("/%2561dmin%2Fx", "ambiguous_path"), ("/%2Fadmin/x", "ambiguous_path"),
            ("/%2F%2Fhost/admin", "ambiguous_path"), ("/admin;x%2Fy", "ambiguous_path"),
            ("/admin%3Bx%2Fy", "ambiguous_path"),
            ("/one%2Fx/end", "/**"), ("/one%2Fx", "ambiguous_path"), ("/%2Fhost/admin", "ambiguous_path"),
            ("/one/x%2Fy", "ambiguous_path"), ("/one/x/y", "/**"), ("/one/x", "/one/*"),
            ("/one/%2F", "ambiguous_path"), ("/data/a%2Fb", "/data/**"), ("/data/a%2Fkey", "/data/**"),
            ("/data/key%2Fb", "ambiguous_path"), ("/data//key/b", "ambiguous_path"), ("/data/a//key/b", "/data/**"),
            ("/data/x%252F..%252Fb/%25FF", "ambiguous_path"), ("/admin%252Fx/%25FF", "ambiguous_path"),
        ])
    func otherRules(_ path: String, _ expected: String) throws {
        let snapshot = try Self.snapshot(
            Rule(path: "/**", kept: .all), Rule(path: "/admin/**"), Rule(path: "/one/*", kept: .all),
            Rule(path: "/data/**", kept: .all), Rule(path: "/data/key/*", kept: .all))
        #expect(TestRequest("GET", path).answer(snapshot) == expected)
    }

    @Test(
        "each route keeps only its own spellings",
        arguments: [
            ("/slash/a%2Fb", "/slash/a%2Fb"), ("/slash/a%5Cb", nil), ("/slash/a%252Fb", nil),
            ("/slash/a//b", "/slash/a/b"),
            ("/slash//a%2Fb", "/slash/a%2Fb"), ("/back/a%5cb", "/back/a%5cb"), ("/back/a%2Fb", nil),
            ("/back/a%252Fb", nil),
            ("/twice/a%252Fb", "/twice/a%252Fb"), ("/twice/a%2Fb", nil), ("/twice/a%255Cb", "/twice/a%255Cb"),
            ("/empty/a//b", "/empty/a//b"), ("/empty/a%2Fb", nil), ("/empty//a//", "/empty//a//"),
            ("/none/a//b", "/none/a/b"),
            ("//none/a", "/none/a"), ("//empty/a", nil), ("/none/a%2Fb", nil), ("/none/a%5Cb", nil),
            ("/none/a%252Fb", nil),
            ("/nowhere%2Fa", nil), ("/empty/merged//a", "/empty/merged/a"), ("/empty//merged/a", nil),
            ("/none//..", nil), ("/empty/a%3Ab//c", "/empty/a%3Ab//c"), ("/empty/a%3ab//c", "/empty/a%3Ab//c"),
        ])
    func own(_ path: String, _ forwarded: String?) throws {
        let snapshot = try Self.snapshot(
            Rule(path: "/slash/**", kept: .encodedSlash), Rule(path: "/back/**", kept: .encodedBackslash),
            Rule(path: "/twice/**", kept: .encodedPercent), Rule(path: "/empty/**", kept: .emptySegments),
            Rule(path: "/empty/merged/**"), Rule(path: "/none/**"))
        let request = TestRequest("GET", path)
        let answer = request.answer(snapshot)
        if let forwarded {
            #expect(answer.hasSuffix("/**"))
            #expect(request.canonicalPath(snapshot).map { String(decoding: $0, as: UTF8.self) } == forwarded)
        } else {
            #expect(answer == "ambiguous_path")
        }
    }

    @Test("a variable has one value in all readings")
    func variables() throws {
        let snapshot = try Self.snapshot(Rule(path: "/users/{id}/**", kept: .all))
        for path in ["/users/ann%2Fx/mail", "/users/bob%5Cann/mail", "/users/%2561nn/mail", "/users/%2Fann/mail"] {
            #expect(TestRequest("GET", path).answer(snapshot) == "ambiguous_path", "\(path)")
        }
        for path in ["/users/ann/a%2Fb", "/users/ann//b", "/users/a%3Ab/c"] {
            #expect(TestRequest("GET", path).answer(snapshot) == "/users/{id}/**", "\(path)")
        }
    }

    @Test("the forwarded path does not begin with a host")
    func host() throws {
        let bare = PathRewrite(stripping: PathPrefix("/s3"), prefixes: [])
        let moved = PathRewrite(stripping: PathPrefix("/v1"), prefixes: [PathPrefix("/base")].compactMap(\.self))
        let snapshot = try Self.snapshot(
            Rule(path: "/s3/**", kept: .all, rewrite: bare), Rule(path: "/v1/**", kept: .all, rewrite: moved))
        #expect(TestRequest("GET", "/s3//host/admin").answer(snapshot) == "ambiguous_path")
        #expect(TestRequest("GET", "/s3/bucket//key").answer(snapshot) == "/s3/**")
        #expect(TestRequest("GET", "/v1//host/admin").answer(snapshot) == "/v1/**")
    }

    @Test("what goes on for long ends where the path is not kept any more, or has another rule when decoded")
    func readmission() throws {
        func readmit(_ path: String, _ rules: Rule...) throws -> String {
            let (host, path) = (Array("gw.example.com".utf8), Array(path.utf8))
            let outcome = try Self.snapshot(rules).readmit(
                nil, BufferedRequest(.get, host: host.span), path: path.span, now: TestPolicy.now,
                cache: VerifiedTokenCache(capacity: 1))
            switch outcome {
            case .admitted(let route, _): return route.name
            case .refused(let reason): return reason.code
            }
        }
        let kept = Rule(path: "/**", kept: .all)
        for path in ["/a%2Fb", "/a//b", "/a%5Cb", "/a%252Fb"] {
            #expect(try readmit(path, kept) == "/**")
            #expect(try readmit(path, Rule(path: "/**")) == "ambiguous_path")
            #expect(try readmit(path, kept, Rule(path: "/a/*")) == "ambiguous_path")
        }
        #expect(try readmit("/a%3Ab", kept) == "/**")
        #expect(try readmit("/a%3Ab", kept, Rule(path: "/a:b")) == "ambiguous_path")
    }

    // MARK: Property

    private static let names = ["a", "b", "a:b", "x+y", "s*", "é", "..", "."]
    private static let separators = ["/", "/", "/", "%2F", "%2f", "%5C", "%252F", "%255C", "//", ";v=1/", "%25252f"]
    private static let kinds: [PathSpellings] = [[], .encodedSlash, .escapes, .emptySegments, .all]

    private static func table(_ random: inout SeededRandom) -> [Rule] {
        let names = ["a", "b", "a:b", "x+y", "s%2A", "%C3%A9", "*"]
        let paths = (0..<Int.random(in: 1...5, using: &random)).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).reduce("") { path, _ in
                path + "/" + (names.randomElement(using: &random) ?? "")
            } + (Bool.random(using: &random) ? "/**" : "")
        }
        return Set(paths + ["/**"]).sorted().map { Rule(path: $0, kept: kinds.randomElement(using: &random) ?? []) }
    }

    private static func spelling(_ random: inout SeededRandom) -> String {
        let count = Int.random(in: 1...4, using: &random)
        return (0..<count).reduce("") { path, _ in
            let separator = path.isEmpty ? "/" : separators.randomElement(using: &random) ?? ""
            // Dots are rare: most such paths are refused.
            let isDots = Int.random(in: 0..<12, using: &random) == 0
            let name = names[isDots ? 6 + count % 2 : Int.random(in: 0..<6, using: &random)]
            return path + separator + name.utf8.reduce("") { $0 + text(of: $1, &random) }
        }
    }

    private static func text(of byte: UInt8, _ random: inout SeededRandom) -> String {
        let digits = String(byte, radix: 16)
        let isLiteral = byte < 128 && byte != UInt8(ascii: "*")
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return "%" + digits
        case 1: return "%25" + digits
        case 2: return "%2525" + digits.uppercased()
        default: return isLiteral ? String(decoding: [byte], as: UTF8.self) : "%" + digits
        }
    }

    /// What a spelling may stand for: decoded any number of times, separators of all kinds, with parameters or without.
    private static func forms(of spelling: String) -> Set<[UInt8]> {
        var (text, forms) = (Array(spelling.utf8), Set<[UInt8]>())
        while true {
            var (decoded, position) = ([UInt8](), 0)
            while position < text.count {
                let value = ASCII.percentDecoded(text.span, at: position)
                decoded.append(value ?? text[position])
                position += value == nil ? 1 : 3
            }
            let separated = decoded.map { $0 == ASCII.backslash ? ASCII.slash : $0 }
            var (plain, isParameter) = ([UInt8](), false)
            for byte in separated {
                isParameter = byte == UInt8(ascii: ";") || isParameter && byte != ASCII.slash
                if !isParameter { plain.append(byte) }
            }
            forms.formUnion([separated, plain])
            if decoded == text { return forms }
            text = decoded
        }
    }

    /// The rule for a decoded path with single slashes; nil for one with dot segments.
    private static func rule(of form: [UInt8], _ snapshot: PolicySnapshot) -> String? {
        let segments = form.split(separator: ASCII.slash)
        let end: [ArraySlice<UInt8>] = form.last == ASCII.slash ? [[]] : []
        if segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) { return nil }
        let merged = [ASCII.slash] + Array((segments + end).joined(separator: [ASCII.slash]))
        let text = merged.reduce("") { text, byte in
            let isLiteral =
                byte == ASCII.slash || byte == UInt8(ascii: ";") || "!$&'()+,=:@-._~".utf8.contains(byte)
                || ASCII.isLetter(byte) || ASCII.isDigit(byte)
            return text + (isLiteral ? String(decoding: [byte], as: UTF8.self) : "%" + hexadecimal(byte))
        }
        guard case .route(let route) = TestRequest("GET", "/").match(snapshot, Array(text.utf8)) else { return nil }
        return route.name
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    @Test("random tables and kept spellings: the rule of every decoded form, or a refusal")
    func random() throws {
        var random = SeededRandom(seed: 26)
        var (admitted, refused) = (0, 0)
        for _ in 0..<400 {
            let rules = Self.table(&random)
            let snapshot = try Self.snapshot(rules)
            for _ in 0..<25 {
                let spelling = Self.spelling(&random)
                // Literal dot segments are removed from any path.
                if spelling.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) { continue }
                let request = TestRequest("GET", spelling)
                let found = request.answer(snapshot)
                if found == "ambiguous_path" {
                    refused += 1
                    continue
                }
                let path = request.canonicalPath(snapshot) ?? []
                if !CanonicalPath.spellings(in: path.span).isEmpty { admitted += 1 }
                let others = Self.forms(of: spelling).filter { Self.rule(of: $0, snapshot) != found }
                let texts = others.map { String(decoding: $0, as: UTF8.self) }
                #expect(texts.isEmpty, "\(spelling) takes \(found) in \(rules.map(\.path))")
            }
        }
        #expect(admitted > 500 && refused > 1_000, "\(admitted) with kept spellings, \(refused) refused")
    }
}
