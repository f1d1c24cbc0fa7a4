import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Spellings of one resource: the rule that is applied is that of each reading, or the request is refused.
@Suite struct PathReadingTests {
    private static func route(_ path: String) throws -> ResolvedRoute {
        var route = ResolvedRoute(RouteEntry(name: path, path: try PathPattern(path)))
        route.access.isPublic = true
        return route
    }

    private func snapshot(_ paths: [String]) throws -> PolicySnapshot {
        var settings = TestPolicy.settings()
        settings.routes = try paths.map(Self.route)
        settings.endpoints = []
        return TestPolicy.snapshot(settings)
    }

    /// The path of the route that a request is admitted to, or the code of its refusal.
    private func answer(_ snapshot: PolicySnapshot, _ target: String) -> String {
        TestRequest("GET", target).answer(snapshot)
    }

    @Test("an escaped character does not lead past a rule", arguments: Array("!$&'()+,;=:@"))
    func everyCharacter(_ character: Character) throws {
        let escape = try #require(character.asciiValue.map { "%" + String($0, radix: 16) })
        let snapshot = try snapshot(["/v1/**", "/v1/a\(character)b"])
        for spelling in [escape, escape.uppercased(), "%25" + escape.dropFirst()] {
            #expect(answer(snapshot, "/v1/a\(spelling)b") == "ambiguous_path", "\(spelling)")
            // Elsewhere it is forwarded.
            #expect(answer(snapshot, "/v1/x\(spelling)y") == "/v1/**", "\(spelling)")
        }
        #expect(answer(snapshot, "/v1/a\(character)b") == (character == ";" ? "ambiguous_path" : "/v1/a\(character)b"))
    }

    @Test(
        "readings of other kinds",
        arguments: [
            ("/v1/s*", "ambiguous_path"), ("/v1/s%2A", "/v1/s%2A"), ("/v1/s%2a", "/v1/s%2A"),
            ("/v1/%2561", "ambiguous_path"),
            ("/v1/a", "/v1/a"), ("/v1/a;x", "ambiguous_path"), ("/v1/a%3Bx", "ambiguous_path"),
            ("/v1/a%253Bx", "ambiguous_path"),
            ("/v1/b%3A/a;x", "/v1/**"), ("/v1/..%253Bx/b", "ambiguous_path"), ("/v1/100%25", "/v1/**"),
            ("/v1/100%25C3", "/v1/**"), ("/v1/%20b", "/v1/**"), ("/v1/%C3%A9", "/v1/%C3%A9"),
            ("/v1/%25C3%25A9", "ambiguous_path"),
            ("/v1/%250Ab", "ambiguous_path"), ("/w%3A", "no_route"), ("/w%40", "no_route"),
        ])
    func otherReadings(_ target: String, _ expected: String) throws {
        let snapshot = try snapshot(["/v1/**", "/v1/s%2A", "/v1/a", "/v1/%C3%A9", "/w:"])
        #expect(answer(snapshot, target) == expected)
    }

    private static let names = [
        "a:b", "a", "b", "a@b", "x+y", "it's", "(1)", "a,b", "k=v", "$n", "!w", "a&b", "s%2A", "%C3%A9", "a%20b", "%25",
    ]

    private func table(_ random: inout SeededRandom) -> [String] {
        let paths = (0..<Int.random(in: 2...6, using: &random)).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).reduce("") { path, _ in
                path + "/" + (Bool.random(using: &random) ? Self.names.randomElement(using: &random) ?? "" : "*")
            } + (Bool.random(using: &random) ? "/**" : "")
        }
        return Array(Set(paths + ["/**"])).sorted()
    }

    /// A spelling that decodes to the path, by decoding once or twice and dropping parameters.
    private func spelling(of path: String, _ random: inout SeededRandom) -> String {
        var text = ""
        for byte in path.utf8 {
            let escape = "%" + String(byte, radix: 16)
            switch (Int.random(in: 0..<6, using: &random), byte) {
            case (_, UInt8(ascii: "%")): text += "%"
            case (0, UInt8(ascii: "/")): text += ";v=1/"
            case (_, UInt8(ascii: "/")): text += "/"
            case (1, _) where !text.hasSuffix("%"): text += escape
            case (2, _) where !text.hasSuffix("%"): text += "%25" + escape.dropFirst()
            default: text += String(decoding: [byte], as: UTF8.self)
            }
        }
        return text.hasPrefix(";") ? path : text
    }

    @Test("random tables and spellings: the rule of the decoded form, or a refusal")
    func random() throws {
        var random = SeededRandom(seed: 11)
        var (admitted, refused) = (0, 0)
        for _ in 0..<400 {
            let paths = table(&random)
            let snapshot = try snapshot(paths)
            for _ in 0..<25 {
                let plain = (0..<Int.random(in: 1...3, using: &random)).reduce("") { path, _ in
                    path + "/" + (Self.names.randomElement(using: &random) ?? "")
                }
                let spelling = spelling(of: plain, &random)
                let (expected, found) = (answer(snapshot, plain), answer(snapshot, spelling))
                if found == "ambiguous_path" { refused += 1 } else { admitted += 1 }
                #expect(found == expected || found == "ambiguous_path", "\(spelling) of \(plain) in \(paths)")
            }
        }
        #expect(admitted > 1_000 && refused > 1_000, "\(admitted) admitted, \(refused) refused")
    }
}
