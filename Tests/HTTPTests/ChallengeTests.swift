import Bytes
import Foundation
import Testing

@testable import HTTP

@Suite struct CredentialsTests {
    @Test(
        "RFC 9110 11.4: scheme and rest",
        arguments: [
            ("Bearer abc", ["Bearer", "abc"]), ("Basic  dTpw ", ["Basic", "dTpw"]),
            ("OAM-Auth a%2Fb%2B", ["OAM-Auth", "a%2Fb%2B"]),
            ("Bearer", ["Bearer", ""]), ("Bearer  ", ["Bearer", ""]), ("Bearer a b", ["Bearer", "a b"]),
            ("X a=\"b\", c=d", ["X", "a=\"b\", c=d"]),
            ("", nil), (" Bearer a", nil), ("Bearer\ta", nil), ("Bea(rer a", nil), ("Bearer,a", nil), ("=a", nil),
        ] as [(String, [String]?)])
    func split(_ value: String, _ expected: [String]?) {
        let bytes = value.bytes
        let parts = Credentials.split(bytes.span).map { [text($0.scheme, bytes), text($0.rest, bytes)] }
        #expect(parts == expected)
    }
}

@Suite struct ChallengeListTests {
    private func parse(_ value: String) -> [AuthenticationChallenge]? {
        let bytes = value.bytes
        return ChallengeList.parse(bytes.span)
    }

    private static func challenge(
        _ scheme: String, _ parameters: [(String, String)] = [], token68: String? = nil
    ) -> AuthenticationChallenge {
        AuthenticationChallenge(
            scheme: scheme, token68: token68, parameters: parameters.map { .init(name: $0.0, value: $0.1) })
    }

    @Test(
        "RFC 9110 11.6.1: lists of challenges",
        arguments: [
            ("", []), ("Negotiate", [challenge("Negotiate")]),
            ("Basic realm=\"x\"", [challenge("Basic", [("realm", "x")])]),
            (
                "Basic realm = \"a\\\"b\" , charset=UTF-8",
                [challenge("Basic", [("realm", "a\"b"), ("charset", "UTF-8")])]
            ),
            (
                "Negotiate YII=, Basic realm=x",
                [challenge("Negotiate", token68: "YII="), challenge("Basic", [("realm", "x")])]
            ),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to, \\\"apps\\\"\", Basic realm=\"simple\"",
                [
                    challenge("Newauth", [("realm", "apps"), ("type", "1"), ("title", "Login to, \"apps\"")]),
                    challenge("Basic", [("realm", "simple")]),
                ]
            ),
            (", ,Basic, Bearer,", [challenge("Basic"), challenge("Bearer")]),
        ] as [(String, [AuthenticationChallenge])])
    func list(_ value: String, _ expected: [AuthenticationChallenge]) {
        #expect(parse(value) == expected)
    }

    @Test(
        "no list",
        arguments: [
            "realm=\"x\"", "Basic a=b, realm=", "Basic realm=\"x", "Basic realm=\"x\" y=z", "Basic realm=\"x\\",
            "Basic \"x\"", "Basic realm=\"\u{0}\"",
            "Basic x y", "(", "Basic, (", "Negotiate YII=, realm=x", "Basic realm=\"a\r\nb\"", "Basic realm=\"a\rb\"",
        ])
    func refused(_ value: String) {
        #expect(parse(value) == nil)
    }

    @Test("a parameter is found without case, and not at all when there are two")
    func parameter() throws {
        let challenge = try #require(parse("A REALM=x, b=1, B=2")?.first)
        #expect(challenge.parameter("realm") == "x")
        #expect(challenge.parameter("b") == nil)
        #expect(challenge.parameter("c") == nil)
    }
}

/// The cases `parseUpstream` of the vectors.
struct WebgateChallengeCase: Sendable, CustomTestStringConvertible {
    var id: String
    var header: String
    var expected: WebgateChallenge?
    var testDescription: String { id }

    static let all: [WebgateChallengeCase] = {
        let document = Fixtures.json("challenge/challenge.json") as? [String: Any]
        let cases = document?["parseUpstream"] as? [[String: Any]] ?? []
        return cases.compactMap { object in
            guard let id = object["id"] as? String, let header = object["header"] as? String else { return nil }
            guard object["invalid"] as? Bool != true, let webgate = object["webgate"] as? String,
                let level = object["level"] as? Int, let context = object["ctx"] as? String
            else { return WebgateChallengeCase(id: id, header: header, expected: nil) }
            let url = object["url"] as? String
            return WebgateChallengeCase(
                id: id, header: header,
                expected: WebgateChallenge(webgate: webgate, level: level, url: url, context: context))
        }
    }()
}

@Suite struct WebgateChallengeTests {
    private func parse(_ value: String) -> WebgateChallenge? {
        let bytes = value.bytes
        return WebgateChallenge.parse(bytes.span)
    }

    @Test func vectorsAreThere() {
        #expect(WebgateChallengeCase.all.map(\.id) == ["H10", "H11", "H12", "H13", "H14", "H15", "H16"])
    }

    @Test("vectors", arguments: WebgateChallengeCase.all)
    func vector(_ test: WebgateChallengeCase) {
        #expect(parse(test.header) == test.expected)
    }

    @Test(
        "DEC-04: no blank between level and path; colons in name and path",
        arguments: [
            ("gw_example:2/protected/api", "gw_example", 2, "/protected/api"), ("host:8080:3/a", "host:8080", 3, "/a"),
            ("W:2 /a:5/b", "W", 2, "/a:5/b"), ("W:99/", "W", 99, "/"),
        ] as [(String, String, Int, String)])
    func realms(_ realm: String, _ webgate: String, _ level: Int, _ url: String) {
        let expected = WebgateChallenge(webgate: webgate, level: level, url: url, context: "c%3D")
        #expect(parse("OAM-Auth realm=\"\(realm)\", request-ctx=\"c%3D\"") == expected)
    }

    @Test(
        "malformed",
        arguments: [
            "OAM-Auth realm=\":2 /a\", request-ctx=\"c\"", "OAM-Auth realm=\"W\", request-ctx=\"c\"",
            "OAM-Auth realm=\"W:-1 /a\", request-ctx=\"c\"",
            "OAM-Auth realm=\"W:100 /a\", request-ctx=\"c\"", "OAM-Auth realm=\"W:2 a\", request-ctx=\"c\"",
            "OAM-Auth realm=\"W:2 /a\"",
            "OAM-Auth realm=\"W:2 /a\", request-ctx=\"\"", "OAM-Auth request-ctx=\"c\"",
            "OAM-Auth realm=\"W:2\", realm=\"V:2\", request-ctx=\"c\"", "",
        ])
    func malformed(_ value: String) {
        #expect(parse(value) == nil)
    }
}
