import Testing

/// GW-13: credentials are taken over TLS alone, except on loopback.
@Suite struct RequireTLSTests {
    private func listener(_ address: String) -> String {
        #"[{"name": "public", "address": "\#(address)", "port": 0}]"#
    }

    private let right = "grant_type=password&username=joe&password=Welcome1"
    private let wrong = "grant_type=password&username=joe&password=no"

    private func expectRefusal(_ response: Response) {
        #expect(response.status == 403)
        #expect(response.only("Content-Type") == "application/json")
        #expect(JSONText(response.text)["code"].string == "tls_required")
    }

    @Test("a listener off loopback refuses clear-text token requests, right or wrong, and nothing else")
    func offLoopback() throws {
        let fixture = try Fixture(environment: ["PORTCULLIS_INSECURE": "1"]) { $0["listeners"] = listener("0.0.0.0") }
        expectRefusal(try fixture.grant(right))
        expectRefusal(try fixture.grant(wrong))
        expectRefusal(try fixture.grant(right, client: "nobody:nothing"))
        expectRefusal(try fixture.request("POST", "/token", body: right))
        let denied = try fixture.gateway.metrics()
        #expect(denied.sum("portcullis_denied_total", ["reason": "tls_required"]) == 4)
        #expect(denied.sum("portcullis_denied_total", ["reason": "invalid_grant"]) ?? 0 == 0)
        #expect(denied.sum("portcullis_denied_total", ["reason": "invalid_client"]) ?? 0 == 0)
        // What has no secret in it goes on, and so do routes.
        #expect(try fixture.request("GET", "/.well-known/jwks.json").status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.mint("joe"))]).status == 200)
        // A spoofed scheme counts for nothing, and a preflight carries no credential.
        expectRefusal(try fixture.request("POST", "/token", ["X-Forwarded-Proto: https"], body: right))
        let preflight = try fixture.request(
            "OPTIONS", "/token", [.origin("http://gw.example.com"), "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204)
    }

    @Test("a trusted proxy determines whether the request used TLS")
    func behindProxy() throws {
        let fixture = try Fixture(environment: ["PORTCULLIS_INSECURE": "1"]) {
            $0["listeners"] = listener("0.0.0.0")
            $0["trustedProxies"] = #"["127.0.0.0/8"]"#
        }
        let form: Field = "Content-Type: application/x-www-form-urlencoded"
        func grant(_ scheme: String) throws -> Response {
            try fixture.request(
                "POST", "/token", [.basic("inv-client:inv-secret"), form, "X-Forwarded-Proto: \(scheme)"], body: right)
        }
        #expect(try grant("https").status == 200)
        expectRefusal(try grant("http"))
        expectRefusal(try fixture.grant(right))
    }

    @Test("loopback is exempt by default; requireTls removes the exemption, or lifts the rule for all")
    func explicit() throws {
        #expect(try Fixture().grant(right).status == 200)
        let strict = try Fixture { $0["tokenService"] = #"{"requireTls": true}"# }
        expectRefusal(try strict.grant(right))
        let lax = try Fixture(environment: ["PORTCULLIS_INSECURE": "1"]) {
            $0["listeners"] = listener("0.0.0.0")
            $0["tokenService"] = #"{"requireTls": false}"#
        }
        #expect(try lax.grant(right).status == 200)
    }

    @Test("requests over TLS are accepted")
    func overTLS() throws {
        let fixture = try SecureFixture { $0["tokenService"] = #"{"requireTls": true}"# }
        let arguments = ["-u", "inv-client:inv-secret", "-d", right]
        #expect(try fixture.curl(arguments, "/oauth2/token").status == 200)
        #expect(try fixture.curl(arguments, "/oauth2/token", listener: "public").status == 403)
    }
}
