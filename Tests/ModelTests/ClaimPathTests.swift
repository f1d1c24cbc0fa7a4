import Bytes
import Model
import Testing

@Suite struct ClaimPathTests {
    private static let claims = #"""
        {"sub": "joe", "a.b": 1, "realm_access": {"roles": ["a", "b"]}, "https://example.com/roles": ["c"], "a/b": {"~": true},
         "list": [1, true, {"x": 1}, null, ["y"]], "none": null}
        """#

    @Test(arguments: [
        ("sub", ["joe"]), ("realm_access.roles", ["a", "b"]), ("/realm_access/roles/1", ["b"]),
        ("https://example.com/roles", ["c"]), ("/a~1b/~0", ["true"]), ("a.b", []), ("/a.b", ["1"]),
        ("list", ["1", "true"]),
        ("/list/01", []), ("/list/9", []), ("/list/-1", []), ("sub.a", []), ("none", []), ("realm_access", []),
        ("x", []),
    ])
    func values(_ path: String, _ texts: [String]) throws {
        let claims = try JSONNode.parse(Array(Self.claims.utf8).span)
        #expect(try ClaimPath(path).value(in: claims)?.texts ?? [] == texts)
    }

    @Test func literalName() throws {
        let claims = try JSONNode.parse(Array(Self.claims.utf8).span)
        #expect(ClaimPath(literal: "a.b").value(in: claims)?.texts == ["1"])
    }

    @Test(arguments: [
        ("", ClaimPath.Problem.empty), (".a", .emptyName), ("a.", .emptyName), ("a..b", .emptyName), ("/a~", .escape),
        ("/a~2", .escape),
    ])
    func malformed(_ path: String, _ problem: ClaimPath.Problem) {
        #expect(throws: problem) { try ClaimPath(path) }
    }
}
