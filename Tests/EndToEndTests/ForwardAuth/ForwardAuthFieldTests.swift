import Foundation
import HTTP
import Testing

/// Proxies with the configurations that `init` writes: no field that upstreams trust is the client's.
@Suite struct ForwardAuthFieldTests {
    private static let names = ManagedNames.groups.flatMap(\.names)
    private static let credentials = [
        "Authorization", "DPoP", "Oracle-Mobile-Social-Access-Token", "X-Apiomat-Apikey",
    ]

    /// A field of this name, or of this family, with a value that no proxy sets.
    private static func forged(_ name: String) -> Field {
        Field(name: name.replacing("*", with: "Eve"), value: "eve.example.net")
    }

    /// Names of the fields that the API got from the client.
    private static func passed(_ requests: [RecordedRequest]) -> [String] {
        requests.flatMap { $0.head.raw.split(separator: "\r\n") }.filter { $0.contains("eve.example.net") }.map(
            String.init)
    }

    @Test("no managed field and no credential of a client passes", arguments: ForwardAuthPeer.Kind.installed)
    func managed(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        for name in Self.names + Self.credentials {
            let response = try peer.request("GET", "/open/managed", [Self.forged(name)])
            #expect([200, 400, 401].contains(response.status), "\(name): \(response.status)")
        }
        let requests = peer.fixture.upstream.requests("/open/managed")
        #expect(!requests.isEmpty)
        #expect(Self.passed(requests) == [])
    }

    /// A server that allows everything and names nothing to remove decides in place of the gateway.
    @Test("the configuration removes or sets each name itself", arguments: ForwardAuthPeer.Kind.installed)
    func configuration(_ kind: ForwardAuthPeer.Kind) throws {
        let decider = try StubUpstream()
        defer { decider.stop() }
        let peer = try ForwardAuthPeer(kind, decider: decider.port)
        // nginx knows no prefixes.
        let names = Self.names.filter { kind != .nginx || !$0.hasSuffix("*") }
        for start in stride(from: 0, to: names.count, by: 40) {
            let fields = names[start..<min(start + 40, names.count)].map(Self.forged)
            #expect(try peer.request("GET", "/open/managed", fields).status == 200)
        }
        let requests = peer.fixture.upstream.requests("/open/managed")
        #expect(requests.count == (names.count + 39) / 40)
        #expect(Self.passed(requests) == [])
        for request in requests {
            #expect(request.values("X-Forwarded-For").count == 1 && request.values("X-Forwarded-Proto") == ["http"])
        }
    }

    @Test(
        "the guide of a proxy shows what init writes",
        arguments: [("nginx", "nginx"), ("Caddy", "caddyfile"), ("Traefik", "yaml"), ("Envoy", "yaml")])
    func guides(_ name: String, _ language: String) throws {
        let block = try #require(ReadmeTests.block(language, of: "# Forward auth with \(name)"))
        #expect(try block == "\(ForwardAuthPeer.written(name.lowercased()))\n")
    }

    @Test("fields and endpoints of a configuration are in all of them")
    func configured() throws {
        let fixture = try ForwardAuthFixture.make {
            BrowserFixture.prepare(&$0)
            $0["pathPrefix"] = #""/auth""#
            $0["managedHeaders"] = #"["X-Own-Id", "X-Own-Family-*"]"#
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/added", "upstream": "stub", "requestHeaders": {"set": {"X-Added": "a"}}}"#,
                #"{"path": "/source", "upstream": "stub", "tokenSources": [{"header": "X-Token"}]}"#,
            ])
        }
        for kind in ["nginx", "caddy", "traefik", "envoy"] {
            let text = try ForwardAuthPeer.written(kind, ["--config", fixture.gateway.configuration.path]).lowercased()
            for word in ["/auth/", "/oic_rest/mobilesso", "/oam/server/logout", "/token", "x-own-id", "x-added"] {
                #expect(text.contains(word), "\(kind): \(word)")
            }
            // Envoy removes the token by the list of the answer.
            #expect(text.contains("x-token") || kind == "envoy")
            #expect(text.contains("x-own-family-") == (kind == "caddy" || kind == "envoy"))
            #expect(!text.contains("/oauth2/"), "\(kind)")
        }
    }

    @Test("a kind that is unknown, a directory and an invalid configuration are refused")
    func refused() throws {
        for arguments in [["ngnix"], ["nginx", "directory"], ["nginx", "--config", "/nonexistent"]] {
            let result = try Program.run(GatewayProcess.binary, ["init", "--forward-auth"] + arguments)
            #expect(result.ending != .exit(0) && result.output.isEmpty && !result.errors.isEmpty, "\(arguments)")
        }
    }

    /// No test runs Traefik.
    @Test("the configuration of Traefik has each name")
    func traefik() throws {
        let text = String(try #require(ReadmeTests.block("yaml", of: "# Forward auth with Traefik")))
        let list = try #require(text.firstMatch(of: /(?s)authResponseHeaders:\s*\[(.*?)\]/)).1
        let replaced = list.matches(of: /[A-Za-z0-9-]+/).map { $0.0.lowercased() }
        let removed = text.matches(of: /([A-Za-z0-9-]+): ""/).map { $0.1.lowercased() }
        // Its entry points set these.
        let own = ["For", "Host", "Port", "Proto", "Server"].map { "x-forwarded-\($0.lowercased())" } + ["x-real-ip"]
        let known = Set(replaced + removed + own)
        let wanted = Self.names.filter { !$0.hasSuffix("*") } + Self.credentials
        #expect(wanted.filter { !known.contains($0.lowercased()) } == [])
    }
}
