import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Tokens of an identity provider that a logout here revokes there (RFC 7009).
@Suite struct ProviderRevocationTests {
    /// An OpenID Connect provider that takes tokens back as a test wants it.
    private final class Provider: Sendable {
        let server: StubUpstream
        let nonce = Monitor("")

        /// - Parameters:
        ///   - tokens: members of the token answer beside the ID token.
        ///   - metadata: members of the discovery document beside the usual ones.
        init(
            tokens: String = #""access_token": "at-1", "refresh_token": "rt-1""#, metadata: String? = nil,
            _ revocation: @escaping StubUpstream.Script = { _ in [.reply()] }
        ) throws {
            let server = try StubUpstream()
            self.server = server
            let (url, nonce) = (server.url, nonce)
            let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
            let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
            let more = metadata ?? #""revocation_endpoint": "\#(url)/revoke""#
            server.on("/.well-known/openid-configuration") { _ in
                [
                    .reply(
                        body: """
                            {"issuer": "\(url)", "jwks_uri": "\(url)/keys", "authorization_endpoint": "\(url)/authorize",
                             "token_endpoint": "\(url)/token", \(more)}
                            """)
                ]
            }
            server.on("/keys") { _ in [.reply(body: keys)] }
            server.on("/token") { _ in
                let now = Int(Date().timeIntervalSince1970)
                let claims = """
                    {"iss": "\(url)", "aud": "gateway", "sub": "ann", "iat": \(now), "exp": \(now + 60),
                     "nonce": "\(nonce.current)"}
                    """
                let token = String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self)
                let body = #"{\#(tokens), "token_type": "Bearer", "id_token": "\#(token)"}"#
                return [.reply("200 OK", ["Content-Type: application/json"], body: body)]
            }
            server.on("/revoke", revocation)
        }
    }

    private func gateway(
        _ provider: Provider, _ entry: String = #", "revokeAtLogout": true"#,
        client: String = #""clientSecret": "s""#
    ) throws -> Fixture {
        let own = #""issuer": "\#(provider.server.url)", "allowHttp": true, "clientId": "gateway", \#(client)"#
        return try LoginProvider.gateway(own + entry) {
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            $0["routes"] = FixtureSettings.list([#"{"path": "/page", "upstream": "stub", "login": "outside"}"#])
        }
    }

    private func logIn(_ jar: CookieJar, _ provider: Provider) throws {
        let sent = try jar.send("GET", "/page")
        let asked = try jar.send("GET", try #require(sent.only("Location"), "\(sent.status) \(sent.text)"))
        let location = try #require(asked.only("Location"), "\(asked.status) \(asked.text)")
        let items = URLComponents(string: location)?.queryItems ?? []
        provider.nonce.withLock { $0 = items.first { $0.name == "nonce" }?.value ?? "" }
        let state = try #require(items.first { $0.name == "state" }?.value)
        #expect(try jar.send("GET", "/oauth2/callback/outside?code=c&state=\(state)").status == 303)
        #expect(try jar.send("GET", "/page").status == 200)
    }

    /// The logout succeeds even where the provider fails.
    private func logOut(_ jar: CookieJar) throws {
        let page = try jar.send("GET", "/oauth2/logout")
        let done = try jar.fill(page, "/oauth2/logout", "")
        #expect(done.status == 200 || done.status == 303, "\(done.status) \(done.text)")
        #expect(try jar.send("GET", "/page").status == 302)
    }

    @Test("a logout revokes the refresh token, or the access token without one; other providers keep none")
    func revoked() throws {
        let expected = [
            (#""access_token": "at-1", "refresh_token": "rt-1""#, "token=rt-1&token_type_hint=refresh_token"),
            (#""access_token": "at-1""#, "token=at-1&token_type_hint=access_token"),
        ]
        for (tokens, form) in expected {
            let provider = try Provider(tokens: tokens)
            let fixture = try gateway(provider)
            let jar = CookieJar(fixture.gateway)
            try logIn(jar, provider)
            #expect(provider.server.requests("/revoke").isEmpty)
            try logOut(jar)
            let asked = try #require(provider.server.waitForRequests(1, "/revoke").first)
            #expect(
                asked.method == "POST" && asked.only("Authorization") == "Basic \(JSONWebToken.base64("gateway:s"))")
            #expect(String(decoding: asked.body, as: UTF8.self) == form)
            #expect(fixture.gateway.waitForEvent("provider_token_revoked")?["provider"].string == "outside")
            let written = fixture.gateway.everythingWritten
            #expect(!written.contains("rt-1") && !written.contains("at-1"))
        }
        let provider = try Provider()
        let fixture = try gateway(provider, "")
        let jar = CookieJar(fixture.gateway)
        try logIn(jar, provider)
        try logOut(jar)
        #expect(provider.server.requests("/revoke").isEmpty)
    }

    @Test("an RSA assertion authenticates the call, for the token endpoint")
    func assertion() throws {
        let provider = try Provider()
        let fixture = try gateway(
            provider, client: #""clientKeyFile": "client.pem", "clientKeyAlgorithm": "PS256""#)
        let jar = CookieJar(fixture.gateway)
        try logIn(jar, provider)
        try logOut(jar)
        let asked = try #require(provider.server.waitForRequests(1, "/revoke").first)
        let form = String(decoding: asked.body, as: UTF8.self)
        let claims = JSONWebToken(String(try #require(form.firstMatch(of: /client_assertion=([^&]+)/)).1)).claims
        #expect(claims["aud"].string == "\(provider.server.url)/token" && claims["sub"].string == "gateway")
        let login = try #require(provider.server.requests("/token").first)
        let other = try #require(
            String(decoding: login.body, as: UTF8.self).firstMatch(of: /client_assertion=([^&]+)/)
        ).1
        #expect(JSONWebToken(String(other)).claims["jti"].string != claims["jti"].string)
    }

    @Test("a provider that hangs, refuses or has no endpoint neither delays nor fails the logout")
    func troubles() throws {
        let gate = Gate()
        let hanging = try Provider { _ in [.wait(gate), .reply()] }
        let first = try gateway(hanging)
        let jar = CookieJar(first.gateway)
        try logIn(jar, hanging)
        try logOut(jar)
        #expect(hanging.server.waitForRequests(1, "/revoke").count == 1)
        gate.open()
        #expect(first.gateway.waitForEvent("provider_token_revoked") != nil)

        func failure(_ provider: Provider) throws -> String? {
            let fixture = try gateway(provider)
            let jar = CookieJar(fixture.gateway)
            try logIn(jar, provider)
            try logOut(jar)
            let event = try #require(
                fixture.gateway.waitForEvent("provider_revocation_failed"), "\(fixture.gateway.everythingWritten)")
            let counts = try fixture.gateway.metrics()
            #expect(counts.sum("portcullis_provider_revocations_total", ["provider": "outside"]) == 1)
            #expect(counts.sum("portcullis_provider_revocations_total", ["outcome": "revoked"]) ?? 0 == 0)
            return event["detail"].string
        }
        let error = #"{"error": "invalid_client"}"#
        #expect(try failure(Provider { _ in [.reply("401 Unauthorized", body: error)] }) == "invalid_client")
        #expect(try failure(Provider { _ in [.reply("503 Busy", body: "<html>")] }) == "revocation: status 503")
        // A redirect is not followed: the token would go to another host.
        let elsewhere = try StubUpstream()
        let redirecting = try Provider { _ in [.reply("307 Elsewhere", ["Location: \(elsewhere.url)/revoke"])] }
        #expect(try failure(redirecting) == "revocation: status 307")
        #expect(elsewhere.requests.isEmpty)
        #expect(
            try failure(Provider(metadata: #""scopes_supported": []"#)) == "discovery: no revocation_endpoint")
    }
}
