import Foundation
import TestSupport
import Testing

/// Two gateways: the first gets an identity assertion of the identity provider for the user who has logged in there, and
/// with it a token of the second, behind which the API is.
@Suite(.tags(.core)) struct IdentityChainTests {
    private struct Chain {
        let login: StubProvider
        let assertions: AssertionProvider
        let (first, second): (Fixture, Fixture)

        /// - Parameter members: of the issuer, each with a comma in front.
        init(_ members: String = "") throws {
            let (login, assertions) = (try StubProvider(), try AssertionProvider())
            let second = try Fixture {
                assertions.prepare(&$0)
                $0["backends"] = FixtureSettings.coreBackends
            }
            let url = "http://127.0.0.1:\(try second.gateway.port("public"))"
            first = try LoginProvider.plainGateway(login.entry) {
                $0["upstreams"] = #"{"second": {"url": "\#(url)"}}"#
                $0["issuers"] = """
                    {"local": {"module": "embedded"},
                     "chained": {"module": "oauth2", "grant": "id-jag", "allowHttp": true,
                       "tokenEndpoint": "\(url)/oauth2/token", "clientId": "agent", "clientSecret": "s",
                       "audience": "http://gw.example.com", "scope": "write", "resource": ["http://gw.example.com/mcp"],
                       "identityProvider": {"tokenEndpoint": "\(assertions.server.url)/exchange",
                                            "clientId": "gateway", "clientSecret": "provider-secret"}\(members)}}
                    """
                $0["routes"] = FixtureSettings.list([
                    """
                    {"path": "/mcp/**", "upstream": "second", "login": {"providers": "outside", "tokens": true},
                     "injection": {"issuer": "chained"}}
                    """
                ])
            }
            (self.login, self.assertions, self.second) = (login, assertions, second)
        }

        var forms: [[String: String]] {
            assertions.server.requests("/exchange").map { request in
                let form = URLComponents(string: "?" + String(decoding: request.body, as: UTF8.self))?.queryItems ?? []
                return Dictionary(form.map { ($0.name, $0.value ?? "") }) { first, _ in first }
            }
        }
    }

    @Test("the API behind the second gateway gets the user, by a token that opens its resource alone")
    func chained() throws {
        let chain = try Chain()
        let jar = CookieJar(chain.first.gateway)
        try chain.login.logIn(jar, "/mcp/a")
        for _ in 0..<2 { #expect(try jar.send("GET", "/mcp/a").status == 200) }
        let request = try chain.second.lastRequest("/mcp/a")
        #expect(request.only("X-Gateway-User") == "ann" && request.only("X-Gateway-Client") == "agent")
        #expect(request.only("Authorization") == nil)
        // One assertion serves both requests; what it was asked with is of the draft.
        let form = try #require(chain.forms.first)
        #expect(chain.forms.count == 1)
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(form["requested_token_type"] == "urn:ietf:params:oauth:token-type:id-jag")
        #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
        #expect(form["subject_token"]?.hasPrefix("ey") == true)
        #expect(form["audience"] == "http://gw.example.com" && form["resource"] == "http://gw.example.com/mcp")
        #expect(form["scope"] == "write")
        let grant = try #require(chain.second.gateway.waitForAccess { $0["path"].string == "/oauth2/token" })
        #expect(grant["reason"].string == "token_issued")
        // Another session of the user gets another assertion.
        let other = CookieJar(chain.first.gateway)
        try chain.login.logIn(other, "/mcp/a")
        #expect(try other.send("GET", "/mcp/a").status == 200)
        #expect(chain.forms.count == 2)
    }

    @Test("a refusal of the provider or of the server is one of the caller; a program without a login has no ID token")
    func refused() throws {
        let chain = try Chain(#", "circuitBreaker": {"failures": 100}"#)
        // A failure is kept for a moment, for each session of its own.
        func ask() throws -> Response {
            let jar = CookieJar(chain.first.gateway)
            try chain.login.logIn(jar, "/mcp/a")
            return try jar.send("GET", "/mcp/a", ["Accept: application/json"])
        }
        for (error, status, reason) in [
            ("access_denied", 403, "issuer_refused"), ("insufficient_user_authentication", 403, "issuer_refused"),
            ("invalid_grant", 403, "issuer_refused"), ("invalid_target", 502, "issuer_misconfigured"),
        ] {
            chain.assertions.refusal.withLock { $0 = error }
            let response = try ask()
            #expect(response.status == status && JSONText(response.text)["code"].string == reason, "\(response.text)")
            let line = chain.first.gateway.waitForAccess { $0["detail"].string == "identity provider: \(error)" }
            #expect(line?["reason"].string == reason)
        }
        chain.assertions.refusal.withLock { $0 = nil }
        // The server does not trust the provider any more.
        try chain.second.reload { settings in
            chain.assertions.prepare(&settings)
            settings["backends"] = FixtureSettings.coreBackends
            settings["trustedIssuers"] = "[\(chain.assertions.entry())]".replacing(
                #""issuer": ""#, with: #""issuer": "https://other.example.com/"#)
        }
        let response = try ask()
        #expect(
            response.status == 403 && JSONText(response.text)["code"].string == "issuer_refused", "\(response.text)")
        #expect(chain.second.upstream.requests.isEmpty)
    }
}
