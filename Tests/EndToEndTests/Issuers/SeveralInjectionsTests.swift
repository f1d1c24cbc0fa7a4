import Foundation
import Testing

/// Several tokens for the upstream of a route.
@Suite struct SeveralInjectionsTests {
    /// A token that is there, one that is signed at once and one that is signed off the loop.
    @Test(
        "a route has several tokens, each of its issuer and in its field; all are obtained before the request goes on")
    func severalTokens() throws {
        let fixture = try Fixture { settings in
            settings["issuers"] = """
                {"fixed": {"module": "static", "token": "s3cr3t"},
                 "caller": {"module": "embedded", "audience": "caller"},
                 "slow": {"module": "embedded", "audience": "slow", "algorithm": "RS256", "keyFile": "state/rsa.pem"}}
                """
            settings["webgates"] = nil
            settings["routes"] = """
                [{"path": "/a", "upstream": "stub", "injection": [
                    {"issuer": "slow", "header": "X-Slow", "format": "{token}"},
                    {"issuer": "fixed", "header": "X-Access-Token", "format": "{token}"},
                    {"issuer": "caller"}]},
                 {"path": "/p", "upstream": "stub", "public": true, "injection": [
                    {"issuer": "fixed"}, {"issuer": "caller", "header": "X-Caller"}]}]
                """
        }
        let token = try fixture.token("joe")
        let forged: [Field] = ["X_Slow: forged", "x.access.token: forged", "X-ACCESS-TOKEN: forged", "xslow: mine"]
        for _ in 0..<3 {
            #expect(try fixture.request("GET", "/a", [.bearer(token)] + forged).status == 200)
        }
        #expect(try fixture.issuerCalls() == 3)
        for request in fixture.upstream.requests("/a") {
            #expect(request.only("X-Access-Token") == "s3cr3t")
            #expect(!request.head.raw.contains("forged"))
            for (field, name) in [("X-Slow", "slow"), ("Authorization", "caller")] {
                let value = try #require(request.only(field))
                let claims = JSONWebToken(value.replacing("Bearer ", with: "")).claims
                #expect(claims["sub"].string == "joe")
                #expect(claims["aud"].string == name)
            }
        }
        // Without a caller there is no token, and the client's fields of these names are not passed on either.
        #expect(try fixture.request("GET", "/p", ["X_Caller: forged", "Authorization: Basic Zm9yZ2Vk"]).status == 200)
        let request = try fixture.lastRequest("/p")
        #expect(!request.head.raw.contains("forged") && request.values("Authorization").isEmpty)
        let explained = try Program.run(
            GatewayProcess.binary,
            ["explain", "GET", "/a", "--config", fixture.gateway.configuration.path, "--token-file", "-"], input: token)
        #expect(explained.output.contains("of the issuer slow in X-Slow, of the issuer fixed in X-Access-Token"))
        #expect(explained.output.contains("of the issuer caller in Authorization"))
    }

    @Test("the failure of one of several issuers is answered as that of a single one")
    func oneOfSeveralFails() throws {
        let fixture = try Fixture { settings in
            settings["issuers"] = """
                {"fixed": {"module": "static", "token": "s3cr3t"},
                 "gone": {"module": "http", "url": "http://127.0.0.1:9/token", "allowHttp": true,
                          "token": {"header": "X-Session"}}}
                """
            settings["webgates"] = nil
            settings["routes"] = """
                [{"path": "/a", "upstream": "stub", "injection": [
                    {"issuer": "fixed"}, {"issuer": "gone", "header": "X-Gone"}]}]
                """
        }
        let response = try fixture.request("GET", "/a", [.bearer(fixture.token("joe"))])
        #expect(response.status == 503)
        #expect(response.only("Retry-After") == "1")
        #expect(fixture.upstream.requests("/a").isEmpty)
    }
}
