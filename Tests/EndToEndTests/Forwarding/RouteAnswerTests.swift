import Foundation
import Testing

/// Routes without an upstream: redirects and fixed responses.
@Suite(.tags(.engine)) struct RouteAnswerTests {
    private static let joe: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
    private static let bob: [Field] = [.basic("bob:Welcome3"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]

    private func fixture(_ routes: String...) throws -> Fixture {
        try Fixture {
            $0["routes"] = FixtureSettings.list(routes + [#"{"path": "/up", "upstream": "stub", "public": true}"#])
        }
    }

    private func explanation(_ fixture: Fixture, _ method: String, _ target: String) throws -> (
        output: String, ending: Program.Ending
    ) {
        let result = try Program.run(
            GatewayProcess.binary,
            ["explain", method, target, "--config", fixture.gateway.configuration.path, "--plain"])
        return (result.output, result.ending)
    }

    @Test(
        "a redirect has the status, the URL and what is kept of the request, and explain says the same",
        arguments: [
            (#"{"to": "https://www.example.com/new"}"#, 308, "https://www.example.com/new"),
            (#"{"to": "/new", "status": 302}"#, 302, "/new"),
            (
                #"{"to": "https://www.example.com", "keepPath": true, "keepQuery": true, "status": 307}"#, 307,
                "https://www.example.com/old/a%20b?c=%2F"
            ),
            (#"{"to": "/", "keepPath": true, "status": 301}"#, 301, "/old/a%20b"),
            (#"{"to": "/new/", "keepQuery": true, "status": 303}"#, 303, "/new/?c=%2F"),
        ])
    func redirects(_ redirect: String, _ status: Int, _ location: String) throws {
        let fixture = try fixture(#"{"path": "/old/**", "public": true, "redirect": \#(redirect)}"#)
        let target = "/old//x/../%61%20b?c=%2F".replacing("//x/..", with: "/x/..")
        for method in ["GET", "HEAD", "POST"] {
            let response = try fixture.request(method, target, body: method == "POST" ? "a" : nil)
            #expect(response.status == status)
            #expect(response.values("Location") == [location])
            #expect(response.text.isEmpty && response.values("Content-Length") == ["0"])
        }
        let said = try explanation(fixture, "GET", target)
        #expect(
            said.ending == .exit(0) && said.output.hasSuffix("ok answer      \(status) to \(location)"),
            "\(said.output)")
        let line = try #require(fixture.gateway.waitForAccess { $0["route"].string == "/old/**" })
        #expect(line["reason"].string == "redirected" && line["decision"].string == "answered")
        #expect(line["upstream"].string == nil)
    }

    @Test(
        "no path leads to another host",
        arguments: [
            "//evil.example", "///evil.example/x", "/\\evil.example", "/%5cevil.example", "/%2f%2fevil.example",
            "/.//evil.example",
            "/x/..//evil.example", "/@evil.example", "/.evil.example", "http://evil.example//evil.example",
            "/;//evil.example", "/%09/evil.example", "/%0d%0aLocation:%20https://evil.example",
        ])
    func openRedirects(_ target: String) throws {
        let fixture = try fixture(
            #"{"path": "/**", "public": true, "redirect": {"to": "/", "keepPath": true, "keepQuery": true}}"#,
            #"{"path": "/**", "name": "b", "hosts": ["b.example"], "public": true, "redirect": {"to": "https://b.example", "keepPath": true}}"#
        )
        let relative = try fixture.request("GET", target)
        if relative.status == 308 {
            let location = try #require(relative.only("Location"))
            #expect(location.hasPrefix("/") && !location.hasPrefix("//") && !location.contains("\\"), "\(location)")
        } else {
            #expect(relative.status == 400 && relative.values("Location").isEmpty)
        }
        let absolute = try fixture.request("GET", target, ["Host: b.example"])
        let location = absolute.only("Location")
        #expect(
            location == nil || location?.hasPrefix("https://b.example/") == true || location?.hasPrefix("/") == true)
        #expect(relative.head.fields.count { $0.name.lowercased() == "location" } <= 1)
    }

    @Test("a prefix is left out of the path that is kept")
    func rewrite() throws {
        let fixture = try fixture(
            #"{"path": "/v1/**", "public": true, "rewrite": {"stripPrefix": "/v1"}, "redirect": {"to": "https://www.example.com/v2", "keepPath": true}}"#
        )
        #expect(try fixture.request("GET", "/v1/a").values("Location") == ["https://www.example.com/v2/a"])
        #expect(try fixture.request("GET", "/v1").values("Location") == ["https://www.example.com/v2/"])
    }

    @Test("a fixed response: status, type, body, own fields, and no body for HEAD")
    func responses() throws {
        let fixture = try fixture(
            #"""
            {"path": "/robots.txt", "public": true, "response": {"body": "User-agent: *\nDisallow: /\n"},
             "responseHeaders": {"set": {"Cache-Control": "max-age=60", "X-Own": "a", "X-Who": "${user}"}}}
            """#,
            #"{"path": "/down", "public": true, "response": {"status": 503, "contentType": "application/json", "body": "{}"}, "responseHeaders": {"set": {"Retry-After": "60"}}}"#,
            #"{"path": "/none", "public": true, "response": {"status": 204}}"#,
            #"{"path": "/same", "public": true, "response": {"status": 304}}"#,
            #"{"path": "/odd", "public": true, "response": {"status": 599}}"#)
        let connection = try fixture.connect()
        let robots = try connection.exchange("GET", "/robots.txt?x")
        #expect(robots.status == 200 && robots.text == "User-agent: *\nDisallow: /\n")
        #expect(robots.values("Content-Type") == ["text/plain; charset=utf-8"])
        #expect(robots.values("Cache-Control") == ["max-age=60"] && robots.values("X-Own") == ["a"])
        #expect(robots.values("X-Who").isEmpty && robots.values("X-Request-Id").count == 1)
        let head = try connection.exchange("HEAD", "/robots.txt")
        #expect(head.status == 200 && head.values("Content-Length") == ["26"] && head.body.isEmpty)
        let down = try connection.exchange("POST", "/down", body: "abc")
        #expect(down.status == 503 && down.text == "{}" && down.values("Retry-After") == ["60"])
        #expect(down.values("Content-Type") == ["application/json"])
        let none = try connection.exchange("DELETE", "/none")
        #expect(none.status == 204 && none.values("Content-Length").isEmpty && none.values("Content-Type").isEmpty)
        #expect(try connection.exchange("GET", "/same").status == 304)
        #expect(try connection.exchange("GET", "/odd").status == 599)
        #expect(try connection.exchange("GET", "/up").status == 200)
        let line = try #require(fixture.gateway.waitForAccess { $0["route"].string == "/down" })
        #expect(line["reason"].string == "responded" && line["decision"].string == "answered")
        #expect(try fixture.gateway.metrics().sum("portcullis_denied_total") ?? 0 == 0)
        let said = try explanation(fixture, "GET", "/down")
        #expect(said.ending == .exit(0))
        #expect(said.output.hasSuffix("ok answer      503 by the route, application/json, 2 bytes"), "\(said.output)")
        #expect(try explanation(fixture, "GET", "/none").output.hasSuffix("204 by the route, no body"))
    }

    @Test(
        "access rules hold as for an upstream",
        arguments: [#""redirect": {"to": "/up"}"#, #""response": {"status": 200}"#])
    func access(_ target: String) throws {
        let fixture = try fixture(
            #"{"path": "/a", "methods": ["GET", "POST"], "roles": ["Manager"], "rateLimit": {"requests": 100}, "maxBodyBytes": 2, \#(target)}"#,
            #"{"path": "/gate", "webgate": "MobileWG", \#(target)}"#)
        let served = target.contains("redirect") ? 308 : 200
        #expect(try fixture.request("GET", "/a").status == 401)
        #expect(try fixture.request("GET", "/a", Self.bob).status == 403)
        #expect(try fixture.request("GET", "/a", Self.joe).status == served)
        #expect(try fixture.request("DELETE", "/a", Self.joe).status == 405)
        #expect(try fixture.request("POST", "/a", Self.joe, body: "ab").status == served)
        #expect(try fixture.request("POST", "/a", Self.joe, body: "abc").status == 413)
        #expect(try fixture.request("GET", "/a", Self.joe + [.origin("https://evil.example")]).status == 403)
        let allowed = try fixture.request("GET", "/a", Self.joe + [.origin("http://gw.example.com")])
        #expect(allowed.status == served)
        #expect(allowed.values("Access-Control-Allow-Origin") == ["http://gw.example.com"])
        let challenged = try fixture.request("GET", "/gate", ["User-Agent: OAMMS-Agent"])
        #expect(challenged.status == 401 && challenged.only("WWW-Authenticate")?.contains("OAM-Auth") == true)
        let said = try explanation(fixture, "GET", "/a")
        #expect(said.ending == .exit(1) && said.output.contains("NO rights      missing_credential"))
        #expect(fixture.upstream.requests("/a").isEmpty && fixture.upstream.requests("/gate").isEmpty)
    }

    @Test("a gateway without any upstream")
    func noUpstream() throws {
        let fixture = try Fixture {
            $0["upstreams"] = "{}"
            $0["routes"] = #"[{"path": "/**", "public": true, "response": {"body": "closed", "status": 410}}]"#
        }
        let response = try fixture.request("GET", "/x")
        #expect(response.status == 410 && response.text == "closed")
    }
}
