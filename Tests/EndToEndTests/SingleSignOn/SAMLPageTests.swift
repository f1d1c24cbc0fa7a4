import Testing

/// A login at a SAML provider in headless Chromium, to which the provider is another site than the gateway; the pages
/// looked at.
///
/// Skipped without `PORTCULLIS_PYTHON` or Chromium; `deploy/test` has both.
@Suite(.enabled(if: ChromiumWalk.isPossible, "there is no Python or no Chromium"), .serialized)
struct SAMLPageTests {
    @Test("SSO-07, SAML-17: provider login, refusal, logout and capture work in Chromium")
    func walk() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway { $0["singleSignOn"] = #"{"captureRedirect": true}"# }
        try ChromiumWalk.run(
            "saml_login.py", ["http://127.0.0.1:\(try fixture.gateway.port())", provider.base], steps: 15, pictures: 8,
            fixture.gateway)
    }

    @Test(
        "SAML-17: the capture endpoint is off by default, and upstreams see none of it", arguments: [false, true],
        ["/mobile/platform/sso/redirect", "/mobile/platform/sso/redirect/saml"])
    func capture(_ isOn: Bool, _ path: String) throws {
        let fixture = try Fixture { if isOn { $0["singleSignOn"] = #"{"captureRedirect": true}"# } }
        let form: [Field] = ["Content-Type: application/x-www-form-urlencoded", "Origin: https://idp.example"]
        let long = String(repeating: "A", count: 100_000)
        let posted = try fixture.request("POST", path, form, body: "SAMLResponse=\(long)%3C%22&RelayState=x")
        #expect(posted.status == (isOn ? 200 : 404))
        #expect(posted.text.contains("\(long)&lt;&quot;</textarea>") == isOn)
        if isOn { #expect(posted.only("Cache-Control") == "no-store") }
        #expect(try fixture.request("GET", "\(path)?SAMLResponse=abc").text.contains(">abc<") == isOn)
        #expect(try fixture.request("GET", path).status == (isOn ? 400 : 404))
        #expect(try fixture.request("POST", path, form, body: "a=b").status == (isOn ? 400 : 404))
        #expect(!fixture.upstream.requests.contains { $0.head.raw.contains(path) })
        #expect(!fixture.gateway.everythingWritten.contains("AAAAAAAA"))
    }
}
