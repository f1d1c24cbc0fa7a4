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

    @Test("an excerpt has what stands at the paths, with the objects around it")
    func excerpt() throws {
        func excerpt(_ paths: String..., of text: String = Self.claims) throws -> String? {
            let claims = try JSONNode.parse(Array(text.utf8).span)
            let limited = claims.limited(to: try paths.map { try ClaimPath($0) })
            return limited.map { String(decoding: $0.serialized, as: UTF8.self) }
        }
        #expect(try excerpt("x", "sub.a", "/list2") == nil)
        #expect(try excerpt("sub", "realm_access.roles") == #"{"sub":"joe","realm_access":{"roles":["a","b"]}}"#)
        #expect(try excerpt("/a~1b/~0", "none", "/a.b") == #"{"a/b":{"~":true},"none":null,"a.b":1}"#)
        // A list is not taken apart.
        #expect(try excerpt("/list/0") == #"{"list":[1,true,{"x":1},null,["y"]]}"#)
        let deep = #"{"a": {"b": {"c": 1, "d": 2, "e": 3}}}"#
        #expect(try excerpt("a.b.c", "a.b.d", of: deep) == #"{"a":{"b":{"c":1,"d":2}}}"#)
        let kept = try ["a.b", "x"].map { try ClaimPath($0) }
        #expect(try kept.covers(ClaimPath("a.b.c")) && kept.covers(ClaimPath("x")))
        #expect(try !kept.covers(ClaimPath("a")) && !kept.covers(ClaimPath("a.bc")) && !kept.covers(ClaimPath("y")))
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
