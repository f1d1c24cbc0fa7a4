import Foundation
import Testing

/// Every connection that fails is an event: with the place, the address, how far it came and the reason of the system or of
/// the TLS library. A dead peer does not fill the log, and no secret of a URL is in it.
@Suite struct ConnectionFailureTests {
    /// What is wrong with a peer.
    enum Fault: String, CaseIterable, Sendable {
        case refused, unknownName, closes, status
    }

    /// A peer with a fault, and what the event says of it.
    private struct Peer {
        let origin: String
        let step: String
        let reason: String
        /// Nil if there is none.
        let address: String?
        private let server: StubUpstream?

        init(_ fault: Fault) throws {
            let server = try StubUpstream()
            for path in Peer.paths {
                server.on(path) { _ in
                    fault == .closes ? [.close] : [.reply("500 Internal Server Error", ["Retry-After: 1"], body: "{}")]
                }
            }
            switch fault {
            case .refused:
                (step, reason) = ("connect", "Connection refused")
                server.stop()
            case .unknownName: (step, reason) = ("resolve", "")
            case .closes: (step, reason) = ("request", "the peer has closed the connection")
            case .status: (step, reason) = ("request", "status 500")
            }
            origin = fault == .unknownName ? "http://peer.invalid:8081" : server.url
            address = fault == .unknownName ? nil : "127.0.0.1:\(server.port)"
            self.server = server
        }

        static let paths = ["/keys", "/discovery", "/introspect", "/allow", "/v1/traces", "/token"]
    }

    /// A kind of call: the section that has its URL, and what makes the gateway call.
    enum Kind: String, CaseIterable, Sendable {
        case keys, discovery, introspection, policy, collector, provider

        var path: String {
            switch self {
            case .keys: "/keys"
            case .discovery, .provider: "/discovery"
            case .introspection: "/introspect"
            case .policy: "/allow"
            case .collector: "/v1/traces"
            }
        }

        func configure(_ settings: inout FixtureSettings, _ origin: String) {
            let url = "\(origin)\(path)?key=hidden-in-the-query"
            let issuer = #""name": "idp", "issuer": "https://idp.example", "audience": ["api"], "#
            switch self {
            case .keys: settings["trustedIssuers"] = #"[{\#(issuer)"allowHttp": true, "jwksUri": "\#(url)"}]"#
            case .discovery: settings["trustedIssuers"] = #"[{\#(issuer)"allowHttp": true, "discoveryUri": "\#(url)"}]"#
            case .introspection:
                settings["trustedIssuers"] = """
                    [{\(issuer)"introspection": {"url": "\(url)", "clientId": "gateway", "clientSecret": "hidden-secret",
                      "allowHttp": true}}]
                    """
            case .policy:
                settings["policyServers"] = #"{"authz": {"url": "\#(url)", "allowHttp": true}}"#
                settings.addRoutes(#"{"path": "/asked", "upstream": "stub", "policy": "authz"}"#)
            case .collector:
                settings["tracing"] = #"{"url": "\#(url)", "allowHttp": true, "samplePerMillion": 1000000}"#
            case .provider:
                settings["identityProviders"] = """
                    [{"name": "local", "kind": "local"},
                     {"name": "corp", "kind": "oidc", "issuer": "https://idp.example", "discoveryUri": "\(url)",
                      "clientId": "gw", "clientSecret": "hidden-secret", "allowHttp": true}]
                    """
                settings.addRoutes(#"{"path": "/pages/**", "upstream": "stub", "login": {"providers": "corp"}}"#)
            }
        }

        func call(_ fixture: Fixture) throws {
            switch self {
            case .keys, .discovery: break
            case .introspection: _ = try fixture.request("GET", "/plain", [.bearer("opaque-token")])
            case .policy: _ = try fixture.request("GET", "/asked", [.bearer(fixture.token("joe"))])
            case .collector: _ = try fixture.request("GET", "/open/x")
            case .provider:
                let page = try fixture.request("GET", "/pages/x", ["Accept: text/html", "User-Agent: Mozilla/5.0"])
                let place = try #require(page.only("Location"), "\(page.status) \(page.text)")
                _ = try fixture.request("GET", place, ["Accept: text/html", "User-Agent: Mozilla/5.0"])
            }
        }
    }

    @Test("calls of the gateway's own, of each kind with each fault", arguments: Kind.allCases, Fault.allCases)
    func calls(_ kind: Kind, _ fault: Fault) throws {
        let peer = try Peer(fault)
        let fixture = try Fixture { kind.configure(&$0, peer.origin) }
        try kind.call(fixture)
        let event = try #require(
            fixture.gateway.waitForEvent("connection_failed"), "\(fixture.gateway.everythingWritten)")
        #expect(event["purpose"].string == "call" && event["level"].string == "warning")
        #expect(event["url"].string == "\(peer.origin)\(kind.path)")
        #expect(event["step"].string == peer.step && event["address"].string == peer.address)
        let reason = event["reason"].string ?? ""
        #expect(peer.reason.isEmpty ? !reason.isEmpty : reason == peer.reason, "\(reason)")
        for hidden in ["hidden-in-the-query", "hidden-secret", "opaque-token"] {
            #expect(!fixture.gateway.everythingWritten.contains(hidden))
        }
    }

    @Test("upstreams of each fault; requests that fail for it say so to operators alone", arguments: Fault.allCases)
    func upstreams(_ fault: Fault) throws {
        guard fault != .status else { return }
        let server = try StubUpstream()
        server.on("/open/x") { _ in [.close] }
        if fault == .refused { server.stop() }
        let origin = fault == .unknownName ? "http://peer.invalid:8081" : server.url
        let fixture = try Fixture { $0["upstreams"] = #"{"stub": {"url": "\#(origin)"}}"# }
        var last: Response?
        // The same failure is reported once.
        for _ in 0..<10 { last = try fixture.request("GET", "/open/x") }
        let event = try #require(
            fixture.gateway.waitForEvent("connection_failed"), "\(fixture.gateway.everythingWritten)")
        #expect(event["purpose"].string == "upstream" && event["upstream"].string == "stub")
        let response = try #require(last)
        let line = try #require(
            fixture.gateway.waitForAccess { $0["request_id"].string == response.only("X-Request-Id") })
        switch fault {
        case .unknownName:
            #expect(event["url"].string == origin && event["step"].string == "resolve")
            #expect(event["reason"].string?.isEmpty == false && response.status == 503)
            #expect(line["detail"].string == "no address of \(origin)")
        case .refused:
            #expect(event["step"].string == "connect" && event["reason"].string == "Connection refused")
            #expect(event["url"].string == origin && event["address"].string == "127.0.0.1:\(server.port)")
            #expect(response.status == 502 && line["detail"].string?.contains("Connection refused") == true)
        case .closes, .status:
            #expect(event["step"].string == "request")
            #expect(event["reason"].string == "the peer has closed the connection")
            #expect(response.status == 502 && line["detail"].string?.contains(": request: ") == true)
        }
        #expect(!response.text.contains("\(server.port)") && !response.text.contains("peer.invalid"))
        #expect(fixture.gateway.events("connection_failed").count == 1, "\(fixture.gateway.everythingWritten)")
        server.stop()
    }

    @Test("active checks, and the store")
    func checksAndStore() throws {
        let gone = try StubUpstream()
        gone.stop()
        let fixture = try Fixture {
            $0["upstreams"] =
                #"{"stub": {"url": "\#(gone.url)", "healthCheck": {"path": "/up", "interval": "1s", "timeout": "500ms"}}}"#
            $0["store"] = #"{"kind": "redis", "url": "redis://127.0.0.1:\#(gone.port)", "password": "hidden-password"}"#
        }
        var purposes: Set<String> = []
        for place in 0..<2 {
            let event = try #require(
                fixture.gateway.waitForEvent("connection_failed", skipping: place),
                "\(fixture.gateway.everythingWritten)")
            purposes.insert("\(event["purpose"].string ?? "") \(event["url"].string ?? "")")
            #expect(event["step"].string == "connect" && event["reason"].string == "Connection refused")
        }
        #expect(purposes == ["check \(gone.url)", "store redis://127.0.0.1:\(gone.port)"])
        #expect(!fixture.gateway.everythingWritten.contains("hidden-password"))
    }

    @Test("TLS: the library's reason, for calls and for upstreams")
    func tls() throws {
        let back = try SecureFixture()
        let port = try back.gateway.port("secure")
        let entry = """
            {"name": "idp", "issuer": "https://idp.example", "audience": ["api"],
             "jwksUri": "https://localhost:\(port)/keys"}
            """
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(entry)]"
            $0["upstreams"] = #"{"stub": {"url": "https://localhost:\#(port)"}}"#
        }
        #expect(try fixture.request("GET", "/open/x").status == 502)
        for place in 0..<2 {
            let event = try #require(
                fixture.gateway.waitForEvent("connection_failed", skipping: place),
                "\(fixture.gateway.everythingWritten)")
            #expect(event["step"].string == "tls")
            #expect(event["reason"].string?.hasPrefix("certificate_invalid: self") == true, "\(event)")
        }
        // What does not speak TLS.
        let plain = try back.gateway.port("public")
        let other = try Fixture { $0["upstreams"] = #"{"stub": {"url": "https://localhost:\#(plain)"}}"# }
        #expect(try other.request("GET", "/open/x").status == 502)
        let event = try #require(other.gateway.waitForEvent("connection_failed"))
        #expect(event["step"].string == "tls" && event["reason"].string == "not_tls", "\(event)")
    }
}
