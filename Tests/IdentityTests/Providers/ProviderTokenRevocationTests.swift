import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound
import TestSupport
import Testing

/// RFC 7009, toward a provider.
@Suite struct ProviderTokenRevocationTests {
    private static func fake(_ endpoint: String = "https://idp.example/revoke") -> FakeProvider {
        FakeProvider { script in
            script.discovery = script.discovery.replacing(
                #""jwks_uri""#,
                with: #""revocation_endpoint":"\#(endpoint)","mtls_endpoint_aliases":{"revocation_endpoint":"#
                    + #""https://mtls.idp.example/revoke"},"jwks_uri""#)
            script.results["/revoke"] = .response(OutboundResponse(status: 200))
        }
    }

    private func refreshToken(from origin: String = "gateway https://idp.example") throws -> ProvidedTokens {
        let texts = ["idp", origin, "248289", "at", "", "rt", "", "1800000000", "0", "0"]
        return try #require(ProvidedTokens(texts: texts))
    }

    @Test("the token of a login is the refresh token; only providers that revoke it have one")
    func token() throws {
        let fake = FakeProvider()
        #expect(try FakeProvider.finish(fake.provider()).get().tokens == nil)
        let kept = try FakeProvider.finish(fake.provider { $0.kept.revocable = true }).get().tokens
        #expect(kept?.revocable?.token == "at-1" && kept?.revocable?.hint == "access_token" && kept?.idToken == nil)
        let refresh = try refreshToken()
        #expect(refresh.revocable?.token == "rt" && refresh.revocable?.hint == "refresh_token")
        #expect(ProvidedTokens(texts: refresh.texts) == refresh)
        #expect(ProvidedTokens(texts: []) == nil)
        for place in [0, 4, 7, 8, 9] {
            var texts = refresh.texts
            texts[place] = place == 0 ? "" : "x"
            #expect(ProvidedTokens(texts: texts) == nil)
        }
        // Too long for a record.
        fake.change { $0.accessToken = String(repeating: "x", count: 16_385) }
        #expect(try FakeProvider.finish(fake.provider { $0.kept.revocable = true }).get().tokens?.revocable == nil)
    }

    @Test("a client with a certificate calls the endpoint for it", arguments: [true, false])
    func endpoint(_ hasCertificate: Bool) throws {
        let fake = Self.fake()
        let provider = try fake.provider {
            $0.client = OAuth2Client(id: FakeProvider.clientID, authentication: .certificate)
            $0.transport.hasCertificate = hasCertificate
        }
        #expect(provider.revoke(try refreshToken(), now: FakeProvider.now).settled() == nil)
        let call = try #require(fake.calls(to: "/revoke").first)
        #expect(
            call.url.description == (hasCertificate ? "https://mtls.idp.example" : "https://idp.example") + "/revoke")
        #expect(
            String(decoding: call.body, as: UTF8.self) == "token=rt&token_type_hint=refresh_token&client_id=gateway")
    }

    @Test("a slow signature is offloaded")
    func slowSignature() throws {
        let fake = Self.fake()
        let key = SigningKey.generate(.rs256)
        let provider = try fake.provider {
            $0.client = OAuth2Client(id: "gateway", authentication: .privateKeyJWT(JWTSigner(key: key)))
        }
        let logout = ProviderLogoutRequest(back: "https://gw.example", tokens: nil)
        _ = provider.logout(logout, now: FakeProvider.now).settled()
        guard case .offload(let work) = provider.revoke(try refreshToken(), now: FakeProvider.now) else {
            Issue.record("it is signed at once")
            return
        }
        #expect(fake.calls(to: "/revoke").isEmpty)
        #expect(work().settled() == nil && fake.calls(to: "/revoke").count == 1)
    }

    @Test("an endpoint without TLS gets no token")
    func endpointInClear() throws {
        let fake = Self.fake("http://idp.example/revoke")
        let provider = try fake.provider()
        let failure = provider.revoke(try refreshToken(), now: FakeProvider.now).settled()
        #expect(failure == .answer("discovery: no revocation_endpoint"))
        #expect(fake.calls(to: "/revoke").isEmpty)
    }

    @Test("a provider that has the name of another one by now does not get that one's token")
    func otherProvider() throws {
        let fake = Self.fake()
        let provider = try fake.provider()
        for origin in ["gateway https://other.example", "other https://idp.example", ""] {
            let token = try refreshToken(from: origin)
            #expect(
                provider.revoke(token, now: FakeProvider.now).settled()
                    == .answer("revocation: the token is of another provider"))
        }
        #expect(fake.calls(to: "/revoke").isEmpty)
    }

    @Test(
        "an endpoint elsewhere gets no assertion for the token endpoint that the provider names",
        arguments: [
            ("https://idp.example/revoke", "https://idp.example/token"),
            ("https://elsewhere.example/revoke", "https://idp.example"),
        ])
    func audience(_ endpoint: String, _ audience: String) throws {
        let fake = Self.fake(endpoint)
        let provider = try fake.provider {
            $0.client = OAuth2Client(
                id: "gateway", authentication: .privateKeyJWT(JWTSigner(key: SigningKey.generate(.es256))))
        }
        #expect(provider.revoke(try refreshToken(), now: FakeProvider.now).settled() == nil)
        let form = String(decoding: try #require(fake.calls(to: "/revoke").first).body, as: UTF8.self)
        let match = try #require(form.firstMatch(of: /client_assertion=[^.]+\.([^.&]+)/))
        let document = Base64.decode(Array(match.1.utf8).span, .url) ?? []
        let claims = try JSONNode.parse(document.span)
        #expect(claims["aud"]?.string == audience)
    }
}
