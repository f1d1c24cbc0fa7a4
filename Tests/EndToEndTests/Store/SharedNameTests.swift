import Testing

/// Users of two issuers who have the same name.
@Suite struct SharedNameTests {
    private func fixture(_ issuer: StubIssuer, prefix: String?) throws -> Fixture {
        let fixture = try Fixture { settings in
            settings["issuers"] = #"{"caller": {"module": "embedded", "audience": "api"}}"#
            settings["webgates"] = nil
            settings["trustedIssuers"] =
                "[\(issuer.entry(prefix.map { #""usernamePrefix": "\#($0)""# } ?? ""))]"
            settings["routes"] = #"""
                [{"path": "/a", "upstream": "stub", "injection": {"issuer": "caller"},
                  "requestHeaders": {"set": {"X-Who": "${issuer}/${user}"}},
                  "rateLimit": {"requests": 1, "per": "1h", "key": "principal"}}]
                """#
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    private static let ofAccount: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]

    @Test("fields, limits and tokens of the upstream tell users of one name at two issuers apart")
    func apart() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer, prefix: "partner:")
        for (credential, user, source) in [
            ([Field.bearer(issuer.token("a"))], "partner:joe", "idp"), (Self.ofAccount, "joe", "local"),
        ] {
            // The limit is one request for each caller.
            #expect(try fixture.request("GET", "/a", credential).status == 200)
            #expect(try fixture.request("GET", "/a", credential).status == 429)
            let request = try fixture.lastRequest("/a")
            #expect(request.values("X-Gateway-User") == [user] && request.values("X-Gateway-Issuer") == [source])
            #expect(request.values("X-Who") == ["\(source)/\(user)"])
            let token = try #require(request.only("Authorization")).replacing("Bearer ", with: "")
            #expect(JSONWebToken(token).claims["sub"].string == user)
        }
        #expect(try check(fixture).contains("the same token") == false)
    }

    @Test("check warns of tokens by the name alone where names may be shared")
    func warning() throws {
        let fixture = try fixture(try StubIssuer(keys: "a"), prefix: nil)
        #expect(
            try check(fixture).contains(
                #"/routes/0/injection: users of "idp", "local" with the same name get the same token for the upstream"#)
        )
    }

    private func check(_ fixture: Fixture) throws -> String {
        let result = try Program.run(GatewayProcess.binary, ["check", fixture.gateway.configuration.path])
        return result.output + result.errors
    }
}
