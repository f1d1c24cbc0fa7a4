import Foundation
import Testing

/// Logouts of browsers that have logged in at a provider: from an application, and by the provider's pages (OpenID Connect
/// RP-Initiated Logout 1.0, Front-Channel Logout 1.0).
@Suite(.tags(.core)) struct ProviderLogoutTests {
    private static let routes = [#"{"path": "/page", "upstream": "stub", "login": "outside"}"#]
    private static let ownLink: [Field] =
        BrowserFixture.navigation + [
            "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
        ]

    private func logIn(_ provider: StubProvider, _ entry: String = "") throws -> (Fixture, CookieJar) {
        let fixture = try provider.gateway(entry, Self.routes)
        let jar = CookieJar(fixture.gateway)
        try provider.logIn(jar, "/page")
        #expect(try jar.send("GET", "/page").status == 200)
        return (fixture, jar)
    }

    @Test("a link on a page of the application logs out at once, here and there")
    func link() throws {
        let provider = try StubProvider()
        let (fixture, jar) = try logIn(provider)
        let session = jar["portcullis"]
        let answer = try jar.send("GET", "/oauth2/logout", Self.ownLink)
        #expect(answer.status == 200 && jar["portcullis"] == nil)
        let refresh = try #require(answer.only("Refresh"))
        let url = try #require(URLComponents(string: String(refresh.dropFirst("0; url=".count))))
        let fields = Dictionary(uniqueKeysWithValues: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") })
        #expect(
            url.path == "/logout"
                && fields.keys.sorted() == ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"])
        #expect(fields["client_id"] == "gateway")
        #expect(JSONWebToken(fields["id_token_hint"] ?? "").claims["sub"].string == "ann")
        #expect(fields["post_logout_redirect_uri"] == "http://127.0.0.1:\(try fixture.gateway.port())/oauth2/logout")
        // The provider sends the browser back.
        let back = try jar.send("GET", "/oauth2/logout?state=\(fields["state"] ?? "")")
        #expect(back.status == 200 && back.text.contains("signed out"), "\(back.text)")
        jar["portcullis"] = session
        #expect(try jar.send("GET", "/page").status == 302)
    }

    @Test("a link elsewhere, a frame and an image are asked about, or refused")
    func elsewhere() throws {
        let provider = try StubProvider()
        let (fixture, jar) = try logIn(provider)
        for site in ["cross-site", "same-site", "none"] {
            let answer = try jar.send(
                "GET", "/oauth2/logout",
                BrowserFixture.navigation + [Field(name: "Sec-Fetch-Site", value: site), "Sec-Fetch-Dest: document"])
            #expect(answer.status == 200 && answer.text.contains("<form"), "\(site)")
        }
        let prefetch = try jar.send("GET", "/oauth2/logout", Self.ownLink + ["Sec-Purpose: prefetch"])
        #expect(prefetch.text.contains("<form"))
        for place in ["iframe", "image", "empty"] {
            let answer = try jar.send(
                "GET", "/oauth2/logout",
                BrowserFixture.navigation + [
                    "Sec-Fetch-Site: same-origin", Field(name: "Sec-Fetch-Dest", value: place),
                ])
            #expect(answer.status == 403, "\(place)")
        }
        #expect(try jar.send("GET", "/page").status == 200)
        #expect(fixture.upstream.requests("/page").count == 2)
    }

    @Test("a logout that is posted has a page with a button, and no script")
    func posted() throws {
        let provider = try StubProvider()
        let (_, jar) = try logIn(provider, #", "logoutMethod": "post""#)
        let answer = try jar.send("GET", "/oauth2/logout", Self.ownLink)
        #expect(answer.status == 200 && answer.only("Refresh") == nil)
        #expect(
            answer.text.contains(#"<form method="post" action="\#(provider.server.url)/logout">"#), "\(answer.text)")
        #expect(!answer.text.contains("<script"))
        for name in ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"] {
            #expect(answer.text.contains(#"name="\#(name)""#))
        }
        let policy = try #require(answer.only("Content-Security-Policy"))
        #expect(policy.contains("form-action 'self' https: \(provider.server.url);"), "\(policy)")
    }

    @Test("a provider's page in a frame ends the session that it names, and no other")
    func frame() throws {
        let provider = try StubProvider()
        provider.state.withLock { $0.claims = #", "sid": "s-1""# }
        let (fixture, jar) = try logIn(provider)
        func notice(_ query: String) throws -> Int {
            try fixture.request("GET", "/oauth2/frontchannel-logout/outside\(query)").status
        }
        let issuer = provider.server.url
        #expect(try notice("") == 400)
        #expect(try notice("?iss=\(issuer)") == 400)
        #expect(try notice("?iss=\(issuer)&sid=") == 400)
        #expect(try notice("?iss=https://other.example&sid=s-1") == 400)
        #expect(try notice("?iss=\(issuer)&sid=s-1&sid=s-1") == 400)
        #expect(try fixture.request("GET", "/oauth2/frontchannel-logout/other?iss=\(issuer)&sid=s-1").status == 404)
        #expect(try notice("?iss=\(issuer)&sid=s-2") == 200)
        #expect(try jar.send("GET", "/page").status == 200)
        #expect(try notice("?iss=\(issuer)&sid=s-1") == 200)
        #expect(try jar.send("GET", "/page").status == 302)
    }
}
