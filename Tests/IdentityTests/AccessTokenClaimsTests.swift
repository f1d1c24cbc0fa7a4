import Bytes
import Identity
import Testing

@Suite struct AccessTokenClaimsTests {
    private func claims(kind: Principal.Kind = .user) -> AccessTokenClaims {
        AccessTokenClaims(
            TokenRights(subject: "joe", kind: kind, roles: ["Manager", "A \"quoted\" role"], level: 2),
            of: .sample("inventory", id: "mbe-inv-1"), issuer: "https://gw.example.com",
            audience: ["https://gw.example.com"], issuedAt: 100,
            expiresAt: 700, tokenID: "abc")
    }

    @Test("encoded claims decode to the same value", arguments: [Principal.Kind.user, .client])
    func whatIsWrittenIsRead(_ kind: Principal.Kind) throws {
        var written = claims(kind: kind)
        #expect(AccessTokenClaims(verified: try JSONNode.parse(written.json().span)) == written)
        written.scope = "a b"
        written.virtual = true
        written.audience = ["x", "y"]
        written.userRoles = ["Manager", "Clerk"]
        #expect(AccessTokenClaims(verified: try JSONNode.parse(written.json().span)) == written)
    }

    @Test("a token never loses what limits its roles", arguments: [#""Manager""#, "[1]", "null", "{}"])
    func userRoles(_ claim: String) throws {
        var written = claims()
        written.userRoles = []
        let text = String(decoding: written.json(), as: UTF8.self)
        let changed = text.replacing(#""user_roles":[]"#, with: #""user_roles":\#(claim)"#)
        #expect(changed != text)
        #expect(AccessTokenClaims(verified: try JSONNode.parse(Array(changed.utf8).span)) == nil)
    }

    @Test("ISS-02, RFC 9068 section 2.2: all required claims are present")
    func allRequiredClaimsAreThere() throws {
        let node = try JSONNode.parse(claims().json().span)
        #expect(
            Set((node.members ?? []).map(\.name)) == [
                "iss", "sub", "aud", "iat", "exp", "jti", "kind", "client_id", "backend_name", "backend_version",
                "backend_id", "roles", "level", "oracle_tk_context", "acr",
            ])
    }

    @Test("RFC 9068 section 2.2.1, RFC 8693 section 4.1: login data and actors are encoded")
    func whatIsKnownOfTheLogin() throws {
        var written = claims()
        written.authenticatedAt = 1_700_000_000
        written.methods = ["pwd", "otp"]
        written.actors = ["now", "before"]
        let node = try JSONNode.parse(written.json().span)
        #expect(node["auth_time"]?.integer == 1_700_000_000)
        #expect(node["acr"]?.string == "\(written.level)")
        #expect(node["act"]?["sub"]?.string == "now")
        #expect(node["act"]?["act"]?["sub"]?.string == "before")
        #expect(AccessTokenClaims(verified: node) == written)
        written.origins = [
            TokenOrigin(tokenID: "parent", backendID: "mbe-2"), TokenOrigin(tokenID: "outside", backendID: nil),
        ]
        #expect(AccessTokenClaims(verified: try JSONNode.parse(written.json().span)) == written)
        written.actors = Array(repeating: "a", count: AccessTokenClaims.maximumActors + 1)
        #expect(AccessTokenClaims(verified: try JSONNode.parse(written.json().span)) == nil)
    }

    @Test("DEC-06, OMS-09, OMS-17: webgate, session and idle timeout are encoded")
    func whatBindsAToken() throws {
        var written = claims()
        written.webgate = "InventoryWG"
        written.session = "session-1"
        written.idleSeconds = 900
        let node = try JSONNode.parse(written.json().span)
        #expect(node["webgate"]?.string == "InventoryWG" && node["sid"]?.string == "session-1")
        #expect(AccessTokenClaims(verified: node) == written)
    }

    @Test(
        "a malformed optional claim is refused",
        arguments: [
            ("auth_time", JSONValue.string("1")), ("amr", .string("pwd")), ("amr", .array([JSONNode(.number("1"))])),
            ("webgate", .number("1")), ("webgate", .string("")), ("sid", .null), ("idle", .string("9")),
            ("idle", .number("0")), ("act", .string("joe")), ("act", .object([])), ("exchanged_for", .string("id")),
            ("exchanged_for", .array([JSONNode(.object([]))])), ("exchanged_for", .array([JSONNode(.string("id"))])),
        ])
    func oddClaimIsNoToken(_ name: String, _ value: JSONValue) throws {
        let members = try #require(try JSONNode.parse(claims().json().span).members)
        let odd = JSONNode(.object(members + [JSONMember(name: name, node: JSONNode(value))]))
        #expect(AccessTokenClaims(verified: odd) == nil)
    }

    @Test(
        "a missing or mistyped required claim is refused",
        arguments: [
            "iss", "sub", "aud", "iat", "exp", "jti", "kind", "client_id", "backend_name", "backend_version",
            "backend_id",
            "roles", "level", "oracle_tk_context",
        ])
    func claimMissingOrOfAnotherTypeIsNoToken(_ name: String) throws {
        let members = try #require(try JSONNode.parse(claims().json().span).members)
        let without = JSONNode(.object(members.filter { $0.name != name }))
        #expect(AccessTokenClaims(verified: without) == nil)
        let changed = members.map {
            $0.name == name ? JSONMember(name: name, node: JSONNode(.object([]))) : $0
        }
        #expect(AccessTokenClaims(verified: JSONNode(.object(changed))) == nil)
    }

    @Test(
        "a value that is never issued is refused",
        arguments: [
            ("kind", JSONValue.string("anonymous")), ("kind", .string("client")), ("level", .number("11")),
            ("level", .number("-1")), ("level", .number("2.0")), ("roles", .array([JSONNode(.number("1"))])),
            ("sub", .string("")), ("sub", .string("joe\r\nX-Gateway-Roles: Manager")), ("sub", .string("joe\u{0}")),
            ("sub", .string("joe ")), ("sub", .string(String(repeating: "j", count: 513))), ("jti", .string("")),
            ("virtual", .string("true")),
        ])
    func valueThatIsNeverWrittenIsNoToken(_ name: String, _ value: JSONValue) throws {
        let members = try #require(try JSONNode.parse(claims().json().span).members)
        let changed = members.filter { $0.name != name } + [JSONMember(name: name, node: JSONNode(value))]
        #expect(AccessTokenClaims(verified: JSONNode(.object(changed))) == nil)
    }
}
