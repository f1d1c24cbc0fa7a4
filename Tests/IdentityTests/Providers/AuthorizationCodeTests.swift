import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// The authorization code flow as far as it goes well (RFC 6749 section 4.1, RFC 7636, OpenID Connect Core section 3.1).
@Suite struct AuthorizationCodeTests {
    private static func start(_ provider: AuthorizationCodeProvider, forcesLogin: Bool = false) throws -> [String:
        String]
    {
        let start = LoginStart(
            state: "st", secrets: FakeProvider.secrets, redirectURI: FakeProvider.redirect, forcesLogin: forcesLogin)
        let location = try provider.begin(start, now: FakeProvider.now).settled().get().location
        let parts = location.split(separator: "?", maxSplits: 1).map(String.init)
        var fields = ["": parts[0]]
        for pair in parts[1].split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            #expect(fields.updateValue(halves.count > 1 ? halves[1] : "", forKey: halves[0]) == nil, "\(location)")
        }
        return fields
    }

    @Test("RFC 7636 appendix B: the challenge follows from the verifier")
    func challenge() {
        #expect(FakeProvider.secrets.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let (one, other) = (LoginSecrets(), LoginSecrets())
        #expect(one.verifier.utf8.count == 43 && one.verifier != other.verifier && one.nonce != other.nonce)
    }

    @Test("the authorization request has all fields and keeps the endpoint's query")
    func request() throws {
        let provider = try FakeProvider().provider { $0.flow.parameters = [("resource", "https://api/x")] }
        let fields = try Self.start(provider)
        #expect(
            fields == [
                "": "https://idp.example/authorize", "tenant": "a", "response_type": "code", "client_id": "gateway",
                "redirect_uri": "https%3A%2F%2Fgw.example%2Foauth2%2Fcallback%2Fidp", "state": "st",
                "code_challenge": FakeProvider.secrets.challenge, "code_challenge_method": "S256",
                "scope": "openid%20email", "nonce": FakeProvider.secrets.nonce, "resource": "https%3A%2F%2Fapi%2Fx",
            ])
        #expect(try Self.start(provider, forcesLogin: true)["prompt"] == "login")
    }

    @Test("an ID token may be encrypted to the gateway, and counts for its signature alone")
    func encrypted() throws {
        let key = SigningKey.generate(.es256)
        let sealer = TokenSealer(key, curve: .p256)
        let keys = [DecryptionKey(keyID: nil, key: try RecipientKey(pem: key.pem))]
        func finish(
            _ token: String, _ keys: [DecryptionKey]
        ) throws -> Result<ProvidedIdentity, ProviderFailure> {
            let idp = FakeProvider { $0.idToken = token }
            return try FakeProvider.finish(idp.provider { $0.decryption.keys = keys })
        }
        let sealed = try sealer.seal(FakeProvider.token([]))
        #expect(try finish(sealed, keys).get().subject == "248289")
        #expect(try finish(sealed, []).error == .token(.encrypted))
        #expect(try finish(sealer.seal(FakeProvider.token([("nonce", .text("x"))])), keys).error == .wrongNonce)
        #expect(try finish(sealer.seal(#"{"sub":"248289"}"#), keys).error == .token(.unsigned))
        let stranger = TokenSealer(SigningKey.generate(.es256), curve: .p256)
        #expect(try finish(stranger.seal(FakeProvider.token([])), keys).error == .token(.undecryptable))
    }

    @Test("a code is redeemed with verifier and secret for a user with all claims")
    func login() throws {
        let idp = FakeProvider { $0.claims = [("sid", .text("s-9")), ("groups", .list("a", "b"))] }
        let identity = try FakeProvider.finish(idp.provider()).get()
        #expect(identity.provider == "idp" && identity.subject == "248289" && identity.sessionID == "s-9")
        #expect(identity.accessToken == "at-1" && identity.claims["groups"]?.array?.count == 2)
        let call = try #require(idp.calls(to: "/token").first)
        #expect(call.method == "POST" && !call.mayRepeat)
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == "grant_type=authorization_code&code=c-1&redirect_uri=https%3A%2F%2Fgw.example%2Foauth2"
                + "%2Fcallback%2Fidp&code_verifier=\(FakeProvider.secrets.verifier)")
        #expect(call.headers.contains { $0 == ("Authorization", "Basic Z2F0ZXdheTpzM2NyZXQ=") })
        // Nothing was missing, so that no further request was made.
        #expect(idp.calls(to: "/userinfo").isEmpty)
        // The document is asked for by the flow and by the keys, the keys once.
        #expect(idp.calls(to: "/keys").count == 1)
        _ = try FakeProvider.finish(idp.provider()).get()
    }

    @Test("additional wanted claims are requested, and do not change the provider's rules")
    func wantedClaims() throws {
        let idp = FakeProvider()
        let provider = try idp.provider { $0.wantedClaims = ["email"] }
        let identity = try FakeProvider.finish(provider).get()
        #expect(idp.calls(to: "/userinfo").count == 1)
        #expect(identity.claims["email"]?.string == "ann@example.com")
        #expect(try provider.rules.username(identity) == "248289")
        idp.change { $0.claims = [("email", .text("ann@example.com"))] }
        _ = try FakeProvider.finish(provider).get()
        #expect(idp.calls(to: "/userinfo").count == 1, "the ID token has it")
    }

    @Test("clients authenticate by a secret in the form, without one, or by a signed assertion")
    func clientAuthentication() throws {
        func body(_ authentication: OAuth2Client.Authentication) throws -> (String, Bool) {
            let idp = FakeProvider()
            let provider = try idp.provider { $0.client = OAuth2Client(id: "gateway", authentication: authentication) }
            _ = try FakeProvider.finish(provider).get()
            let call = try #require(idp.calls(to: "/token").first)
            return (String(decoding: call.body, as: UTF8.self), call.headers.contains { $0.name == "Authorization" })
        }
        #expect(try body(.secretPost("s3")).0.hasSuffix("&client_id=gateway&client_secret=s3"))
        #expect(try body(.none).0.hasSuffix("&client_id=gateway"))
        let signer = try #require(KeyFixture.signers["b"])
        let (text, hasField) = try body(.privateKeyJWT(signer))
        #expect(!hasField)
        let assertion = try #require(text.split(separator: "&").first { $0.hasPrefix("client_assertion=") }).dropFirst(
            17)
        let verifier = JWTVerifier(issuers: [
            TrustedIssuer(
                name: "client", issuer: "gateway", audiences: ["https://idp.example/token"], keys: KeyFixture.set("b"))
        ])
        guard case .verified(let claims) = verifier.verify(Array(assertion.utf8).span, now: 0 + FakeProvider.now) else {
            Issue.record("\(assertion)")
            return
        }
        #expect(claims.subject == "gateway" && claims.tokenID?.isEmpty == false)
    }

    @Test(
        "a secret goes where the server's metadata want it, unless the configuration says how",
        arguments: [
            (nil, "Basic"), (#"["client_secret_basic","client_secret_post"]"#, "Basic"),
            (#"["client_secret_post"]"#, "form"), (#"["client_secret_post","private_key_jwt"]"#, "form"),
            (#"["private_key_jwt"]"#, "Basic"), (#"[]"#, "Basic"), (#""client_secret_post""#, "Basic"),
            ("[1]", "Basic"),
        ] as [(String?, String)])
    func methods(_ methods: String?, _ place: String) throws {
        let idp = FakeProvider { script in
            guard let methods else { return }
            script.discovery = script.discovery.replacing(
                #""jwks_uri""#, with: #""token_endpoint_auth_methods_supported":\#(methods),"jwks_uri""#)
        }
        func sent(_ authentication: OAuth2Client.Authentication) throws -> String {
            let before = idp.calls(to: "/token").count
            let provider = try idp.provider { $0.client = OAuth2Client(id: "gateway", authentication: authentication) }
            _ = try FakeProvider.finish(provider).get()
            let call = try #require(idp.calls(to: "/token").dropFirst(before).first)
            let isForm = String(decoding: call.body, as: UTF8.self).contains("client_secret=s3")
            #expect(isForm != call.headers.contains { $0.name == "Authorization" })
            return isForm ? "form" : "Basic"
        }
        #expect(try sent(.secret("s3")) == place)
        #expect(try sent(.secretBasic("s3")) == "Basic")
        #expect(try sent(.secretPost("s3")) == "form")
    }

    @Test("endpoints of the configuration replace those of the document, also missing and unusable ones")
    func namedEndpoints() throws {
        for path in ["authorize?tenant=a", "token", "userinfo"] {
            let idp = FakeProvider { script in
                script.discovery = script.discovery.replacing(
                    "https://idp.example/\(path)", with: "http://in.the.clear/")
            }
            let provider = try idp.provider {
                $0.endpoints.authorization = try? WebURL("https://public.example/authorize")
                $0.endpoints.token = try? WebURL("https://internal.example/token")
                $0.endpoints.userInfo = try? WebURL("https://internal.example/userinfo")
                $0.flow.userInfo = .always
            }
            #expect(try Self.start(provider)[""] == "https://public.example/authorize")
            _ = try FakeProvider.finish(provider).get()
            for path in ["/token", "/userinfo"] {
                #expect(idp.calls(to: path).map { "\($0.url)" } == ["https://internal.example\(path)"])
            }
        }
        // A client assertion is for the server by its own name, since the address is another.
        let signer = try #require(KeyFixture.signers["b"])
        let idp = FakeProvider()
        let provider = try idp.provider {
            $0.client = OAuth2Client(id: "gateway", authentication: .privateKeyJWT(signer))
            $0.endpoints.token = try? WebURL("https://internal.example/token")
        }
        _ = try FakeProvider.finish(provider).get()
        let body = String(decoding: try #require(idp.calls(to: "/token").first).body, as: UTF8.self)
        let assertion = try #require(body.split(separator: "&").first { $0.hasPrefix("client_assertion=") })
        let claims = Base64.decode(Array(assertion.split(separator: ".")[1].utf8).span, .url) ?? []
        #expect(String(decoding: claims, as: UTF8.self).contains(#""aud":"https://idp.example""#))
    }

    @Test("RFC 8705 section 5: a client with a certificate calls the endpoints for it", arguments: [true, false])
    func certificate(_ hasCertificate: Bool) throws {
        let fake = FakeProvider { script in
            script.discovery = script.discovery.replacing(
                #""jwks_uri""#,
                with: #""mtls_endpoint_aliases":{"token_endpoint":"https://mtls.idp.example:8443/token","#
                    + #""userinfo_endpoint":"https://mtls.idp.example:8443/userinfo"},"jwks_uri""#)
        }
        let key = SigningKey.generate(.es256)
        for authentication in [OAuth2Client.Authentication.certificate, .privateKeyJWT(JWTSigner(key: key))] {
            let before = fake.calls.count
            let provider = try fake.provider {
                $0.client = OAuth2Client(id: FakeProvider.clientID, authentication: authentication)
                $0.transport.hasCertificate = hasCertificate
                $0.flow.userInfo = .always
            }
            #expect(FakeProvider.finish(provider).value?.subject == "248289")
            let calls = fake.calls[before...]
            let host = hasCertificate ? "https://mtls.idp.example:8443" : "https://idp.example"
            for path in ["/token", "/userinfo"] {
                #expect(calls.filter { $0.url.target == path }.map(\.url.description) == [host + path])
            }
            let form = String(decoding: try #require(calls.first { $0.url.target == "/token" }).body, as: UTF8.self)
            #expect(form.contains("client_id=gateway"))
            guard let assertion = form.firstMatch(of: /client_assertion=([^&]+)/) else { continue }
            // The alias is a place, not a name.
            let audience = hasCertificate ? FakeProvider.issuer : "https://idp.example/token"
            let trust = TrustedIssuer(
                name: "c", issuer: FakeProvider.clientID, audiences: [audience],
                keys: KeySet(keys: [JSONWebKey(key, kid: JWTSigner(key: key).keyID)]))
            let outcome = JWTVerifier(issuers: [trust]).verify(Array(assertion.1.utf8).span, now: FakeProvider.now)
            guard case .verified = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test("an alias without TLS is refused before anything is sent to it")
    func aliasInClear() throws {
        let fake = FakeProvider { script in
            script.discovery = script.discovery.replacing(
                #""jwks_uri""#,
                with: #""mtls_endpoint_aliases":{"token_endpoint":"http://idp.example/token"},"jwks_uri""#)
        }
        let provider = try fake.provider { $0.transport.hasCertificate = true }
        #expect(FakeProvider.finish(provider).error?.detail == "discovery: token_endpoint")
        #expect(fake.calls(to: "/token").isEmpty)
    }

    @Test("a slow signature is made on the computing pool")
    func slowSignature() throws {
        let signer = JWTSigner(key: SigningKey.generate(.rs256))
        let provider = try FakeProvider().provider {
            $0.client = OAuth2Client(id: "gateway", authentication: .privateKeyJWT(signer))
        }
        // The document comes first.
        _ = Self.settledStart(provider)
        let effect = provider.finish(
            ProviderCallback(code: "c", error: nil, issuer: nil), FakeProvider.secrets,
            redirectURI: FakeProvider.redirect, now: FakeProvider.now)
        guard case .offload = effect else {
            Issue.record("\(effect)")
            return
        }
    }

    private static func settledStart(_ provider: AuthorizationCodeProvider) -> Bool {
        (try? start(provider)) != nil
    }

    @Test("userinfo adds missing claims, and does not change signed ones")
    func userInfo() throws {
        let idp = FakeProvider {
            $0.claims = [("email", .text("signed@example.com"))]
            $0.userInfo = FakeProvider.json(#"{"sub":"248289","email":"other@example.com","phone":"1"}"#)
        }
        let identity = try FakeProvider.finish(idp.provider { $0.flow.userInfo = .always }).get()
        #expect(identity.claims["email"]?.string == "signed@example.com")
        #expect(identity.claims["phone"]?.string == "1")
        #expect(idp.calls(to: "/userinfo")[0].headers.contains { $0 == ("Authorization", "Bearer at-1") })
        // Asked where the rules look for a claim that is not there.
        let wanting = FakeProvider()
        let found = try FakeProvider.finish(
            wanting.provider { $0.rules.identity.usernameSources = ["email"] }
        ).get()
        #expect(found.claims["email"]?.string == "ann@example.com" && wanting.calls(to: "/userinfo").count == 1)
        let never = FakeProvider()
        _ = try FakeProvider.finish(
            never.provider {
                $0.rules.identity.usernameSources = ["email"]
                $0.flow.userInfo = .never
            })
        #expect(never.calls(to: "/userinfo").isEmpty)
    }

    @Test("a rotated key is fetched, and at_hash matches the access token")
    func rotation() throws {
        let digest = DigestAlgorithm.sha256.digest(Array("at-1".utf8).span)
        let hash = String(decoding: Base64.encode(Array(digest[..<16]).span, .url), as: UTF8.self)
        let idp = FakeProvider {
            $0.keys = KeyFixture.jwks("a", "c")
            $0.signer = "c"
            $0.claims = [("at_hash", .text(hash))]
        }
        #expect(try FakeProvider.finish(idp.provider()).get().subject == "248289")
    }

    @Test("with plain OAuth 2, the user info endpoint's string or number identifies the user")
    func plain() throws {
        let idp = FakeProvider {
            $0.idToken = ""
            $0.userInfo = FakeProvider.json(#"{"id":583231,"login":"octocat","sub":"somebody else"}"#)
        }
        func provider(_ attribute: String) throws -> AuthorizationCodeProvider {
            try idp.provider {
                $0.flow.subjectAttribute = attribute
                $0.place = .plain(
                    authorization: try! WebURL("https://idp.example/authorize"),
                    token: try! WebURL("https://idp.example/token"),
                    userInfo: try! WebURL("https://idp.example/userinfo"))
            }
        }
        let identity = try FakeProvider.finish(provider("id")).get()
        #expect(identity.subject == "583231" && identity.claims["sub"]?.string == "583231")
        #expect(identity.claims["login"]?.string == "octocat" && identity.sessionID == nil)
        #expect(try Self.start(provider("id"))["nonce"] == nil)
        // A provider that lacks it says nothing of the user.
        #expect(try FakeProvider.finish(provider("uid")).error == .answer("userinfo: uid"))
        let request = ProviderLogoutRequest(back: "https://gw", tokens: nil)
        #expect(try provider("id").logout(request, now: FakeProvider.now).settled() == nil)
    }

    @Test("logout goes to the provider with what it needs to know the session, unless switched off")
    func logout() throws {
        let provider = try FakeProvider().provider { $0.kept.idToken = true }
        let place =
            "https://idp.example/logout?client_id=gateway&post_logout_redirect_uri=https%3A%2F%2Fgw.example%2Fout"
        func form(
            _ provider: AuthorizationCodeProvider, _ tokens: ProvidedTokens? = nil, state: String? = nil
        ) -> ProviderLogoutForm? {
            provider.logout(
                ProviderLogoutRequest(back: "https://gw.example/out", state: state, tokens: tokens),
                now: FakeProvider.now
            ).settled()
        }
        #expect(try form(provider) == .redirect(WebURL(place)))
        let tokens = try #require(FakeProvider.finish(provider).get().tokens)
        #expect(tokens.access == nil && tokens.refresh == nil)
        let hint = try #require(tokens.idToken)
        #expect(try form(provider, tokens, state: "s") == .redirect(WebURL("\(place)&state=s&id_token_hint=\(hint)")))
        // A long one, or by choice, is posted.
        let long = form(provider, tokens, state: String(repeating: "s", count: 2048))
        guard case .post(let url, let fields) = long else {
            Issue.record("\(String(describing: long))")
            return
        }
        #expect(url.description == "https://idp.example/logout")
        #expect(fields.map(\.name) == ["client_id", "post_logout_redirect_uri", "state", "id_token_hint"])
        let posting = try FakeProvider().provider { $0.flow.logoutMethod = .post }
        let posted = form(posting)
        if case .post? = posted {} else { Issue.record("\(String(describing: posted))") }
        // The token of a provider that had the name before stays here.
        let other = try FakeProvider().provider { $0.client = OAuth2Client(id: "other", authentication: .none) }
        #expect(form(other, tokens).map { "\($0)".contains("id_token_hint") } == false)
        let silent = try FakeProvider().provider { $0.flow.logsOutThere = false }
        #expect(form(silent) == nil)
    }

    @Test("the document is fetched once for all waiters; a failed fetch is retried by the next")
    func singleFlight() throws {
        let caller = ScriptedCaller()
        let url = try WebURL("https://idp.example/.well-known/openid-configuration")
        let metadata = ServerMetadata(at: url, issuer: FakeProvider.issuer, OutboundTransport(), caller: caller)
        let told = Mutex<[Bool]>([])
        func ask() {
            guard case .await(let begin) = metadata.document(now: 0) else { return }
            begin { effect in
                guard case .done(let result) = effect else { return }
                told.withLock { $0.append(result.value != nil) }
            }
        }
        for _ in 0..<3 { ask() }
        #expect(caller.calls == 1 && told.withLock { $0.isEmpty })
        caller.answer(.failed(.connect))
        #expect(told.withLock { $0 } == [false, false, false])
        ask()
        caller.answer(Array(FakeProvider.Script().discovery.utf8))
        #expect(told.withLock { $0 } == [false, false, false, true] && caller.calls == 2)
        ask()
        #expect(caller.calls == 2, "known for an hour")
    }
}
