import Foundation
import Testing

/// Encoded and repeated slashes with the routes of the guide, from the client to an upstream that records the target.
@Suite struct EncodedPathTests {
    /// The routes of `config/guides/encoded-paths.md`, public and with the upstream of the fixture.
    private static func routes() throws -> String {
        let guide = try String(contentsOfFile: "config/guides/encoded-paths.md", encoding: .utf8)
        let block = try #require(guide.components(separatedBy: "```json\n").dropFirst().first)
        let routes = try #require(block.components(separatedBy: "\n```").first)
        #expect(routes.contains(#""upstream": "api""#))
        return routes.replacing(#""upstream": "api""#, with: #""upstream": "stub", "public": true"#)
    }

    private static let forwarded = [
        ("/api/v4/projects/group%2Fname/issues?state=opened", "/api/v4/projects/group%2Fname/issues?state=opened"),
        ("/api/v4/projects/group%2fsub%2Fname", "/api/v4/projects/group%2fsub%2Fname"),
        ("/api/v4/projects/7/repository/files/src%2Fmain%2Ec", "/api/v4/projects/7/repository/files/src%2Fmain.c"),
        ("/api/v4/projects/7/repository/files/src%2Fmain.c", "/api/v4/projects/7/repository/files/src%2Fmain.c"),
        (
            "/api/v1/repositories/https%3A%2F%2Fgit.example.com%2Forg%2Frepo.git",
            "/api/v1/repositories/https%3A%2F%2Fgit.example.com%2Forg%2Frepo.git"
        ), ("/rabbitmq/api/queues/%2F/name", "/api/queues/%2F/name"),
        ("/rabbitmq/api/queues/%2f/name", "/api/queues/%2f/name"),
        ("/rabbitmq/api/queues/a%252Fb/name", "/api/queues/a%252Fb/name"), ("/npm/@scope%2fname", "/@scope%2fname"),
        ("/npm/-/package/@scope%2Fname/dist-tags", "/-/package/@scope%2Fname/dist-tags"),
        ("/s3/bucket/a//b///c%20d", "/bucket/a//b///c%20d"), ("/s3/bucket/a//", "/bucket/a//"),
        // What a route does not keep.
        ("/s3/bucket/a%2Fb", nil), ("/npm//x", "/x"), ("/npm/a%5Cb", nil), ("/npm/a%252Fb", nil), ("/open/a%2Fb", nil),
        ("/open//a", "/open/a"),
        // What no route keeps.
        ("/npm/..%2Fx", nil), ("/npm/a%2F..%2Fb", nil), ("/npm/a%2F%2e%2e%2Fb", nil),
        ("/rabbitmq/%252E%252E%252Fx", nil),
        // Without the prefix, these begin with a host.
        ("/npm/%2Fhost/x", nil), ("/npm/%2fhost%2fx", nil), ("/rabbitmq/%252Fhost/x", nil),
        ("/rabbitmq/%25252fhost/x", nil),
        ("/rabbitmq/%2500", nil), ("/s3//host/key", nil), ("/s3/a//../b", nil),
        // Decoded, these are paths of another route, of none, or of an endpoint.
        ("/npm%2Fx", nil), ("/api/v4/projects/7%2Fvariables", nil), ("/api%2Fv4/x", nil), ("/oauth2%2Ftoken", nil),
    ]

    private static func add(_ settings: inout FixtureSettings) throws {
        settings.addRoutes(
            try routes(), #"{"path": "/api/v4/projects/7/variables", "upstream": "stub", "roles": ["Manager"]}"#)
    }

    private static func check(_ fixture: Fixture, _ upstream: StubUpstream) throws {
        for (path, target) in forwarded {
            let count = upstream.requests.count
            let response = try fixture.request("GET", path)
            if let target {
                #expect(response.status == 200, "\(path): \(response.text)")
                #expect(upstream.requests.last?.target == target)
            } else {
                #expect(response.status == 400, "\(path): \(response.text)")
                #expect(JSONText(response.text)["code"].string == "ambiguous_path")
                #expect(upstream.requests.count == count, "\(path)")
            }
        }
    }

    @Test("the guide's routes forward what their products send, over HTTP/1.1")
    func http1() throws {
        let fixture = try Fixture { try? Self.add(&$0) }
        try Self.check(fixture, fixture.upstream)
    }

    @Test("the same over HTTP/2")
    func http2() throws {
        let everything = #"""
            {"path": "/**", "upstream": "stub", "public": true, "encodedSlashes": "keep", "mergeSlashes": false,
             "encodedCharacters": ["%5C", "%25"]}
            """#
        let back = try Fixture {
            $0["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": 0, "http2": true}]"#
            $0.addRoutes(everything)
        }
        let url = "http://127.0.0.1:\(try back.gateway.port("public"))"
        let fixture = try Fixture {
            $0["upstreams"] = #"{"stub": {"url": "\#(url)", "http2": true}}"#
            $0["workers"] = "1"
            try? Self.add(&$0)
        }
        try Self.check(fixture, back.upstream)
        #expect(try back.gateway.metrics().sum("portcullis_http2_connections_total") == 1)
    }

    @Test("other proxies, which forward paths as received, get the same answers")
    func forwardAuth() throws {
        let fixture = try ForwardAuthFixture.make { try? Self.add(&$0) }
        for (path, target) in Self.forwarded {
            // Another proxy would not merge slashes.
            let isAllowed = target != nil && (path.hasPrefix("/s3/") || !path.contains("//"))
            #expect(try fixture.ask("GET", path).status == (isAllowed ? 200 : 400), "\(path)")
        }
    }

    @Test(
        "explain names the setting or the other reading",
        arguments: [
            ("/npm/@scope%2fname", 0, "path        /npm/@scope%2fname"),
            ("/open/a%2Fb", 1, #"ambiguous_path; "%2F" needs "encodedSlashes": "keep" of the route"#),
            (
                "/api/v4/projects/7%2Fvariables", 1,
                "ambiguous_path; an upstream may read /api/v4/projects/7/variables, which has the route "
                    + "/api/v4/projects/7/variables"
            ), ("/npm/a%2F..%2Fb", 1, "ambiguous_path; an upstream may decode it to a dot segment"),
            ("/open/%2e%2E/x", 1, #"ambiguous_path; a segment decodes to "." or "..""#),
            ("/open/%0a", 1, "ambiguous_path; the path has an escape of a control character"),
            ("/open/%zz", 1, #"ambiguous_path; "%" without two hexadecimal digits"#),
            ("/s3//host/key", 1, #"ambiguous_path; the forwarded path begins with "//""#),
        ])
    func explain(_ path: String, _ status: Int32, _ said: String) throws {
        let fixture = try Fixture { try? Self.add(&$0) }
        let result = try CommandLine.run(
            "explain", "GET", path, "--config", fixture.gateway.configuration.path, "--plain")
        #expect(result.ending == .exit(status), "\(result.output)\(result.errors)")
        #expect(result.output.contains(said), "\(result.output)")
    }
}
