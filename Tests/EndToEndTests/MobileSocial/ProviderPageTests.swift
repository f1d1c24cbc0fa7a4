import Foundation
import Testing

/// A login at a provider in headless Chromium, the pages of both looked at.
///
/// Skipped without `PORTCULLIS_PYTHON` or Chromium; `deploy/test` has both.
@Suite(
    .enabled(
        if: LoginProvider.python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"),
        "there is no Python or no Chromium"), .serialized)
struct ProviderPageTests {
    @Test("SSO-07: from the page to the provider's form and back, refusal, logout here and there, in Chromium")
    func walk() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try provider.gateway(
            client: #""clientSecret": "s3cret""#, users: #""usernameAttribute": "email""#)
        let pictures = try ConfigurationDirectory()
        let client = try Program(
            LoginProvider.python ?? "",
            [
                Vectors.root.appending(path: "Tests/Interop/provider_login.py").path,
                "http://127.0.0.1:\(try fixture.gateway.port())", provider.issuer, pictures.path,
            ])
        let ending = client.waitForEnd(.after(.seconds(120)))
        let said = client.lines(.output) + client.lines(.errors)
        #expect(ending == .exit(0), "\(said.joined(separator: "\n"))\n\(fixture.gateway.everythingWritten)")
        let files = try FileManager.default.contentsOfDirectory(atPath: pictures.path)
        #expect(files.filter { $0.hasSuffix(".png") }.count == 6)
    }
}
