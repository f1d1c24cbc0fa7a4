import Testing

/// Cookies of the gateway without forms and without single sign-on, where applications log in at a provider (RP-01).
@Suite struct RelyingPartyCookieTests {
    @Test("upstreams neither see nor clear the cookie of a pending login")
    func shielded() throws {
        let fixture = try Fixture {
            $0["identityProviders"] = #"[{"name": "outside", "issuer": "https://idp.example", "clientId": "gateway"}]"#
            $0["serviceDomains"] = """
                {"Partners": {"authentication": {"type": "relyingParty", "provider": "outside"},
                  "applications": {"App": {"backend": "inventory/1.0", "urlScheme": "app"}}}}
                """
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
            $0.addRoutes(#"{"path": "/open", "upstream": "stub", "public": true}"#)
        }
        fixture.upstream.on("/open") { _ in
            [.reply("200 OK", ["Set-Cookie: portcullis-login=evil", #"Clear-Site-Data: "cookies""#])]
        }
        let response = try fixture.request("GET", "/open", ["Cookie: portcullis-login=half; a=b"])
        #expect(try fixture.lastRequest("/open").head.values("Cookie") == ["a=b"])
        #expect(response.head.values("Set-Cookie").isEmpty && response.head.values("Clear-Site-Data").isEmpty)
    }
}
