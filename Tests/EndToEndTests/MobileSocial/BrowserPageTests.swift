import Foundation
import Testing

/// The pages in headless Chromium, driven as a person would: by keys, at the width of a phone and of a desktop.
///
/// Skipped without `PORTCULLIS_PYTHON` or Chromium; `deploy/test` has both.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"),
        "there is no Python or no Chromium"), .serialized)
struct BrowserPageTests {
    @Test("SCH-02, AGT-06: login, wrong password, step-up and logout in Chromium", arguments: ["public", "secure"])
    func pages(_ listener: String) throws {
        let fixture = try SecureFixture { BrowserFixture.prepare(&$0) }
        let url = try fixture.url(listener)
        // Pages are of an own origin, whose port is known only now.
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings["listeners"] = SecureFixture.listeners("", ["tls"])
        BrowserFixture.prepare(&settings)
        settings["baseUrl"] = "\"\(url)\""
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        try fixture.reload()
        let pictures = try ConfigurationDirectory()
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let client = try Program(
            python,
            [
                Vectors.root.appending(path: "Tests/Interop/browser_login.py").path, url, BrowserFixture.secret,
                pictures.path,
            ])
        let ending = client.waitForEnd(.after(.seconds(120)))
        let said = client.lines(.output) + client.lines(.errors)
        #expect(ending == .exit(0), "\(said.joined(separator: "\n"))\n\(fixture.gateway.everythingWritten)")
        #expect(client.lines(.output).count >= 20)
        let files = try FileManager.default.contentsOfDirectory(atPath: pictures.path)
        #expect(files.filter { $0.hasSuffix(".png") }.count == 10)
    }
}
