import Testing

/// Every page by axe-core in headless Chromium: WCAG 2.2 level AA in three languages, light and dark, on a desktop and on a
/// phone. Skipped without `PORTCULLIS_PYTHON` or Chromium.
@Suite(.enabled(if: ChromiumWalk.isPossible, "there is no Python or no Chromium"), .serialized)
struct PageAccessibilityTests {
    /// Pages in one language, and languages by schemes by widths.
    private static let pages = 25
    private static let views = 3 * 2 * 2

    @Test("pages have no violation of WCAG 2.2 AA, and the password is shown by choice without a script")
    func axe() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        for name in ["logo.svg", "ar.json"] {
            try fixture.gateway.configuration.write("pages/\(name)", Vectors.text("Tests/Fixtures/pages/\(name)"))
        }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        try fixture.reload {
            Self.prepare(&$0)
            PageFixture.addPages(&$0, own: own)
        }
        try ChromiumWalk.run(
            "browser_axe.py", [own, BrowserFixture.secret], steps: 3 * Self.pages, pictures: Self.pages * Self.views,
            fixture.gateway)
    }

    private static func prepare(_ settings: inout FixtureSettings) {
        BrowserFixture.prepare(&settings)
        settings["tokenService"] = #"{"scopes": ["orders"], "scopeDescriptions": {"orders": "See your orders"}}"#
        settings["singleSignOn"] = #"{"captureRedirect": true}"#
        settings["identityProviders"] = """
            [{"name": "local", "kind": "local"},
             {"name": "outside", "displayName": "Staff account", "issuer": "http://127.0.0.1:1", "allowHttp": true,
              "clientId": "gateway", "clientSecret": "s3cret", "usernameAttribute": "email"}]
            """
        settings["backends"] = """
            [
              {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
               "clientSecret": "inv-secret", "enableSso": true, "identityProvider": ["outside", "local"]},
              {"name": "app", "version": "1.0", "mobileBackendId": "mbe-app-1", "clientId": "app-client",
               "public": true, "displayName": "The app", "redirectUris": ["http://127.0.0.1/cb"],
               "identityProvider": "local"},
              {"name": "tv", "version": "1.0", "mobileBackendId": "mbe-tv-1", "clientId": "tv-client",
               "public": true, "deviceGrant": true, "displayName": "The TV", "identityProvider": "local"}
            ]
            """
        let gone = String((settings["upstreams"] ?? "").dropLast()) + #", "gone": {"url": "http://127.0.0.1:1"}}"#
        settings["upstreams"] = gone
        settings["routes"] = FixtureSettings.list([
            #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG", "backends": ["inventory/1.0"]}"#,
            #"{"path": "/strong", "upstream": "stub", "webgate": "StrongWG"}"#,
            #"{"path": "/plain", "upstream": "stub"}"#, #"{"path": "/gone", "upstream": "gone", "public": true}"#,
        ])
        settings["users"] = """
            [{"username": "joe", "password": "{PlainText}Welcome1", "roles": ["Manager"],
              "otpSecret": "\(BrowserFixture.secret)"},
             {"username": "bob", "password": "{PlainText}Welcome3", "roles": []}]
            """
        settings["passwords"] = #"{"throttle": {"failuresPerUser": 8, "failuresPerAddress": 1000, "per": "30m"}}"#
    }
}

/// Settings of the pages.
enum PageFixture {
    static func addPages(_ settings: inout FixtureSettings, own: String) {
        settings["baseUrl"] = "\"\(own)\""
        settings["pages"] = """
            {"productName": "Example Suite", "logo": "pages/logo.svg", "accent": "#00695c", "helpUrl": "/help",
             "privacyUrl": "https://www.example.com/privacy", "texts": {"ar": "pages/ar.json"}}
            """
    }
}
