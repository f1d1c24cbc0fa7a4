import Testing

/// Parameters and escapes within a path, which some upstreams drop or decode before they look for the resource.
@Suite struct RegressionPathReadingTests {
    @Test(
        "ROLE-05: a path parameter does not select a more general rule",
        arguments: ["/inventory/items;x=1", "/inventory/items;", "/inventory/items%3bx", "/inventory/items;a=b;c=d"])
    func anotherRule(_ path: String) throws {
        let fixture = try Fixture()
        let token = try fixture.token("bob")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 403)
        let response = try fixture.request("GET", path, [.bearer(token)])
        #expect(response.status == 400)
        #expect(JSONText(response.text)["code"].string == "ambiguous_path")
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test(
        "ROLE-05: a path parameter does not lead to a public rule or an endpoint",
        arguments: ["/open;x/a", "/plain;x", "/oauth2/token;x"])
    func noRule(_ path: String) throws {
        let fixture = try Fixture()
        #expect([400, 404].contains(try fixture.request("GET", path).status))
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test(
        "ROLE-05: a path parameter is accepted if both interpretations have the same rule",
        arguments: ["/open/a;b=c", "/open/a;b=c/d;e", "/open/a%3Bb"])
    func oneRule(_ path: String) throws {
        let fixture = try Fixture()
        let response = try fixture.request("GET", path)
        #expect(response.status == 200)
        #expect(try fixture.lastRequest(path).path == path)
    }

    @Test(
        "ROLE-05: an escaped character does not select a more general rule, for the gateway and for other proxies",
        arguments: ["%3A", "%3a", "%253A"])
    func escapedCharacter(_ escape: String) throws {
        let fixture = try ForwardAuthFixture.make {
            $0.addRoutes(
                #"{"path": "/v1/**", "upstream": "stub", "public": true}"#,
                #"{"path": "/v1/orders:purge", "upstream": "stub", "roles": ["Manager"]}"#)
        }
        #expect(try fixture.request("POST", "/v1/orders:purge").status == 401)
        let path = "/v1/orders\(escape)purge"
        for answer in [try fixture.request("POST", path), try fixture.ask("POST", path)] {
            #expect(answer.status == 400 && fixture.reason(of: answer) == "ambiguous_path", "\(answer.text)")
        }
        #expect(fixture.upstream.requests.isEmpty)
        // Of paths of one rule, the spelling is forwarded as received.
        let other = "/v1/orders\(escape)list"
        #expect(try fixture.request("GET", other).status == 200)
        let forwarded = other.replacing("%3a", with: "%3A")
        #expect(try fixture.lastRequest(forwarded).path == forwarded)
    }
}
