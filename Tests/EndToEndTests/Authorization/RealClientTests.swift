import Foundation
import Testing

/// Programs that others wrote, unchanged, as clients of the gateway's own OpenID provider. Skipped without
/// `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct RealClientTests {
    private static let service = #""scopes": ["orders"], "audience": "shop""#

    private static func prepare(_ settings: inout FixtureSettings, keys: String = "") {
        settings["tokenService"] = "{\(service)}"
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let grants = #""grantTypes": ["authorization_code", "refresh_token", "\#(device)"]"#
        settings["clients"] = """
            [{"clientId": "apache", "clientSecret": "apache-secret", "redirectUris": ["http://127.0.0.1/app/back"],
              "postLogoutRedirectUris": ["http://127.0.0.1/out.html"], "introspection": true, \(grants)},
             {"clientId": "msal-web", "clientSecret": "web-secret", "redirectUris": ["http://127.0.0.1/cb"], \(grants)},
             {"clientId": "msal-app", "public": true, "redirectUris": ["http://localhost"], \(grants)}\(keys)]
            """
        settings["backends"] = FixtureSettings.coreBackends
        settings["routes"] = #"[{"path": "/plain", "upstream": "stub", "loginRequired": false}]"#
    }

    private func run(_ script: String, _ words: [String], _ gateway: GatewayProcess, steps: Int) throws {
        let path = Vectors.root.appending(path: "Tests/Interop/\(script)").path
        let result = try Program.run(try #require(LoginProvider.python), [path] + words)
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == steps, "\(result.output)")
    }

    @Test("MSAL Python: code, refresh, signed assertion, a program's own port and a device")
    func msal() throws {
        let directory = try ConfigurationDirectory()
        let key = "\(directory.path)/client.key"
        try SecureFixture.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=client", "-keyout", key,
            "-out", "\(directory.path)/client.pem")
        let make = """
            import json, pathlib, sys
            from joserfc.jwk import RSAKey
            key = RSAKey.import_key(pathlib.Path(sys.argv[1]).read_text())
            print(json.dumps({"keys": [key.as_dict(private=False)]}))
            """
        let keys = try Program.run(try #require(LoginProvider.python), ["-c", make, key])
        try #require(keys.ending == .exit(0), "\(keys.errors)")
        let fixture = try SecureFixture {
            Self.prepare(&$0, keys: #", {"clientId": "msal-signed", "clientKeys": \#(keys.output)}"#)
            $0["baseUrl"] = #""https://localhost:1""#
            $0["additionalBaseUrls"] = nil
        }
        let own = try fixture.url()
        try fixture.rewrite {
            $0.replacing("https://localhost:1\"", with: "\(own)\"")
                .replacing(Self.service, with: #"\#(Self.service), "issuer": "\#(own)/shop""#)
        }
        try run("msal_client.py", [own, fixture.file("tls/cert.pem"), directory.path], fixture.gateway, steps: 8)
    }

    @Test(
        "mod_auth_openidc: login, user info, access token for an API, refresh, introspection and logout",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/apache2")))
    func apache() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        try fixture.reload {
            Self.prepare(&$0)
            $0["baseUrl"] = "\"\(own)\""
        }
        try run("mod_auth_openidc.py", [own], fixture.gateway, steps: 6)
    }
}
