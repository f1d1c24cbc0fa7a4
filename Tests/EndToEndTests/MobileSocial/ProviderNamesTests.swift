import Foundation
import Testing

/// One provider behind a service domain and behind single sign-on. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct ProviderNamesTests {
    @Test("RP-03, SSO-07: a domain that names users by e-mail does not affect names of single sign-on")
    func names() throws {
        let provider = try LoginProvider(.mock)
        func prepare(_ settings: inout FixtureSettings, _ own: String?) {
            settings["identityProviders"] = """
                [{"name": "outside", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s3cret"}]
                """
            settings["serviceDomains"] = """
                {"Partners": {
                  "authentication": {"type": "relyingParty", "provider": "outside", "usernameFrom": "email"},
                  "applications": {"App": {"backend": "inventory/1.0", "urlScheme": "app"}}}}
                """
            settings["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""enableSso": true, "identityProvider": "outside""#)
            if let own { settings["baseUrl"] = "\"\(own)\"" }
        }
        let fixture = try Fixture { prepare(&$0, nil) }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        try fixture.reload { prepare(&$0, own) }
        let jar = CookieJar(fixture.gateway)
        let sent = try #require(try jar.send("GET", "\(SignOnFixture.path)?clientID=inv-client").only("Location"))
        let back = try #require(URL(string: try provider.visit(sent, typing: "sub=ann")))
        let arrived = try jar.send("GET", "\(back.path)?\(back.query ?? "")")
        let location = try #require(arrived.only("Location"), "\(arrived.status) \(arrived.text)")
        let page = try jar.send("GET", location)
        let token = try #require(SignOnFixture.field("access_token", page.text), "\(page.text)")
        #expect(JSONWebToken(token).claims["sub"].string == "outside:ann")
    }
}
