import Bytes
import Identity
import Model
import Testing

@Suite struct RoleMappingTests {
    @Test(
        "M01 to M25 (JWT-25 to JWT-29, ROLE-04, CON-04): roles are mapped as specified",
        arguments: Vector.all("roles.json"))
    func vector(_ vector: Vector) throws {
        let catalogue = RoleCatalogue(vector.file["catalogue"]?.strings ?? [])
        let rules = try #require(ExternalIdentityRules(issuer: vector.issuer))
        let joe = User(username: "joe", roles: vector.node["localUserRoles"]?.strings ?? [])
        var claims = vector.claims
        guard case .object(let members) = claims.value else { throw Missing.claims }
        claims.value = .object(members + [JSONMember(name: "sub", node: JSONNode(.string("joe")))])
        let identity = try rules.identify(
            claims: claims, realm: "Default", users: store([joe]), catalogue: catalogue)
        #expect(catalogue.names(of: identity.roles).sorted() == vector.node["roles"]?.strings)
    }

    @Test("all vectors are present")
    func thereAreAllVectors() {
        #expect(Vector.all("roles.json").count == 25)
    }

    @Test("M22: incomplete entries are reported")
    func incompleteEntriesAreNamed() {
        let mapping = RoleMapping(mappings: [
            .init(tokenRole: "a", mappedRoles: ["A"]), .init(tokenRole: nil, mappedRoles: ["B"]),
            .init(tokenRole: "c", mappedRoles: nil),
        ])
        #expect(mapping.incompleteEntries == [1, 2])
    }

    @Test("ROLE-04: names are compared byte by byte: U+212A KELVIN SIGN differs from K")
    func namesAreComparedByteByByte() throws {
        let catalogue = RoleCatalogue(["Klerk"])
        let mapping = RoleMapping(
            sources: ["roles"], mappings: [.init(tokenRole: "K", mappedRoles: ["Klerk"])])
        #expect(mapping.roles(claims: try json(#"{"roles":["\u212Alerk","\u212A"]}"#), catalogue: catalogue).isEmpty)
        #expect(!mapping.roles(claims: try json(#"{"roles":["K"]}"#), catalogue: catalogue).isEmpty)
    }

    enum Missing: Error { case claims }

    @Test("roles are found in nested claims, in parts of texts and behind a prefix, in all places")
    func places() throws {
        let claims = try JSONNode.parse(
            #"{"realm_access":{"roles":["Clerk","role:Manager"]},"scope":"role:Auditor x Guest","a.b":"Manager"}"#
                .utf8.span)
        func roles(_ sources: ClaimSource...) -> [String] {
            let catalogue = RoleCatalogue(["Manager", "Clerk", "Auditor", "Guest"])
            return catalogue.names(
                of: RoleMapping(sources: sources, defaultRoles: ["Guest"]).roles(claims: claims, catalogue: catalogue))
        }
        let (nested, scope) = (try ClaimPath("realm_access.roles"), try ClaimPath("scope"))
        #expect(roles(ClaimSource(nested)) == ["Clerk"])
        #expect(roles(ClaimSource(try ClaimPath("/realm_access/roles"), prefix: "role:")) == ["Manager"])
        #expect(roles(ClaimSource(scope, separator: " ", prefix: "role:")) == ["Auditor"])
        #expect(roles(ClaimSource(scope, separator: " "), ClaimSource(nested)) == ["Clerk", "Guest"])
        // Literal names have no places.
        #expect(roles("a.b") == ["Manager"])
        #expect(roles(ClaimSource(try ClaimPath("a.b"))) == ["Guest"])
        // Values without the prefix are none.
        #expect(roles(ClaimSource(nested, prefix: "group:")) == ["Guest"])
    }

    @Test(
        "of an e-mail address the domain counts, in lower case and with its sign; of another text nothing does",
        arguments: [
            (#""jo@example.com""#, true), (#""jo@EXAMPLE.com""#, true), (#"["x", "jo@example.com"]"#, true),
            (#""example.com@evil.example""#, false), (#""jo@example.com@evil.example""#, false),
            (#""jo@evil.example@example.com""#, false), (#""@example.com""#, false), (#""example.com""#, false),
            (#""jo@sub.example.com""#, false), (#""jo@example.com.evil.example""#, false), (#""jo@""#, false),
        ])
    func domain(_ email: String, _ isFound: Bool) throws {
        let claims = try JSONNode.parse(#"{"email": \#(email)}"#.utf8.span)
        let catalogue = RoleCatalogue(["@example.com", "example.com", "@"])
        let mapping = RoleMapping(sources: [ClaimSource(try ClaimPath("email"), part: .domain)])
        let names = catalogue.names(of: mapping.roles(claims: claims, catalogue: catalogue))
        #expect(names == (isFound ? ["@example.com"] : []))
    }
}
