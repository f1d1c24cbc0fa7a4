import Foundation
import Model
import Testing

/// Users who choose where they log in (SSO-07, RP-01): at one of two providers that others wrote, or by the gateway's own
/// form. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil), .serialized) struct LoginChoiceTests {
    /// The providers have to outlive the gateway.
    private struct Setup {
        let staff: LoginProvider
        let partners: LoginProvider
        let fixture: Fixture
        let own: String
    }

    private static func prepare(
        _ settings: inout FixtureSettings, _ staff: LoginProvider, _ partners: LoginProvider
    ) {
        BrowserFixture.prepare(&settings)
        settings["policies"] = #"{"Security_SsoRedirectWhitelist": "https://www.example.com, http://127.0.0.1:*"}"#
        settings["identityProviders"] = """
            [{"name": "form", "kind": "local", "displayName": "Password"},
             {"name": "outside", "displayName": "Staff account", "issuer": "\(staff.issuer)", "allowHttp": true,
              "clientId": "gateway", "clientSecret": "s3cret", "usernameAttribute": "email"},
             {"name": "certified", "displayName": "Partner account", "issuer": "\(partners.issuer)", "allowHttp": true,
              "clientId": "gateway", "clientKeyFile": "state/client.pem", "usernameAttribute": "email",
              "userInfo": "always"},
             {"name": "foreign", "issuer": "\(staff.issuer)", "allowHttp": true, "clientId": "gateway",
              "clientSecret": "s3cret", "usernamePrefix": "foreign:"}]
            """
        settings["backends"] = FixtureSettings.backends.replacing(
            #""enableSso": true"#, with: #""enableSso": true, "identityProvider": ["outside", "certified", "form"]"#)
        settings["serviceDomains"] = """
            {"MobileServiceDomain": {
              "authentication": {"type": "relyingParty", "level": 2, "provider": ["outside", "certified", "form"]},
              "applications": {"DemoApp": {"backend": "inventory/1.0", "displayName": "the demo", "urlScheme": "demoapp"}}}}
            """
        settings["authenticationSchemes"] = """
            [{"name": "FormScheme", "authenticationLevel": 2, "challengeMethod": "FORM",
              "challengeUrl": "/mobilesso?serviceDomain=MobileServiceDomain"}]
            """
        settings["webgates"] = """
            [{"name": "MobileWG", "authenticationScheme": "FormScheme",
              "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}, "userAgentMismatch": "redirect"}]
            """
        settings["routes"] = FixtureSettings.list([
            #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG", "backends": ["inventory/1.0"]}"#,
            #"{"path": "/inventory/me", "upstream": "stub", "backends": ["inventory/1.0"]}"#,
        ])
    }

    private func setup() throws -> Setup {
        let (staff, partners) = (try LoginProvider(.mock), try LoginProvider(.idpyoidc))
        let fixture = try Fixture { Self.prepare(&$0, staff, partners) }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        // Where browsers come back to is known only now.
        try fixture.reload {
            Self.prepare(&$0, staff, partners)
            $0["baseUrl"] = "\"\(own)\""
        }
        try partners.control(
            "client",
            """
            {"redirect_uri": "\(own)/oauth2/callback/certified",
             "jwks_uri": "\(own)/.well-known/jwks.json",
             "backchannel_logout_uri": "\(own)/oauth2/backchannel-logout/certified"}
            """)
        return Setup(staff: staff, partners: partners, fixture: fixture, own: own)
    }

    private static func links(_ page: Response) -> [String] {
        page.text.matches(of: /<li><a href="([^"]*)">/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    @Test("the choice page keeps the token's target and lists only the backend's providers")
    func relay() throws {
        let setup = try setup()
        let jar = CookieJar(setup.fixture.gateway)
        let link = "\(SignOnFixture.path)?clientID=inv-client&redirect_uri=https%3A%2F%2Fwww.example.com%2Fcb&state=7"
        let page = try jar.send("GET", #require(try jar.send("GET", link).only("Location")))
        let links = Self.links(page)
        #expect(page.status == 200 && links.count == 3, "\(page.text)")
        for text in ["Staff account", "Partner account", "Password"] { #expect(page.text.contains(">\(text)</a>")) }
        // Another provider of the gateway is none of the backend's.
        let foreign = try jar.send("GET", links[0].replacing("provider=outside", with: "provider=foreign"))
        #expect(foreign.status == 200 && Self.links(foreign).count == 3)
        let sent = try #require(jar.send("GET", links[0]).only("Location"))
        #expect(sent.hasPrefix(setup.staff.issuer))
        let back = try #require(URL(string: setup.staff.visit(sent, typing: "sub=ann")))
        let arrived = try jar.send("GET", "\(back.path)?\(back.query ?? "")")
        let posted = try jar.send("GET", #require(arrived.only("Location"), "\(arrived.status) \(arrived.text)"))
        #expect(posted.text.contains(#"action="https://www.example.com/cb""#))
        #expect(SignOnFixture.field("state", posted.text) == "7")
        let token = try #require(SignOnFixture.field("access_token", posted.text))
        #expect(try setup.fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        let received = try setup.fixture.lastRequest("/inventory/me")
        #expect(received.only("X-Gateway-User") == "outside:ann@example.com")
    }

    @Test(
        "SSO-01 to SSO-12, SCH-02: choosing each provider by keyboard works in Chromium",
        .enabled(if: ChromiumWalk.isPossible, "there is no Chromium"))
    func walk() throws {
        let setup = try setup()
        try ChromiumWalk.run(
            "login_choice.py", [setup.own, setup.staff.issuer], steps: 34, pictures: 12, setup.fixture.gateway)
    }
}
