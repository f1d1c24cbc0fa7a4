import Foundation
import Testing

/// Programs that cannot verify SAML say so: when the configuration is checked, and when a client presents an assertion
/// (DEC-09). Everything else goes on.
@Suite struct WithoutSAMLTests {
    private static let bare = ProcessInfo.processInfo.environment["PORTCULLIS_BARE"]

    private static let issuer = #"""
        {"Security_AuthTokenConfiguration": {"samlIssuers": [{"issuerName": "https://idp.example.com/saml",
         "certificateSubjectNames": ["CN=idp.example.com"]}]}}
        """#
    private static let provider = #"""
        [{"name": "form", "kind": "local"}, {"name": "idp", "kind": "saml", "entityId": "https://idp.example.com/saml",
          "singleSignOnUrl": "https://idp.example.com/sso", "certificateSubjectNames": ["CN=idp.example.com"]}]
        """#

    private static let route = #"[{"path": "/a", "upstream": "stub", "authenticators": ["saml"]}]"#
    private static let grant = #"""
        {"local": {"module": "oauth2", "tokenEndpoint": "https://as/t", "clientId": "x", "grant": "saml2-bearer",
                   "assertion": {"from": "caller"}}}
        """#

    private func directory(_ section: String, _ text: String) throws -> ConfigurationDirectory {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        if section == "routes" { settings["policies"] = Self.issuer }
        settings[section] = text
        return try ConfigurationDirectory(["gateway.json": settings.text])
    }

    private func test(_ binary: String, _ environment: [String: String], _ problem: String) throws {
        for (section, text, pointer) in [
            ("policies", Self.issuer, "/policies/Security_AuthTokenConfiguration/samlIssuers"),
            ("identityProviders", Self.provider, "/identityProviders/1/kind"),
            ("routes", Self.route, "/routes/0/authenticators"), ("issuers", Self.grant, "/issuers/local/grant"),
        ] {
            let directory = try directory(section, text)
            let result = try Program.run(binary, ["check", directory.path], environment: environment)
            #expect(result.ending != .exit(0))
            let said = result.output + result.errors
            #expect(said.contains(problem) && said.contains(pointer), "\(said)")
        }
        let gateway = try GatewayProcess(directory("policies", Self.issuer), environment: environment, binary: binary)
        #expect(gateway.everythingWritten.contains(problem))
        let answer = try gateway.request(
            "GET", "/mobile/platform/sso/exchange-token",
            [.bearer("fVJdb9sgFP0rFu8YTOzYRnGqrFW"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(answer.status == 501)
        #expect(
            answer.text == #"{"error":"server_error","error_description":"this gateway has no SAML"}"#, "\(answer.text)"
        )
        // Other outside tokens are looked at as ever.
        let other = try gateway.request(
            "GET", "/mobile/platform/sso/exchange-token", [.bearer("a.b.c"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(other.status == 400)
    }

    @Test(
        "a build without the trait SAML reports that SAML is unavailable",
        .enabled(if: bare != nil, "PORTCULLIS_BARE names no such program"))
    func bareBuild() throws {
        try test(try #require(Self.bare), [:], "this program is built without the trait SAML")
    }

    @Test(
        "a build without traits is linked with libssl and libnghttp2 alone, beside the C library and Swift's",
        .enabled(if: bare != nil, "PORTCULLIS_BARE names no such program"))
    func bareLibraries() throws {
        let read = try Program.run("/usr/bin/readelf", ["--dynamic", "--wide", try #require(Self.bare)])
        #expect(read.ending == .exit(0), "\(read.errors)")
        let needed = Set(read.output.matches(of: /\(NEEDED\).*\[([a-zA-Z0-9_+-]+)/).map { String($0.1) })
        let others = needed.filter { !$0.hasPrefix("libswift") }
        let runtime: Set = [
            "libBlocksRuntime", "libdispatch", "libgcc_s", "libstdc++", "libm", "libc", "ld-linux-x86-64",
        ]
        #expect(others.subtracting(runtime) == ["libssl", "libcrypto", "libnghttp2"])
    }

    #if SAML
        @Test("SAML is reported as unavailable if its library cannot be started")
        func brokenLibrary() throws {
            let library = try PreloadedLibrary("int xmlSecInit(void) { return -1; }")
            try test(GatewayProcess.binary, library.environment, "libxmlsec1 cannot be started")
        }
    #endif
}
