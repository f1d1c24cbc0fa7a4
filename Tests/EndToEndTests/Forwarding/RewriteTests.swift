import Foundation
import Testing

/// Paths and hosts that the upstream sees in place of the client's.
@Suite struct RewriteTests {
    private static func route(_ path: String, _ more: String, upstream: String = "stub") -> String {
        #"{"path": "\#(path)", "upstream": "\#(upstream)", "public": true, \#(more)}"#
    }

    private func fixture(_ routes: [String], upstream more: String = "") throws -> Fixture {
        try Fixture { settings in
            settings["routes"] = FixtureSettings.list(routes)
            let url = settings["upstreams"]?.split(separator: "\"")[5] ?? ""
            settings["upstreams"] = """
                {"stub": {"url": "\(url)"}, "base": {"url": "\(url)/base/v1"\(more)}, "slash": {"url": "\(url)/"}}
                """
        }
    }

    /// What `explain` says that the gateway forwards.
    private func explanation(_ fixture: Fixture, _ target: String) throws -> String {
        let result = try CommandLine.run(
            "explain", "GET", target, "--config", fixture.gateway.configuration.path, "--plain")
        return String(result.output.split(separator: "\n").last ?? "")
    }

    @Test(
        "a path prefix is replaced, and explain shows it",
        arguments: [
            (#""rewrite": {"stripPrefix": "/api"}"#, "stub", "/api/a/b?c=d&/api", "/a/b?c=d&/api"),
            (#""rewrite": {"stripPrefix": "/api"}"#, "stub", "/api", "/"),
            (#""rewrite": {"stripPrefix": "/api"}"#, "stub", "/api?q", "/?q"),
            (#""rewrite": {"stripPrefix": "/api", "addPrefix": "/v1"}"#, "stub", "/api/api", "/v1/api"),
            (#""rewrite": {"addPrefix": "/v1"}"#, "stub", "/api//%61%7E", "/v1/api/a~"),
            (#""rewrite": {"stripPrefix": "/api", "addPrefix": "/x"}"#, "base", "/api/a", "/base/v1/x/a"),
            (#""rewrite": {}"#, "base", "/api/a", "/base/v1/api/a"),
            (#""rewrite": {}"#, "slash", "/api/a", "/api/a"),
        ])
    func paths(_ rewrite: String, _ upstream: String, _ target: String, _ forwarded: String) throws {
        let fixture = try fixture([Self.route("/api/**", rewrite, upstream: upstream)])
        #expect(try fixture.request("GET", target).status == 200)
        let path = String(forwarded.prefix { $0 != "?" })
        let request = try fixture.lastRequest(path)
        #expect(request.target == forwarded)
        let said = try explanation(fixture, target)
        #expect(
            said.hasSuffix(said.contains(" as ") ? "forwarded to \(upstream) as \(path)" : "to \(upstream)"), "\(said)")
        #expect(said.contains(" as ") == (path != "/api/a"))
        let line = try #require(fixture.gateway.waitForAccess { $0["route"].string == "/api/**" })
        #expect(line["path"].string?.hasPrefix("/api") == true)
    }

    @Test(
        "paths that would leave the prefix are refused",
        arguments: [
            "/api/../admin", "/api/%2e%2e/admin", "/api%2Fadmin", "/api/..%2fadmin", "/API/a", "/apis/a",
        ])
    func escapes(_ target: String) throws {
        let fixture = try fixture([Self.route("/api/**", #""rewrite": {"stripPrefix": "/api"}"#)])
        let status = try fixture.request("GET", target).status
        #expect(status == 400 || status == 404)
        #expect(fixture.upstream.requests("/admin").isEmpty)
    }

    @Test(
        "Location is mapped back where the route says so",
        arguments: [
            // (route, upstream, of the upstream, at the client); UPSTREAM stands for its authority
            (#""stripPrefix": "/api", "location": true"#, "stub", "/items/1?a=/b", "/api/items/1?a=/b"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "/", "/api/"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "http://UPSTREAM/items", "/api/items"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "HTTP://gw.example.com?q", "/api/?q"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "https://GW.example.com/a#b", "/api/a#b"),
            // The upstream knows the prefix.
            (#""stripPrefix": "/api", "location": true"#, "stub", "/api/items", "/api/items"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "/apis", "/api/apis"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "https://gw.example.com/api/a", "/api/a"),
            // Elsewhere.
            (
                #""stripPrefix": "/api", "location": true"#, "stub", "https://id.example.com/a",
                "https://id.example.com/a"
            ),
            (#""stripPrefix": "/api", "location": true"#, "stub", "//gw.example.com/a", "//gw.example.com/a"),
            (#""stripPrefix": "/api", "location": true"#, "stub", "../a", "../a"),
            (#""stripPrefix": "/api", "addPrefix": "/x", "location": true"#, "base", "/base/v1/x/a", "/api/a"),
            (#""stripPrefix": "/api", "addPrefix": "/x", "location": true"#, "base", "/base/v1/x", "/api"),
            (#""stripPrefix": "/api", "addPrefix": "/x", "location": true"#, "base", "/base/v1/xx", "/base/v1/xx"),
            (#""addPrefix": "/x", "location": true"#, "stub", "/x", "/"),
            // What browsers would read as another host stays with the upstream's own.
            (#""addPrefix": "/x", "location": true"#, "stub", "/x//evil.example", "/x//evil.example"),
            (#""addPrefix": "/x", "location": true"#, "stub", #"/x/\evil.example"#, #"/x/\evil.example"#),
            (#""addPrefix": "/x", "location": true"#, "stub", "/x/\t/evil.example", "/x/\t/evil.example"),
            (
                #""addPrefix": "/x", "location": true"#, "stub", "http://gw.example.com//evil",
                "http://gw.example.com//evil"
            ),
            (#""stripPrefix": "/api""#, "stub", "/items", "/items"),
            // Without a prefix, URLs of the upstream become paths.
            (#""location": true"#, "stub", "http://UPSTREAM/items", "/items"),
            (#""location": true"#, "stub", "/items", "/items"),
        ])
    func locations(_ rewrite: String, _ upstream: String, _ sent: String, _ expected: String) throws {
        let fixture = try fixture([Self.route("/api/**", #""rewrite": {\#(rewrite)}"#, upstream: upstream)])
        let path =
            upstream == "base"
            ? "/base/v1/x/old"
            : rewrite.contains("strip") ? "/old" : rewrite.contains("add") ? "/x/api/old" : "/api/old"
        let location = sent.replacing("UPSTREAM", with: "127.0.0.1:\(fixture.upstream.port)")
        fixture.upstream.on(path) { _ in
            [.reply("302 Found", ["Location: \(location)", "X-Request-Id: mine"])]
        }
        let response = try fixture.request("GET", "/api/old", ["Host: gw.example.com"])
        #expect(
            response.status == 302 && response.values("Location") == [expected],
            "\(sent): \(response.values("Location"))")
        let request = try fixture.lastRequest(path)
        #expect(request.values("X-Forwarded-Prefix") == (rewrite.contains("strip") ? ["/api"] : []))
        // Forwarded answers name the request as refusals do.
        #expect(
            response.values("X-Request-Id") == request.values("X-Request-Id") && !request.values("X-Request-Id").isEmpty
        )
    }

    @Test(
        "Host is the client's, the upstream's or a fixed one",
        arguments: [
            ("client", "gw.example.com"), ("upstream", ""), ("api.example.com", "api.example.com"),
            ("api.example.com:8443", "api.example.com:8443"),
        ])
    func hosts(_ header: String, _ expected: String) throws {
        let fixture = try fixture(
            [
                Self.route("/own", #""hostHeader": "\#(header)""#),
                Self.route("/shared", #""rewrite": {}"#, upstream: "base"),
            ], upstream: #", "hostHeader": "\#(header)""#)
        let host = expected.isEmpty ? "127.0.0.1:\(fixture.upstream.port)" : expected
        for (target, path) in [("/own", "/own"), ("/shared", "/base/v1/shared")] {
            #expect(try fixture.request("GET", target, ["Host: gw.example.com"]).status == 200)
            let request = try fixture.lastRequest(path)
            #expect(request.values("Host") == [host])
            #expect(request.values("X-Forwarded-Host") == ["gw.example.com"])
            let said = try explanation(fixture, target)
            #expect(said.contains(" with Host \(host)") == (header != "client"), "\(said)")
        }
    }

    @Test("a route's host takes precedence over its upstream's")
    func precedence() throws {
        let fixture = try fixture(
            [Self.route("/a", #""hostHeader": "client""#, upstream: "base")],
            upstream: #", "hostHeader": "api.example.com""#)
        #expect(try fixture.request("GET", "/a", ["Host: gw.example.com"]).status == 200)
        #expect(try fixture.lastRequest("/base/v1/a").values("Host") == ["gw.example.com"])
    }

    @Test("servers with different hosts cannot use the upstream's host")
    func ambiguous() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["upstreams"] = """
            {"stub": {"servers": [{"url": "http://127.0.0.1:9"}, {"url": "http://127.0.0.2:9"}]}}
            """
        settings["routes"] = FixtureSettings.list([Self.route("/a", #""hostHeader": "upstream""#)])
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run("check", directory.path)
        #expect(
            (result.output + result.errors).contains(
                #"error: /routes/0/hostHeader: the servers of "stub" have different hosts (expected the name of one host)"#
            ))
    }
}
