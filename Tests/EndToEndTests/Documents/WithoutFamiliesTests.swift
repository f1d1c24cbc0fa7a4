import Foundation
import Testing

/// A program without the trait Compatibility is a gateway with an OAuth server, and refuses to be configured for more.
@Suite struct WithoutFamiliesTests {
    private static let core = ProcessInfo.processInfo.environment["PORTCULLIS_CORE"]

    private static let backends = #"""
        [{"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "anonymousKey": "YW5vbi1pbnY6azN5",
          "clientId": "inv-client", "clientSecret": "inv-secret"}]
        """#

    /// - Parameter sections: in the place of those of the fixture.
    private func directory(_ sections: [String: String], upstream: String) throws -> ConfigurationDirectory {
        var settings = FixtureSettings(upstream: upstream)
        settings["backends"] = Self.backends
        for (name, text) in sections { settings[name] = text }
        return try ConfigurationDirectory(["gateway.json": settings.text])
    }

    @Test(
        "settings of excluded families are refused", .enabled(if: core != nil, "PORTCULLIS_CORE names no such program"),
        arguments: [
            ("userProfile", #"{"enabled": true}"#, "/userProfile"),
            ("singleSignOn", #"{"captureRedirect": true}"#, "/singleSignOn"),
            ("backends", FixtureSettings.backends, "/backends/0/enableSso"),
            (
                "routes", #"[{"path": "/a", "upstream": "stub", "application": "testApp"}]"#, "/routes/0/application"
            ),
            (
                "applications", #"[{"name": "testApp", "apiKey": "1234567890123456789"}]"#, "/applications"
            ),
            (
                "serviceDomains", #"{"Default": {"applications": {"DemoApp": {"backend": "inventory/1.0"}}}}"#,
                "/serviceDomains"
            ),
        ])
    func refused(_ section: String, _ text: String, _ pointer: String) throws {
        let directory = try directory([section: text], upstream: "http://127.0.0.1:9")
        let result = try Program.run(try #require(Self.core), ["check", directory.path])
        let said = result.output + result.errors
        #expect(result.ending != .exit(0))
        #expect(
            said.contains("this program is built without the trait Compatibility") && said.contains(pointer), "\(said)")
    }

    @Test(
        "the gateway forwards and issues tokens without the families",
        .enabled(if: core != nil, "PORTCULLIS_CORE names no such program"))
    func runs() throws {
        let gateway = try GatewayProcess(
            directory([:], upstream: "http://127.0.0.1:9"), binary: try #require(Self.core))
        let token = try gateway.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials")
        #expect(token.status == 200 && token.text.contains("access_token"), "\(token.text)")
        let callers = try gateway.request("GET", "/mobile/platform/users/~")
        #expect(callers.status == 401)
        // What a family would answer is kept for it, and is not there.
        let exchange = try gateway.request("GET", "/mobile/platform/sso/exchange-token", [.bearer("a.b.c")])
        #expect(exchange.status == 404, "\(exchange.text)")
    }
}
