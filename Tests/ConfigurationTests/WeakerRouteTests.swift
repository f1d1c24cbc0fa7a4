import Configuration
import Declaration
import Foundation
import Model
import Testing

/// A wide route must not open by another spelling what a narrow one closes, where upstreams take both for the same.
@Suite struct WeakerRouteTests {
    private func warnings(_ routes: String...) throws -> [String] {
        let loaded = try ConfigurationDirectory(["routes.json": "[\n\(routes.joined(separator: ",\n"))\n]"]).load()
        #expect(loaded.lines(.error) == [])
        return loaded.diagnostics.filter { $0.pointer != "/store/kind" && !$0.pointer.hasSuffix("/clientCertificate") }
            .map(\.description)
    }

    private func route(_ path: String, _ members: String = "") -> String {
        #"{ "path": "\#(path)", "upstream": "inventory"\#(members.isEmpty ? "" : ", \(members)") }"#
    }

    private func warning(
        _ line: Int, _ path: String, _ example: String, _ wide: String, at index: Int, _ lacking: String
    )
        -> String
    {
        #"routes.json:\#(line): warning: /routes/\#(line - 2)/path: "\#(example)" falls under "\#(wide)" (/routes/\#(index)), which requires less: \#(lacking) (expected a route for "\#(example)" with the same rule, no wider route, or "acknowledge": ["weaker-variants"] in this one where the upstream does not take this path for "\#(path)")"#
    }

    @Test(
        arguments: [
            (#""roles": ["Manager"]"#, "", "no role"),
            (#""roles": ["Manager"]"#, #""roles": ["Manager", "Clerk"]"#, "other roles"),
            (#""roles": { "all": ["Manager"] }"#, #""roles": ["Clerk"]"#, "other roles"),
            (#""roles": { "none": ["Clerk"] }"#, "", "no role"),
            ("", #""public": true"#, "no credential"), ("", #""loginRequired": false"#, "no login"),
            (#""level": 3"#, #""level": 2"#, "level 2 and not 3"),
            (#""webgate": "MainWG""#, "", "level 0 and not 2"),
            (#""socialLogin": true"#, "", "no social login"),
            (#""clientCertificate": true"#, "", "no client certificate"),
            (#""clientCertificate": true, "public": true"#, #""public": true"#, "no client certificate"),
            (#""clientCertificate": ["dns:a"]"#, #""clientCertificate": true"#, "other client certificates"),
            (#""backends": ["inventory/1.0"]"#, "", "credentials of other clients"),
            (#""methods": ["GET"]"#, "", "any method"),
            (#""authenticators": ["bearer"]"#, "", "other kinds of credentials"),
            (#""authenticators": ["bearer:local"]"#, #""authenticators": ["bearer"]"#, "other kinds of credentials"),
            (
                #""authenticators": [{"all": ["apiKey", "bearer"]}]"#, #""authenticators": ["bearer"]"#,
                "other kinds of credentials"
            ),
            (#""acr": "mfa", "maxAge": "5m""#, #""acr": ["mfa", "pwd"]"#, "other levels of the login, older logins"),
            (#""proof": "required""#, #""proof": "optional""#, "tokens that are bound to no key"),
            (#""acr": "mfa", "maxAge": "5m""#, #""maxAge": "6m""#, "other levels of the login, older logins"),
            (#""methods": ["GET"]"#, #""methods": ["GET", "HEAD", "PUT"]"#, "the method PUT"),
            (#""methods": { "GET": { "roles": ["Clerk"] } }"#, #""methods": ["GET"]"#, "no role"),
            (
                #""level": 3, "roles": ["Manager"]"#, #""loginRequired": false"#,
                "no login, level 0 and not 3, no role"
            ),
        ])
    func weaker(narrow: String, wide: String, lacking: String) throws {
        #expect(
            try warnings(route("/a/items", narrow), route("/a/**", wide)) == [
                warning(2, "/a/items", "/a/items/", "/a/**", at: 1, lacking)
            ])
    }

    @Test(arguments: [
        ("", ""), ("", #""roles": ["Manager"]"#), (#""public": true"#, ""), (#""loginRequired": false"#, ""),
        (#""roles": ["Manager", "Clerk"]"#, #""roles": ["Clerk"]"#),
        (#""roles": ["Manager", "Clerk"]"#, #""roles": { "all": ["Clerk"] }"#),
        (#""roles": { "all": ["Clerk"] }"#, #""roles": ["Clerk"]"#), (#""level": 2"#, #""webgate": "MainWG""#),
        (#""backends": ["inventory/1.0"], "methods": ["GET"]"#, #""backends": ["inventory/1.0"], "methods": ["GET"]"#),
        (#""methods": ["GET"]"#, #""methods": ["GET", "HEAD"]"#),
        (#""acr": ["mfa", "phr"], "maxAge": "5m""#, #""acr": "phr", "maxAge": "4m""#),
        (#""methods": ["POST"], "roles": ["Clerk"]"#, #""methods": { "POST": { "roles": ["Clerk"] } }"#),
    ])
    func notWeaker(narrow: String, wide: String) throws {
        #expect(try warnings(route("/a/items", narrow), route("/a/**", wide)) == [])
    }

    @Test func acknowledged() throws {
        let narrow = #""roles": ["Manager"], "acknowledge": ["weaker-variants"]"#
        #expect(try warnings(route("/a/items", narrow), route("/a/**")) == [])
    }

    /// Which spelling falls where.
    @Test func spellings() throws {
        let role = #""roles": ["Manager"]"#
        #expect(
            try warnings(route("/**"), route("/a/admin/**", role)) == [
                warning(3, "/a/admin/**", "/a/Admin", "/**", at: 0, "no role")
            ])
        #expect(
            try warnings(route("/a/*"), route("/a/items", role)) == [
                warning(3, "/a/items", "/a/Items", "/a/*", at: 0, "no role")
            ])
        #expect(
            try warnings(route("/a/items/", role), route("/a/items")) == [
                warning(2, "/a/items/", "/a/items", "/a/items", at: 1, "no role")
            ])
        #expect(
            try warnings(route("/a/*/items", role), route("/a/**")) == [
                warning(2, "/a/*/items", "/a/x/items/", "/a/**", at: 1, "no role")
            ])
        // A catch-all with the same rule covers both the slash and what lies below, and case remains.
        #expect(
            try warnings(route("/a/items/**", role), route("/a/**")) == [
                warning(2, "/a/items/**", "/a/Items", "/a/**", at: 1, "no role")
            ])
        #expect(try warnings(route("/a/items", role), route("/b/**")) == [])
        #expect(try warnings(route("/a/items", role), route("/a/ITEMS/**")) == [])
    }

    /// The route between takes the variant.
    @Test func nearestRouteCounts() throws {
        let role = #""roles": ["Manager"]"#
        #expect(try warnings(route("/a/items", role), route("/a/**", role), route("/**", role)) == [])
        #expect(
            try warnings(route("/a/items", role), route("/a/**", role), route("/**"))
                .map { $0.components(separatedBy: " (")[0] } == [
                    #"routes.json:2: warning: /routes/0/path: "/A/items" falls under "/**""#,
                    #"routes.json:3: warning: /routes/1/path: "/A" falls under "/**""#,
                ])
    }

    @Test func hosts() throws {
        let role = #""roles": ["Manager"], "hosts": ["a.example"]"#
        #expect(try warnings(route("/a/items", role), route("/a/**", #""hosts": ["b.example"]"#)) == [])
        #expect(try warnings(route("/a/items", role), route("/a/**", #""hosts": ["a.example"]"#)).count == 1)
        #expect(try warnings(route("/a/items", role), route("/a/**")).count == 1)
    }

    /// Two routes of one path are one rule.
    @Test func methodsOfTheSamePath() throws {
        #expect(
            try warnings(
                route("/a/items", #""methods": ["GET"]"#),
                route("/a/items", #""name": "b", "methods": ["POST"], "roles": ["Clerk"]"#),
                route("/a/**", #""methods": ["GET"]"#)) == [])
    }

    /// Clients choose the conditions that they meet.
    @Test func conditions() throws {
        func found(_ routes: String...) throws -> [String] {
            let list = "[\n\(routes.joined(separator: ",\n"))\n]"
            let loaded = try ConfigurationDirectory(["routes.json": list]).load()
            #expect(loaded.lines(.error) == [])
            return loaded.diagnostics.filter { $0.pointer.hasSuffix("/path") }.map {
                $0.description.components(separatedBy: " (expected")[0]
            }
        }
        let strict = route("/a", #""roles": ["Manager"]"#)
        let two = #""name": "two", "headers": { "X-Version": "2" }"#
        #expect(
            try found(strict, route("/a", two)) == [
                #"routes.json:2: warning: /routes/0/path: "/a" with header "x-version=2" falls under /routes/1, which requires less: no role"#
            ])
        // A field that is left out or sent twice leads to the other.
        #expect(
            try found(route("/a"), route("/a", two + #", "roles": ["Manager"]"#)) == [
                #"routes.json:3: warning: /routes/1/path: "/a" with no header or query condition falls under /routes/0, which requires less: no role"#
            ])
        #expect(
            try found(
                route("/a", #""query": { "v": "1" }, "level": 3"#),
                route("/a", #""name": "b", "query": { "v": true, "w": "x" }"#)
            ) == [
                #"routes.json:2: warning: /routes/0/path: "/a" with query "v" and "w=x" falls under /routes/1, which requires less: level 0 and not 3"#
            ])
        #expect(try found(strict, route("/a", two + #", "roles": ["Manager"]"#)) == [])
        #expect(try found(route("/a", #""public": true"#), route("/a", two + #", "public": true"#)) == [])
        #expect(
            try found(
                route("/a", #""methods": ["GET"], "backends": ["inventory/1.0"]"#),
                route("/a", two + #", "methods": ["PUT"]"#))
                == [])
        #expect(
            try found(
                route("/a", #""roles": ["Manager"], "acknowledge": ["weaker-variants"]"#), route("/a", two)) == [])
        // Another spelling of a path leads to every route of the wider pattern.
        #expect(
            try found(
                route("/a/b", #""roles": ["Manager"]"#), route("/a/**", #""roles": ["Manager"]"#),
                route("/a/**", two)
            ).contains(
                #"routes.json:2: warning: /routes/0/path: "/a/b/" falls under "/a/**" (/routes/2), which requires less: no role"#
            ))
    }

    @Test(
        "kept spellings that no path of the pattern can have are warned of",
        arguments: [
            ("/a/*", #""encodedSlashes": "keep""#, "encodedSlashes"),
            ("/a/{id}/b", #""mergeSlashes": false"#, "mergeSlashes"),
            ("/a/*", #""encodedCharacters": ["%25", "%5C"]"#, "encodedCharacters"),
            ("/a/*", #""encodedCharacters": ["%25"], "encodedSlashes": "refuse", "mergeSlashes": true"#, nil),
            ("/a/**", #""encodedCharacters": ["%5C"], "encodedSlashes": "keep", "mergeSlashes": false"#, nil),
        ] as [(String, String, String?)])
    func keptSpellings(_ path: String, _ members: String, _ warned: String?) throws {
        let expected = warned.map {
            [
                #"routes.json:2: warning: /routes/0/\#($0): such paths are refused here: decoded, they have other segments than "\#(path)" (expected a "path" that ends in "**")"#
            ]
        }
        #expect(try warnings(route(path, members)) == expected ?? [])
    }
}
