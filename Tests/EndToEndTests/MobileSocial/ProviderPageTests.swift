import Testing

/// A login at a provider in headless Chromium, the pages of both looked at.
///
/// Skipped without `PORTCULLIS_PYTHON` or Chromium; `deploy/test` has both.
@Suite(.enabled(if: ChromiumWalk.isPossible, "there is no Python or no Chromium"), .serialized)
struct ProviderPageTests {
    @Test("SSO-07: provider login, refusal and logout at both sides work in Chromium")
    func walk() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try provider.gateway(
            client: #""clientSecret": "s3cret""#, users: #""usernameAttribute": "email""#)
        try ChromiumWalk.run(
            "provider_login.py", ["http://127.0.0.1:\(try fixture.gateway.port())", provider.issuer], steps: 12,
            pictures: 6, fixture.gateway)
    }
}
