import Testing

/// The pages in headless Chromium, driven as a person would: by keys, at the width of a phone and of a desktop.
///
/// Skipped without `PORTCULLIS_PYTHON` or Chromium; `deploy/test` has both.
@Suite(.enabled(if: ChromiumWalk.isPossible, "there is no Python or no Chromium"), .serialized)
struct BrowserPageTests {
    @Test(
        "SCH-02, AGT-06: login, wrong password, step-up and logout work in Chromium", arguments: ["public", "secure"])
    func pages(_ listener: String) throws {
        try walk(
            listener, "browser_login.py", [BrowserFixture.secret], steps: 20, pictures: 10, BrowserFixture.prepare)
    }

    @Test("SSO-01 to SSO-10: login, token, form post and logout work in Chromium", arguments: ["public", "secure"])
    func singleSignOn(_ listener: String) throws {
        try walk(listener, "browser_sso.py", [], steps: 20, pictures: 12, SignOnFixture.prepare)
    }

    @Test(
        "RFC 6749: login, consent and the way back to applications work in Chromium", arguments: ["public", "secure"])
    func authorization(_ listener: String) throws {
        try walk(listener, "browser_authorize.py", [], steps: 15, pictures: 4, AuthorizationFixture.prepare)
    }

    private func walk(
        _ listener: String, _ script: String, _ words: [String], steps: Int, pictures count: Int,
        _ prepare: (inout FixtureSettings) -> Void
    ) throws {
        let fixture = try SecureFixture { prepare(&$0) }
        let url = try fixture.url(listener)
        // Pages are of an own origin, whose port is known only now.
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings["listeners"] = SecureFixture.listeners("", ["tls"])
        prepare(&settings)
        settings["baseUrl"] = "\"\(url)\""
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        try fixture.reload()
        try ChromiumWalk.run(script, [url] + words, steps: steps, pictures: count, fixture.gateway)
    }
}
