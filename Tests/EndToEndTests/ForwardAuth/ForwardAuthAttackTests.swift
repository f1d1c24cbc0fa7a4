import Foundation
import Glibc
import Testing

/// Questions that would admit a request without a decision about it: none of them gets a 2xx.
@Suite struct ForwardAuthAttackTests {
    private static let basic: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]

    /// - Parameter source: the address that asks.
    private func ask(_ fixture: Fixture, from source: UInt32, _ fields: [Field], path: String = "/_auth") throws
        -> Response
    {
        let port = try fixture.gateway.port("auth")
        return try RawConnection(try TCPSocket.connect(port: port, source: source)).exchange("GET", path, fields)
    }

    @Test("only trusted peers may ask, regardless of what they claim to be")
    func untrusted() throws {
        let fixture = try ForwardAuthFixture.make {
            // Of the proxies that are trusted elsewhere none may ask here.
            $0["trustedProxies"] = #"["127.0.0.2"]"#
        }
        let described = ForwardAuthFixture.description("GET", "/open/x")
        for (source, fields) in [
            (0x7f00_0002, described), (0x7f00_0003, described),
            (0x7f00_0003, Array(described.dropLast()) + ["X-Forwarded-For: 127.0.0.1"]),
            (0x7f00_0002, Array(described.dropLast()) + ["X-Forwarded-For: 127.0.0.1"]),
        ] as [(UInt32, [Field])] {
            for path in ["/_auth", "/_envoy/open/x"] {
                let response = try ask(fixture, from: source, fields, path: path)
                #expect(response.status == 403 && fixture.reason(of: response) == "forward_auth_untrusted")
            }
        }
        #expect(try ask(fixture, from: 0x7f00_0001, described).status == 200)
    }

    @Test("without proxies of its own the endpoint has those of the gateway")
    func sharedProxies() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["trustedProxies"] = #"["127.0.0.2"]"#
            $0["listeners"] = ForwardAuthFixture.listeners.replacing(#", "trustedProxies": ["127.0.0.1"]"#, with: "")
        }
        let described = ForwardAuthFixture.description("GET", "/open/x")
        #expect(try ask(fixture, from: 0x7f00_0002, described).status == 200)
        #expect(try ask(fixture, from: 0x7f00_0001, described).status == 403)
    }

    @Test("the client is the last address that is not trusted")
    func client() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["listeners"] = ForwardAuthFixture.listeners.replacing(
                #"["127.0.0.1"]"#, with: #"["127.0.0.1", "10.0.0.0/8"]"#)
            $0.addRoutes(
                #"{"path": "/local", "upstream": "stub", "public": true, "addresses": {"allow": ["192.0.2.7"]}}"#)
        }
        for (chain, status) in [
            ("192.0.2.7", 200), ("1.2.3.4, 192.0.2.7", 200), ("192.0.2.7, 10.1.1.1", 200), ("192.0.2.7, 1.2.3.4", 403),
            ("192.0.2.7, 1.2.3.4, 10.1.1.1", 403), ("192.0.2.7, unknown", 400), ("", 400), ("192.0.2.7, nonsense", 400),
        ] {
            let fields = ForwardAuthFixture.description("GET", "/local", client: chain)
            #expect(try fixture.ask(fields: fields).status == status, "\(chain)")
        }
        let lines = ForwardAuthFixture.description("GET", "/local") + ["X-Forwarded-For: 1.2.3.4"]
        #expect(try fixture.ask(fields: lines).status == 403)
    }

    /// What is put in the place of the field of this name, and what comes beside.
    private static let descriptions: [(name: String, values: [String], more: [Field])] = [
        ("X-Forwarded-Method", [], []), ("X-Forwarded-Method", ["GET", "GET"], []),
        ("X-Forwarded-Method", ["GET,POST"], []),
        ("X-Forwarded-Method", [""], []), ("X-Forwarded-Method", ["GET /open/x HTTP/1.1"], []),
        ("X-Forwarded-Method", ["CONNECT"], []), ("X-Forwarded-Method", [String(repeating: "G", count: 40)], []),
        ("X-Forwarded-Uri", [], []), ("X-Forwarded-Uri", ["/open/x", "/inventory/me"], []),
        ("X-Forwarded-Uri", ["/open/x, /inventory/me"], []), ("X-Forwarded-Uri", [""], []),
        ("X-Forwarded-Uri", ["open/x"], []), ("X-Forwarded-Uri", ["*"], []), ("X-Forwarded-Uri", ["?/open/x"], []),
        ("X-Forwarded-Uri", ["http://other.example.com/open/x"], []),
        ("X-Forwarded-Uri", ["//other.example.com/open/x"], []),
        ("X-Forwarded-Uri", ["/open/x#/inventory"], []), ("X-Forwarded-Uri", ["/open/x /inventory"], []),
        ("X-Forwarded-Uri", ["/open/x HTTP/1.1"], []), ("X-Forwarded-Uri", ["/open/x\u{e9}"], []),
        ("X-Forwarded-Uri", ["/open//x"], []), ("X-Forwarded-Uri", ["/open/./x"], []),
        ("X-Forwarded-Uri", ["/inventory/../open/x"], []), ("X-Forwarded-Uri", ["/open/x/.."], []),
        ("X-Forwarded-Uri", ["/open/%2e%2e/inventory"], []), ("X-Forwarded-Uri", ["/open%2Fx"], []),
        ("X-Forwarded-Uri", ["/open/%2F..%2Finventory"], []), ("X-Forwarded-Uri", ["/open/%5C..%5Cinventory"], []),
        ("X-Forwarded-Uri", ["/open/\\..\\inventory"], []), ("X-Forwarded-Uri", ["/open/%00"], []),
        ("X-Forwarded-Uri", ["/open/%0d%0aX-Gateway-User:%20eve"], []), ("X-Forwarded-Uri", ["/open/%252e%252e/x"], []),
        ("X-Forwarded-Uri", ["/open/%zz"], []), ("X-Forwarded-Uri", ["/open/..;/inventory"], []),
        ("X-Forwarded-Uri", ["/open;/x"], []), ("X-Forwarded-Uri", ["/open/%c0%ae"], []),
        ("X-Forwarded-Uri", ["/open/" + String(repeating: "x", count: 9000)], []),
        ("X-Forwarded-Host", ["a.example.com", "a.example.com"], []), ("X-Forwarded-Host", ["a, b"], []),
        ("X-Forwarded-Host", ["a/b"], []), ("X-Forwarded-Host", ["a@b"], []), ("X-Forwarded-Host", ["a b"], []),
        ("X-Forwarded-Proto", [], []), ("X-Forwarded-Proto", ["https", "http"], []),
        ("X-Forwarded-Proto", ["https,http"], []),
        ("X-Forwarded-Proto", ["gopher"], []), ("X-Forwarded-For", [], []), ("X-Forwarded-For", ["nobody"], []),
        ("-", [], ["X-Original-URI: /open/x"]), ("-", [], ["X-Original-Method: GET"]),
        ("-", [], ["X-Original-URL: https://shop.example.com/open/x"]), ("-", [], ["X-HTTP-Method-Override: DELETE"]),
        ("-", [], ["X_HTTP_Method_Override: DELETE"]), ("-", [], ["X-Method-Override: DELETE"]),
        ("-", [], ["X-Rewrite-URL: /inventory"]), ("-", [], ["X_Gateway_User: eve"]),
        ("-", [], ["XGatewayRoles: Manager"]),
        ("-", [], ["X_Forwarded_Uri: /inventory"]), ("-", [], ["Oracle_Mobile_Backend_ID: x"]),
        ("X-Forwarded-Method", [], ["X-Original-Method: GET"]), ("X-Forwarded-Uri", [], ["X-Original-URI: /open/x"]),
    ]

    @Test("a description that is incomplete, ambiguous or malformed is refused")
    func descriptions() throws {
        let fixture = try ForwardAuthFixture.make()
        let connection = try fixture.gateway.connect("auth")
        for (name, values, more) in Self.descriptions {
            var fields = ForwardAuthFixture.description("GET", "/open/x").filter { $0.name != name }
            fields += values.map { Field(name: name, value: $0) } + more
            let response = try connection.exchange("GET", "/_auth", fields)
            #expect([400, 404, 414].contains(response.status), "\(name): \(values) \(more): \(response.status)")
            #expect(response.only("X-Gateway-User") == nil)
        }
        // The connection is as it was.
        #expect(
            try connection.exchange("GET", "/_auth", ForwardAuthFixture.description("GET", "/open/x")).status == 200)
    }

    @Test("bytes that end a line never come into the described head", arguments: ["\r", "\n", "\0"])
    func controls(_ text: String) throws {
        let fixture = try ForwardAuthFixture.make()
        for place in [
            "X-Forwarded-Uri: /open/\(text)x", "X-Forwarded-Method: G\(text)T", "X-Forwarded-Host: a\(text)b",
        ] {
            let name = place.prefix { $0 != ":" }
            var lines = ForwardAuthFixture.description("GET", "/open/x").filter { $0.name != name }
                .map { "\($0.name): \($0.value)" }
            lines.append(place)
            let connection = try fixture.gateway.connect("auth")
            try connection.send("GET /_auth HTTP/1.1\r\nHost: gw\r\n" + lines.joined(separator: "\r\n") + "\r\n\r\n")
            let response = try connection.readResponse()
            #expect(response.status == 400)
        }
    }

    @Test("a field that describes the request by another family of the same proxy is refused, also behind a prefix")
    func prefixed() throws {
        let fixture = try ForwardAuthFixture.make()
        let common: [Field] = ["Host: shop.example.com", "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7"]
        func ask(_ method: String, _ target: String, _ fields: [Field]) throws -> Int {
            try fixture.ask(fields: common + fields, method: method, path: "/_envoy\(target)").status
        }
        #expect(try ask("GET", "/inventory/me?a=b", Self.basic) == 200)
        #expect(try ask("DELETE", "/inventory/items", Self.basic) == 405)
        #expect(try ask("GET", "/inventory/me", []) == 401)
        for field in [
            "X-Forwarded-Uri: /open/x", "X-Forwarded-Method: GET", "X-Original-URI: /open/x", "X-Original-Method: GET",
            "X-Original-URL: https://shop.example.com/open/x", "X-Forwarded-Host: evil.net", "X-Forwarded-Proto: http",
            "X-HTTP-Method-Override: DELETE", "X_Gateway_User: eve",
        ] {
            #expect(try ask("GET", "/inventory/me", Self.basic + [Field(stringLiteral: field)]) == 400, "\(field)")
        }
        for target in [
            "//open/x", "/open//x", "/x/../open/x", "/open/..", "/open%2fx", "/open/%2e%2e/plain", "/open;a/x",
        ] {
            #expect([400, 404].contains(try ask("GET", target, [])), "\(target)")
        }
    }

    @Test("the certificate of the proxy's connection is not the client's")
    func certificate() throws {
        let certificates = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try TLSClientTests.issue("proxy", by: "authority", alternativeNames: "DNS:d7.example.com", in: certificates)
        let fixture = try SecureFixture(
            tls: """
                "clientAuth": "required", "clientCaFile": "\(certificates.path)/authority/cert.pem",
                "clientUsers": [{"dns": "d7.example.com", "user": "joe", "roles": ["Manager"]}],
                """
        ) {
            let endpoint = #""forwardAuth": {"path": "/_auth", "trustedProxies": ["127.0.0.1"]}, "tls""#
            $0["listeners"] = $0["listeners"]?.replacing(#""port": 0, "tls""#, with: #""port": 0, "# + endpoint)
            $0.addRoutes(
                #"{"path": "/any", "upstream": "stub", "public": true, "clientCertificate": true}"#,
                #"{"path": "/login", "upstream": "stub", "certificateLogin": true}"#)
        }
        let files = ["--cert", "\(certificates.path)/proxy.pem", "--key", "\(certificates.path)/proxy.key"]
        for (path, status) in [("/open/x", 200), ("/any", 403), ("/login", 401)] {
            let described = ForwardAuthFixture.description("GET", path).flatMap { ["-H", "\($0.name): \($0.value)"] }
            for version in ["--http1.1", "--http2"] {
                let answer = try fixture.curl(files + described + [version], "/_auth")
                #expect(answer.status == status, "\(path) \(version) \(answer.errors)")
            }
        }
    }

    @Test("HTTP/2 asks and is refused as HTTP/1.1 is")
    func http2() throws {
        let fixture = try ForwardAuthFixture.make()
        let port = try fixture.gateway.port("auth")
        func ask(_ fields: [Field], _ path: String = "/_auth", _ more: [String] = []) throws -> CurlAnswer {
            let arguments = fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
            let result = try Program.run(
                "/usr/bin/curl",
                ["-sS", "-i", "--http2-prior-knowledge", "--path-as-is", "--max-time", "30"] + more + arguments
                    + ["http://127.0.0.1:\(port)\(path)"])
            return CurlAnswer(result.ending, result.output, result.errors)
        }
        let described = ForwardAuthFixture.description("GET", "/inventory/me")
        let allowed = try ask(described + Self.basic)
        #expect(allowed.version == "HTTP/2" && allowed.status == 200, "\(allowed.errors)")
        #expect(allowed.only("x-gateway-user") == "joe")
        #expect(try ask(described).status == 401)
        // Described as HEAD, the question as GET has a body; asked as HEAD it has none.
        let head = ForwardAuthFixture.description("HEAD", "/inventory/me")
        #expect(try ask(head).body.contains("unauthorized"))
        #expect(try ask(head, "/_auth", ["-I"]).body.isEmpty)
        for field in ["X-Original-URI: /open/x", "X-HTTP-Method-Override: DELETE", "X_Gateway_User: eve"] {
            #expect(try ask(described + Self.basic + [Field(stringLiteral: field)]).status == 400, "\(field)")
        }
        #expect(try ask(Array(described.dropFirst()) + Self.basic).status == 400)
        let envoy: [Field] = ["X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7"]
        let prefixed = try ask(envoy + Self.basic, "/_envoy/inventory/me?a=b")
        #expect(prefixed.status == 200 && prefixed.only("x-gateway-user") == "joe")
        let removed = prefixed.only("x-envoy-auth-headers-to-remove") ?? ""
        #expect(removed.contains("X-Gateway-Client-Subject") && !removed.contains("X-Gateway-User"))
        #expect(!removed.contains("Authorization") && removed.contains("Cookie"))
        #expect(try ask(envoy, "/_envoy/x/../open/x").status == 400)
        #expect(try ask(envoy, "/_envoy/open/x").status == 200)
    }
}
