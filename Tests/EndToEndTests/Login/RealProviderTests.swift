import Foundation
import Testing

/// Logins at products that others wrote, unchanged. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct RealProviderTests {
    private static let groups = #"{"groups": {"contains": "clerks"}}"#

    @Test(
        "login, claims for rules and fields, tokens that are renewed, logout, revocation, the end of a grant and a denial",
        arguments: [LoginProvider.Kind.django, .canaille])
    func packages(_ kind: LoginProvider.Kind) throws {
        try walk(kind, steps: 8)
    }

    @Test(
        "Glewlwyd: login, claims for rules and fields, tokens that are renewed, revocation, and logouts here and there",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd")))
    func glewlwyd() throws {
        try walk(.glewlwyd, steps: 7)
    }

    private func walk(_ kind: LoginProvider.Kind, steps: Int) throws {
        let provider = try LoginProvider(kind)
        let scopes = #"["openid", "email", "profile", "\#(kind == .canaille ? "groups" : "offline_access")"]"#
        let fixture = try LoginProvider.plainGateway(
            """
            "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret",
            "revokeAtLogout": true, "scopes": \(scopes)
            """
        ) {
            $0["upstreams"] = #"{"stub": {"url": "\#(provider.controlURL)"}}"#
            $0["routes"] = FixtureSettings.list([
                """
                {"path": "/app", "upstream": "stub", "login": "outside", "claims": \(Self.groups),
                 "requestHeaders": {"set": {"X-Mail": "${claim.email}", "X-Groups": "${claim.groups}"}}}
                """,
                #"{"path": "/other", "upstream": "stub", "login": "outside", "claims": {"email": "eve@example.com"}}"#,
                """
                {"path": "/api", "upstream": "stub", "login": {"providers": "outside", "tokens": true},
                 "injection": {"from": "login"}}
                """,
            ])
        }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        try provider.control(
            "client",
            """
            {"redirect_uri": "\(own)/oauth2/callback/outside", "post_logout_redirect_uri": "\(own)/oauth2/logout",
             "frontchannel_logout_uri": "\(own)/oauth2/frontchannel-logout/outside"}
            """)
        let script = Vectors.root.appending(path: "Tests/Interop/provider_walk.py").path
        let result = try Program.run(
            try #require(LoginProvider.python),
            [script, kind.rawValue, own, provider.issuer, provider.controlURL], .after(.seconds(120)))
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(fixture.gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == steps, "\(result.output)")
    }
}
