import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TestSupport
import Testing

@Suite struct GrantTests {
    let service = Service.service()

    @Test("OAUTH-01, OAUTH-02, ISS-02: client credentials yield five members and a token without a user")
    func clientCredentials() throws {
        let response = service.answer(tokenRequest("grant_type=client_credentials"))
        #expect(response.status == 200)
        #expect(
            response.names == [
                "access_token", "expires_in", "oracle_client_assertion_type", "oracle_tk_context", "token_type",
            ])
        #expect(response.json?["expires_in"]?.integer == 604_800)
        #expect(response.json?["token_type"]?.string == "Bearer")
        #expect(response.json?["oracle_tk_context"]?.string == "client_assertion")
        #expect(
            response.json?["oracle_client_assertion_type"]?.string
                == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let claims = try response.claims()
        #expect(claims.kind == .client)
        #expect(claims.subject == "inv-client")
        #expect(claims.roles.isEmpty)
        #expect(claims.backendID == "mbe-inv-1")
        #expect(claims.backendName == "inventory")
        #expect(claims.backendVersion == "1.0")
        #expect(claims.expiresAt - claims.issuedAt == 604_800)
        #expect(claims.issuedAt == Service.now)
    }

    @Test("OMS-16: ids do not begin with a dash, so that they are not taken for options")
    func idsBeginWithNoDash() {
        for _ in 0..<2000 { #expect(!AccessTokenMinter.randomID().hasPrefix("-")) }
    }

    @Test("OAUTH-03, OAUTH-04, OAUTH-05, ROLE-04: the password grant yields a user's token")
    func password() throws {
        let response = service.answer(tokenRequest("grant_type=password&username=joe&password=Welcome1"))
        #expect(response.status == 200)
        #expect(response.names == ["access_token", "expires_in", "oracle_tk_context", "token_type"])
        #expect(response.json?["oracle_tk_context"]?.string == "user_assertion")
        let claims = try response.claims()
        #expect(claims.kind == .user)
        #expect(claims.subject == "joe")
        #expect(claims.roles == ["Manager"])
        #expect(claims.level == 2)
        #expect(!claims.virtual)
        #expect(claims.expiresAt - claims.issuedAt == response.json?["expires_in"]?.integer)
    }

    @Test(
        "OAUTH-03: percent and plus are decoded",
        arguments: [
            ("odd", "a%2Bb%26c%3D%25"), ("j%C3%BCrgen", "Gr%C3%BC%C3%9Fe"), ("j%c3%bcrgen", "Gr%c3%bc%c3%9fe"),
        ])
    func encodedPassword(_ name: String, _ password: String) {
        #expect(service.answer(tokenRequest("grant_type=password&username=\(name)&password=\(password)")).status == 200)
    }

    @Test("GW-02: the slow password hash is computed off the event loop")
    func passwordIsCheckedOffTheLoop() {
        let request = tokenRequest("grant_type=password&username=joe&password=Welcome1")
        guard case .hash = service.handle(request, endpoint: .token, now: Service.now) else {
            Issue.record("the password is checked on the loop")
            return
        }
    }

    @Test("guesses use up a user's attempts, after which the right password is not checked either")
    func guessersAreHeldBack() {
        let service = Service.service()
        func grant(_ name: String, _ password: String) -> EndpointResponse {
            service.answer(tokenRequest("grant_type=password&username=\(name)&password=\(password)"))
        }
        for _ in 0..<10 { #expect(grant("joe", "guess").reasonText == "invalid_grant") }
        let refused = grant("joe", "Welcome1")
        #expect(refused.status == 429)
        #expect(refused.reasonText == "login_throttled")
        #expect(refused.values("Retry-After") == ["30"])
        #expect(refused.audit?.outcome == .refused)
        for _ in 0..<10 { #expect(grant("nobody", "guess").reasonText == "invalid_grant") }
        let stranger = grant("nobody", "guess")
        #expect(stranger.body == refused.body, "whether there is such a user shows nowhere")
        #expect(grant("ann", "Welcome2").status == 200)
    }

    @Test(
        "only slow signatures are made off the event loop",
        arguments: [SignatureAlgorithm.es256, .edDSA, .hs256, .rs256])
    func slowSignaturesAloneAreMadeOffTheLoop(_ algorithm: SignatureAlgorithm) throws {
        let key = SigningKey.generate(algorithm)
        let service = TokenService(settings: Service.settings(key))
        let request = tokenRequest("grant_type=client_credentials")
        let offloaded = if case .offload = service.handle(request, endpoint: .token, now: 0) { true } else { false }
        #expect(offloaded == (algorithm == .rs256))
        #expect(try service.answer(request).claims(key).subject == "inv-client")
    }

    @Test(
        "MBE-09, MBE-11: every failed login has the same answer",
        arguments: [
            ("joe", "wrong"), ("joe", "welcome1"), ("nobody", "Welcome1"), ("off", "Welcome4"), ("sso1", "Welcome1"),
            ("JOE", "Welcome1"),
        ])
    func wrongPasswordIsInvalidGrant(_ name: String, _ password: String) {
        let response = service.answer(tokenRequest("grant_type=password&username=\(name)&password=\(password)"))
        #expect(response.status == 400)
        #expect(response.error == "invalid_grant")
        #expect(response.body == TokenFailure.invalidGrant.response.body)
    }

    @Test("MBE-09: a user of another realm is refused")
    func userOfAnotherRealmIsInvalidGrant() {
        let response = service.answer(
            tokenRequest("grant_type=password&username=joe&password=Welcome1", basic("oth-client", "oth-secret")))
        #expect(response.status == 400)
        #expect(response.error == "invalid_grant")
    }

    @Test("lifetimes are configurable")
    func lifetimesAreConfigurable() throws {
        let service = Service.service {
            $0.terms.clientSeconds = 60
            $0.terms.userSeconds = 90
        }
        let client = service.answer(tokenRequest("grant_type=client_credentials"))
        let user = service.answer(tokenRequest("grant_type=password&username=joe&password=Welcome1"))
        #expect(client.json?["expires_in"]?.integer == 60)
        #expect(user.json?["expires_in"]?.integer == 90)
        #expect(try client.claims().expiresAt == Service.now + 60)
        #expect(try user.claims().expiresAt == Service.now + 90)
    }

    @Test("token ids differ")
    func tokenIDsDiffer() throws {
        let ids = try (0..<20).map { _ in
            try service.answer(tokenRequest("grant_type=client_credentials")).claims().tokenID
        }
        #expect(Set(ids).count == 20)
        // 128 bits in base64url.
        #expect(ids.allSatisfy { $0.utf8.count == 22 })
    }

    @Test("RFC 6749 section 5.2: an unknown scope is refused by every grant, also where no scopes are configured")
    func scopeWithoutConfiguration() throws {
        let standards = Standards()
        let login = standards.login()
        #expect(login.status == 200 && login.json?["scope"] == nil)
        let exchange =
            "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=\(login.accessToken ?? "")"
            + "&subject_token_type=urn:ietf:params:oauth:token-type:access_token"
        let answers = [
            standards.grant("grant_type=client_credentials&scope=admin+read"), standards.login("&scope=admin"),
            standards.refresh(login.refreshToken, "&scope=admin"), standards.grant(exchange + "&scope=read"),
        ]
        for answer in answers {
            #expect(answer.status == 400 && answer.error == "invalid_scope" && answer.reason == .invalidScope)
        }
        #expect(answers[0].evidence.text == #"scope "admin read", of the client none"#)
        #expect(standards.grant(exchange).status == 200 && standards.refresh(login.refreshToken).status == 200)
    }

    @Test(
        "OAUTH-03: the scope is echoed only if it differs from the request",
        arguments: [("read", "read", nil), ("read+write", "read write", nil), ("read+admin", "read", "read")]
            as [(String, String, String?)])
    func configuredScopes(requested: String, granted: String, echoed: String?) throws {
        let service = Service.service { $0.terms.scopes = ["read", "write"] }
        for grant in ["client_credentials", "password&username=joe&password=Welcome1"] {
            let response = service.answer(tokenRequest("grant_type=\(grant)&scope=\(requested)"))
            #expect(response.json?["scope"]?.string == echoed)
            #expect(try response.claims().scope == granted)
        }
    }

    @Test(
        "a scope that cannot be granted is refused",
        arguments: ["admin", "read++write", "+read", "a%22b", "a%5Cb", "%C3%A9"])
    func scopeThatCannotBeGranted(_ scope: String) {
        let service = Service.service { $0.terms.scopes = ["read", "write"] }
        let response = service.answer(tokenRequest("grant_type=client_credentials&scope=\(scope)"))
        #expect(response.status == 400)
        #expect(response.error == "invalid_scope")
    }

    @Test("OAUTH-07: responses contain nothing of the request's secrets")
    func repliesHoldNoSecret() {
        for body in [
            "grant_type=password&username=joe&password=Welcome1", "grant_type=password&username=joe&password=Xy",
        ] {
            let text = String(decoding: service.answer(tokenRequest(body)).body, as: UTF8.self)
            for secret in ["Welcome1", "inv-secret", "Xy\""] { #expect(!text.contains(secret)) }
        }
    }
}
