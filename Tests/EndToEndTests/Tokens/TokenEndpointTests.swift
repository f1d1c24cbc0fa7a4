import Testing

/// The OAuth token endpoint (OAUTH-01 to OAUTH-08) and what it publishes (ISS-02).
@Suite struct TokenEndpointTests {
    private func expectTokenHeaders(_ response: Response) {
        #expect(response.only("Content-Type") == "application/json;charset=UTF-8")
        #expect(response.only("Cache-Control") == "no-store")
        #expect(response.only("Pragma") == "no-cache")
    }

    private func expectError(_ response: Response, _ status: Int, _ error: String) {
        #expect(response.status == status)
        #expect(JSONText(response.text)["error"].string == error, "\(response.text)")
        #expect(JSONText(response.text).names == ["error", "error_description"])
        expectTokenHeaders(response)
    }

    @Test("OAUTH-01 OAUTH-02 ROLE-02: client credentials have the five members, and open routes without login")
    func clientCredentials() throws {
        let fixture = try Fixture()
        let response = try fixture.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded; charset=utf-8"],
            body: "grant_type=client_credentials")
        #expect(response.status == 200)
        expectTokenHeaders(response)
        let reply = JSONText(response.text)
        #expect(
            reply.names == [
                "access_token", "expires_in", "oracle_client_assertion_type", "oracle_tk_context", "token_type",
            ])
        #expect(reply["expires_in"].integer == 604_800)
        #expect(reply["token_type"].string == "Bearer")
        #expect(reply["oracle_tk_context"].string == "client_assertion")
        #expect(
            reply["oracle_client_assertion_type"].string == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let token = try #require(reply["access_token"].string)
        #expect(try fixture.request("GET", "/inventory/public", [.bearer(token)]).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 401)
        #expect(try fixture.request("GET", "/inventory/public").status == 401)
    }

    @Test("OAUTH-03 OAUTH-04 OAUTH-05 CON-09: the password grant returns a token without a refresh token")
    func password() throws {
        let fixture = try Fixture()
        let response = try fixture.grant("grant_type=password&username=joe&password=Welcome1")
        #expect(response.status == 200)
        expectTokenHeaders(response)
        let reply = JSONText(response.text)
        #expect(reply.names == ["access_token", "expires_in", "oracle_tk_context", "token_type"])
        #expect(reply["expires_in"].integer == 604_800)
        #expect(reply["oracle_tk_context"].string == "user_assertion")
        #expect(
            try fixture.request("GET", "/inventory/me", [.bearer(#require(reply["access_token"].string))]).status == 200
        )
    }

    @Test("OAUTH-03: percent and plus are decoded")
    func formDecoding() throws {
        let fixture = try Fixture()
        let encoded = "grant_type=password&username=e%76e&password=a%2Bb%26c%3D%25"
        #expect(try fixture.grant(encoded).status == 200)
        expectError(try fixture.grant("grant_type=password&username=eve&password=a+b%26c%3D%25"), 400, "invalid_grant")
    }

    @Test(
        "OAUTH-03 OAUTH-05 OAUTH-08: malformed requests have the specified errors",
        arguments: [
            ("grant_type=password&username=joe", "invalid_request"),
            ("grant_type=password&password=Welcome1", "invalid_request"),
            ("username=joe&password=Welcome1", "invalid_request"),
            ("grant_type=password&username=joe&username=ann&password=Welcome1", "invalid_request"),
            ("grant_type=password&username=joe&password=%zz", "invalid_request"),
            ("grant_type=password&username=joe&password=wrong", "invalid_grant"),
            ("grant_type=password&username=nobody&password=Welcome1", "invalid_grant"),
            ("grant_type=refresh_token&refresh_token=x", "unsupported_grant_type"),
            ("grant_type=authorization_code&code=x", "unsupported_grant_type"),
        ])
    func errors(_ form: String, _ error: String) throws {
        let fixture = try Fixture()
        expectError(try fixture.grant(form), 400, error)
    }

    @Test("OAUTH-03: a wrong user and a wrong password are answered alike")
    func sameAnswer() throws {
        let fixture = try Fixture()
        let user = try fixture.grant("grant_type=password&username=nobody&password=Welcome1")
        let password = try fixture.grant("grant_type=password&username=joe&password=nothing")
        #expect(user.text == password.text)
    }

    @Test("OAUTH-06: clients authenticate by Basic or in the body, not both")
    func clients() throws {
        let fixture = try Fixture()
        let form = "grant_type=client_credentials"
        for client in ["inv-client:bad", "inv-client:", "nobody:inv-secret", ":"] {
            let response = try fixture.grant(form, client: client)
            expectError(response, 401, "invalid_client")
            #expect(response.only("WWW-Authenticate")?.hasPrefix("Basic realm=") == true)
        }
        let post = { (fields: [Field], body: String) in
            try fixture.request(
                "POST", "/oauth2/token", fields + ["Content-Type: application/x-www-form-urlencoded"], body: body)
        }
        expectError(try post([], form), 401, "invalid_client")
        let inBody = "\(form)&client_id=inv-client&client_secret=inv-secret"
        #expect(try post([], inBody).status == 200)
        expectError(try post([.basic("inv-client:inv-secret")], inBody), 400, "invalid_request")
        expectError(
            try post([.basic("inv-client:inv-secret"), .basic("inv-client:inv-secret")], form), 400, "invalid_request")
    }

    @Test("OAUTH-07 GW-11: passwords, tokens and secrets reach neither logs nor upstreams")
    func nothingLeaks() throws {
        let fixture = try Fixture { $0["log"] = #"{"access": "stdout", "level": "debug"}"# }
        let token = try fixture.token("joe")
        _ = try fixture.grant("grant_type=password&username=joe&password=WrongSecret9")
        _ = try fixture.request("GET", "/inventory/me?access_token=InTheQuery7", [.bearer(token)])
        _ = try fixture.request(
            "GET", "/inventory/me", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        _ = try fixture.request("GET", "/inventory/me", [.bearer("garbage-credential")])
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "malformed_token" } != nil)
        try fixture.gateway.stop()
        let written = fixture.gateway.everythingWritten
        let injected = try #require(fixture.lastRequest("/inventory/me").only("Authorization")).dropFirst(7)
        for secret in [
            "Welcome1", "WrongSecret9", "inv-secret", "InTheQuery7", "garbage-credential", "admin-secret", token,
            String(injected),
        ] {
            #expect(!written.contains(secret), "\(secret)")
        }
        for request in fixture.upstream.requests {
            #expect(!request.head.raw.contains("Welcome1") && !request.head.raw.contains(token))
        }
    }

    @Test("OAUTH-08: GET is 405 with Allow, a large body 413, another content type 400")
    func otherErrors() throws {
        let fixture = try Fixture()
        let get = try fixture.request("GET", "/oauth2/token")
        #expect(get.status == 405)
        #expect(get.only("Allow") == "POST")
        let large = try fixture.grant("grant_type=client_credentials&x=" + String(repeating: "y", count: 65_536))
        #expect(large.status == 413)
        let json = try fixture.request(
            "POST", "/oauth2/token", [.basic("inv-client:inv-secret"), "Content-Type: application/json"],
            body: #"{"grant_type":"client_credentials"}"#)
        expectError(json, 400, "invalid_request")
        let chunked = try fixture.connect()
        try chunked.send(
            "POST /oauth2/token HTTP/1.1\r\nHost: a\r\nAuthorization: \(Field.basic("inv-client:inv-secret").value)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "b\r\ngrant_type=\r\n12\r\nclient_credentials\r\n0\r\n\r\n")
        #expect(try chunked.readResponse(to: "POST").status == 200)
    }

    @Test("OAUTH-01: the alias of the token endpoint works")
    func alias() throws {
        let fixture = try Fixture()
        let response = try fixture.request(
            "POST", "/token", [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials")
        #expect(response.status == 200)
    }

    @Test("ISS-02: the token has issuer, backend, level and kind, and expires with expires_in")
    func claims() throws {
        let fixture = try Fixture()
        let reply = JSONText(try fixture.grant("grant_type=password&username=joe&password=Welcome1").text)
        let token = JSONWebToken(try #require(reply["access_token"].string))
        #expect(token.header["alg"].string == "ES256")
        let claims = token.claims
        #expect(claims["iss"].string == "http://gw.example.com")
        #expect(claims["sub"].string == "joe")
        #expect(claims["exp"].integer! - claims["iat"].integer! == reply["expires_in"].integer)
        #expect(claims["backend_name"].string == "inventory")
        #expect(claims["backend_version"].string == "1.0")
        #expect(claims["backend_id"].string == "mbe-inv-1")
        #expect(claims["roles"].strings == ["Manager"])
        #expect(claims["level"].integer == 2)
        #expect(claims["kind"].string == "user")
        #expect(claims["jti"].string?.isEmpty == false)
    }

    @Test("ISS-02: key set and metadata are published, without private parts")
    func documents() throws {
        let fixture = try Fixture()
        let keys = JSONText(try fixture.request("GET", "/.well-known/jwks.json").text)["keys"].list
        #expect(keys.count == 1)
        #expect(keys[0]["kty"].string == "EC")
        #expect(!keys[0]["d"].exists)
        #expect(keys[0]["kid"].string == JSONWebToken(try fixture.token("joe")).header["kid"].string)
        for name in ["oauth-authorization-server", "openid-configuration"] {
            let metadata = JSONText(try fixture.request("GET", "/.well-known/\(name)").text)
            #expect(metadata["issuer"].string == "http://gw.example.com")
            #expect(metadata["token_endpoint"].string == "http://gw.example.com/oauth2/token")
            #expect(metadata["jwks_uri"].string == "http://gw.example.com/oauth2/jwks")
        }
        #expect(JSONText(try fixture.request("GET", "/oauth2/jwks").text)["keys"].list.count == 1)
        #expect(try fixture.request("HEAD", "/.well-known/jwks.json").body.isEmpty)
        #expect(try fixture.request("POST", "/.well-known/jwks.json", body: "").status == 405)
    }

    @Test(
        "DEC-11: every algorithm signs tokens that the gateway accepts",
        arguments: ["HS256", "RS256", "PS384", "ES384", "EdDSA"])
    func algorithms(_ algorithm: String) throws {
        let key = algorithm == "HS256" ? #", "key": "env:SIGNING_KEY""# : ""
        let secret = "0123456789abcdef0123456789abcdef"
        let fixture = try Fixture(environment: ["SIGNING_KEY": secret]) { settings in
            settings["tokenService"] = #"{"algorithm": "\#(algorithm)"\#(key)}"#
            settings["issuers"] = #"{"local": {"module": "embedded", "algorithm": "ES256", "keyFile": "state/es.pem"}}"#
        }
        let token = try fixture.token("joe")
        #expect(JSONWebToken(token).header["alg"].string == algorithm)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        let keys = JSONText(try fixture.request("GET", "/.well-known/jwks.json").text)["keys"].list
        #expect(!keys.contains { $0["kty"].string == "oct" })
    }
}
