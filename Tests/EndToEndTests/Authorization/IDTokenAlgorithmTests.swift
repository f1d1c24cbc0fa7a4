import Foundation
import TestSupport
import Testing

/// ID tokens that are signed with another algorithm than access tokens, by keys of their own.
@Suite struct IDTokenAlgorithmTests {
    private static let keys = #", "idTokenAlgorithms": ["RS256"]"#
    private static let client = #", "idTokenSignedResponseAlg": "RS256""#

    private static func algorithm(_ token: JSONText) throws -> String? {
        JSONWebToken(try #require(token.string, "\(token)")).header["alg"].string
    }

    /// The algorithms of the published keys, by key id.
    private static func published(_ gateway: GatewayProcess) throws -> [String: String] {
        let keys = try JSONText(gateway.request("GET", "/.well-known/jwks.json").text)["keys"].list
        return Dictionary(uniqueKeysWithValues: keys.map { ($0["kid"].string ?? "", $0["alg"].string ?? "") })
    }

    /// Whether the gateway knows its signature: a logout with another hint is refused.
    private static func isKnown(_ hint: String, _ fixture: Fixture) throws -> Bool {
        try fixture.request("GET", "/oauth2/logout?id_token_hint=\(hint)").status != 400
    }

    @Test("a client has ID tokens of its algorithm, others those of the token service", .tags(.core))
    func clients() throws {
        for (more, algorithm) in [(Self.client, "RS256"), ("", "ES256")] {
            let fixture = try Fixture { IDTokenTests.prepare(&$0, more, service: Self.keys) }
            let document = JSONText(try fixture.request("GET", "/.well-known/openid-configuration").text)
            #expect(document["id_token_signing_alg_values_supported"].strings == ["ES256", "RS256"])
            #expect(try Self.published(fixture.gateway).values.sorted() == ["ES256", "RS256"])
            let tokens = try IDTokenTests.logIn(fixture, scope: "openid%20orders")
            #expect(try Self.algorithm(tokens["id_token"]) == algorithm)
            #expect(try Self.algorithm(tokens["access_token"]) == "ES256")
            let renewed = try IDTokenTests.refresh(fixture, tokens)
            #expect(try Self.algorithm(renewed["id_token"]) == algorithm)
            let identity = try #require(renewed["id_token"].string)
            #expect(try fixture.request("GET", "/plain", [.bearer(identity)]).status == 401)
            #expect(
                try fixture.request("GET", "/plain", [.bearer(#require(renewed["access_token"].string))]).status == 200)
            let forged = identity.dropLast(8) + "AAAAAAAA"
            #expect(try !Self.isKnown(String(forged), fixture))
            #expect(try Self.isKnown(identity, fixture))
        }
    }

    @Test("a service of an HS algorithm has ID tokens by keys of other algorithms", .tags(.core))
    func symmetric() throws {
        let secret = String(repeating: "s", count: 32)
        let fixture = try Fixture {
            IDTokenTests.prepare(&$0, service: #", "algorithm": "HS256", "key": "\#(secret)"\#(Self.keys)"#)
            $0["issuers"] = #"{"local": {"module": "embedded", "keyFile": "state/local.pem"}}"#
        }
        let tokens = try IDTokenTests.logIn(fixture, scope: "openid")
        #expect(try Self.algorithm(tokens["id_token"]) == "RS256")
        #expect(try Self.algorithm(tokens["access_token"]) == "HS256")
        #expect(try Self.published(fixture.gateway).values.sorted() == ["ES256", "RS256"])
        #expect(try Self.isKnown(#require(tokens["id_token"].string), fixture))
    }

    @Test("the key of each algorithm is rotated by itself, and a former key is still known")
    func rotated() throws {
        let admin = try Administrator(.listener) { IDTokenTests.prepare(&$0, Self.client, service: Self.keys) }
        let fixture = admin.fixture
        let first = try IDTokenTests.logIn(fixture, scope: "openid")
        let old = try #require(first["id_token"].string)
        let before = try Self.published(fixture.gateway)
        let next = JSONText(try admin.done("signing-keys", "rotate", "--alg", "RS256"))
        #expect(next["alg"].string == "RS256" && next["state"].string == "next")
        try admin.done("signing-keys", "rotate", "--alg", "RS256", "--now")
        #expect(try admin.refused("signing-keys", "rotate", "--alg", "PS256").contains("no signing key of \"PS256\""))
        let keys = try admin.done("signing-keys", "list").split(separator: "\n").map { JSONText(String($0)) }
        #expect(keys.map { $0["alg"].string } == ["ES256", "RS256", "RS256"])
        #expect(keys.map { $0["state"].string } == ["active", "retired", "active"])
        let after = try Self.published(fixture.gateway)
        #expect(before.keys.allSatisfy { after[$0] != nil } && after.count == 3)
        let renewed = try IDTokenTests.refresh(fixture, first)
        let identity = JSONWebToken(try #require(renewed["id_token"].string))
        #expect(identity.header["kid"].string == next["kid"].string)
        #expect(try Self.isKnown(old, fixture))
        try admin.done("signing-keys", "retire", #require(JSONWebToken(old).header["kid"].string))
        #expect(try !Self.isKnown(old, fixture))
        #expect(try Self.published(fixture.gateway).count == 2)
    }

    @Test("gateways that share keys have the same one of each algorithm, and follow its rotation")
    func shared() throws {
        let fleet = try SharedKeyFleet(tokenService: Self.keys)
        let first = try Self.published(fleet.gateways[0])
        #expect(try first.values.sorted() == ["ES256", "RS256"] && Self.published(fleet.gateways[1]) == first)
        let next = JSONText(try fleet.command("rotate", "--alg", "RS256", at: 0).output)
        let kid = try #require(next["kid"].string)
        #expect(try fleet.isPublished(Set(first.keys).union([kid])))
        _ = try fleet.command("retire", kid, at: 1)
        #expect(try fleet.isPublished(Set(first.keys)))
    }
}
