import Bytes
import Crypto
import Identity
import Issuers
import JOSE
import Model
import Outbound
import TestSupport
import Testing

/// ISS-05: tokens of an authorization server that another party runs.
@Suite struct OAuth2IssuerTests {
    private let now: Int64 = 1_700_000_000

    private func issue(
        _ values: [String: IssuerValue], _ caller: ScriptedCaller, _ request: IssueRequest = BuiltModule.request()
    ) throws -> Result<IssuedToken, IssueFailure> {
        try BuiltModule.make(.oauth2, BuiltModule.oauth2(values), caller).issue(request, now: now).settled()
    }

    private func failure(_ result: OutboundResult, _ values: [String: IssuerValue] = [:]) throws -> IssueFailure? {
        let request = BuiltModule.request(token: "caller's")
        if case .failure(let failure) = try issue(values, ScriptedCaller(result), request) { return failure }
        return nil
    }

    // MARK: Grants

    @Test("the client credentials grant sends scope, audience, resources and parameters")
    func clientCredentials() throws {
        let caller = ScriptedCaller(.token("abc", seconds: 40))
        let token = try issue(
            [
                "scope": .text("read write"), "audience": .text("api"), "resource": .texts(["https://a", "https://b"]),
                "parameters": .map([(name: "tenant", value: "x&y")]),
            ], caller
        ).get()
        #expect(token.text == "abc" && token.issuedAt == now && token.expiresAt == now + 40)
        let call = caller.calls[0]
        #expect(call.method == "POST" && "\(call.url)" == "https://as.example/token")
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == "grant_type=client_credentials&scope=read%20write&audience=api&resource=https%3A%2F%2Fa&resource=https%3A%2F%2Fb&tenant=x%26y"
        )
        // RFC 6749 section 2.3.1: both halves are form-encoded first.
        let pair = Base64.encode(Array("gate%20way:s%3Ae%25c".utf8).span)
        #expect(caller.header("Authorization") == "Basic \(String(decoding: pair, as: UTF8.self))")
    }

    @Test("the password grant uses the service account")
    func serviceAccount() throws {
        let caller = ScriptedCaller(.token("abc"))
        _ = try issue(["grant": .text("password"), "username": .text("svc"), "password": .text("p w")], caller).get()
        let form = try caller.form()
        #expect(form["grant_type"] == "password" && form["username"] == "svc" && form["password"] == "p w")
    }

    @Test("the gateway's assertion identifies the caller", arguments: [SignatureAlgorithm.es256, .rs256])
    func assertionOfTheGateway(_ algorithm: SignatureAlgorithm) throws {
        let key = SigningKey.generate(algorithm)
        let caller = ScriptedCaller(.token("abc"))
        let terms: [String: IssuerValue] = [
            "keyFile": .key(key), "issuer": .text("https://gw"), "audience": .text("https://as"),
            "lifetimeSeconds": .number(30), "claims": .map([(name: "tenant", value: "t1")]),
        ]
        _ = try issue(["grant": .text("jwt-bearer"), "assertion": .object(terms)], caller).get()
        let form = try caller.form()
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let issuer = TrustedIssuer(
            name: "gw", issuer: "https://gw", audiences: ["https://as"],
            keys: KeySet(keys: [JWTSigner(key: key).publishedKey]))
        let assertion = Array(try #require(form["assertion"]).utf8)
        guard case .verified(let token) = JWTVerifier(issuers: [issuer]).verify(assertion.span, now: now) else {
            Issue.record("the assertion is not good")
            return
        }
        #expect(token.claims["sub"]?.string == "joe" && token.claims["tenant"]?.string == "t1")
        #expect(token.claims["exp"]?.integer == now + 30 && token.claims["jti"]?.string != nil)
    }

    @Test("the caller's own token is sent as the assertion")
    func callersOwnTokenAsAssertion() throws {
        let caller = ScriptedCaller(.token("abc"))
        let values: [String: IssuerValue] = [
            "grant": .text("jwt-bearer"), "assertion": .object(["from": .text("caller")]),
        ]
        _ = try issue(values, caller, BuiltModule.request(token: "a.b.c")).get()
        #expect(try caller.form()["assertion"] == "a.b.c")
        #expect(try BuiltModule.make(.oauth2, BuiltModule.oauth2(values)).dependsOnCredential)
    }

    @Test("the caller's token is exchanged for the requested type")
    func tokenExchange() throws {
        let type = "urn:ietf:params:oauth:token-type:jwt"
        let caller = ScriptedCaller(.token("abc", seconds: 60, #", "issued_token_type": "\#(type)""#))
        let values: [String: IssuerValue] = [
            "grant": .text("token-exchange"), "requestedTokenType": .text(type), "audience": .text("billing"),
        ]
        _ = try issue(values, caller, BuiltModule.request(token: "a.b.c")).get()
        let form = try caller.form()
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(form["subject_token"] == "a.b.c" && form["audience"] == "billing")
        #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
        #expect(form["requested_token_type"] == type)
        // RFC 8693 section 2.2.1: another type than was asked for is another token.
        #expect(try failure(.token("abc"), values) == .invalidToken)
    }

    @Test("without a caller's token no call is made")
    func callerWithoutToken() throws {
        let caller = ScriptedCaller(.token("abc"))
        let result = try issue(["grant": .text("token-exchange")], caller)
        #expect(throws: IssueFailure.credentialMissing) { try result.get() }
        // What the gateway keeps of other credentials, such as the digest of a key, is no token to send on.
        for method in [Principal.Method.apiKey, .basic, .certificate, .cookie, .saml] {
            let other = Principal(
                kind: .client, method: method, subject: "app", issuer: "local", backendID: nil, roles: RoleSet(),
                catalogue: Callers.catalogue, level: 2, token: Array("digest".utf8))
            let request = IssueRequest(principal: other, client: nil, webgate: "WG")
            let result = try issue(["grant": .text("token-exchange")], caller, request)
            #expect(throws: IssueFailure.credentialMissing, "\(method)") { try result.get() }
        }
        #expect(caller.calls.isEmpty)
    }

    // MARK: Refresh

    private func old(_ refresh: String = "r1") -> IssuedToken {
        IssuedToken(value: Array("old".utf8), issuedAt: 0, expiresAt: now, refresh: Array(refresh.utf8))
    }

    @Test("the refresh token is tried first")
    func refreshTokenComesFirst() throws {
        let caller = ScriptedCaller(.token("new", seconds: 60, #", "refresh_token": "r2""#))
        let token = try issue([:], caller, BuiltModule.request(previous: old())).get()
        let form = try caller.form()
        #expect(caller.calls.count == 1 && form["grant_type"] == "refresh_token" && form["refresh_token"] == "r1")
        #expect(token.refresh == Array("r2".utf8))
    }

    @Test("RFC 6749 section 6: without a new refresh token the old one is kept")
    func refreshTokenIsKept() throws {
        let token = try issue([:], ScriptedCaller(.token("new")), BuiltModule.request(previous: old())).get()
        #expect(token.refresh == Array("r1".utf8))
    }

    @Test("after a refused refresh token the grant is used")
    func refusedRefreshTokenBeginsAnew() throws {
        let caller = ScriptedCaller(.refusal("invalid_grant"), .token("fresh"))
        let token = try issue([:], caller, BuiltModule.request(previous: old())).get()
        #expect(token.text == "fresh" && token.refresh == nil)
        #expect(try caller.form(1)["grant_type"] == "client_credentials")
    }

    @Test("after an outage during refresh the grant is not used")
    func refreshInAnOutageDoesNotBeginAnew() throws {
        let caller = ScriptedCaller(.failed(.connect))
        let result = try issue([:], caller, BuiltModule.request(previous: old()))
        #expect(throws: IssueFailure.unavailable) { try result.get() }
        #expect(caller.calls.count == 1)
    }

    // MARK: Who the gateway is

    @Test("the secret can be sent in the form")
    func secretInTheForm() throws {
        let caller = ScriptedCaller(.token("abc"))
        _ = try issue(["clientAuthentication": .text("client_secret_post")], caller).get()
        let form = try caller.form()
        #expect(form["client_id"] == "gate way" && form["client_secret"] == "s:e%c")
        #expect(caller.header("Authorization") == nil)
    }

    @Test("the client can authenticate by a signed assertion")
    func signedAssertionOfTheClient() throws {
        let key = SigningKey.generate(.es256)
        let caller = ScriptedCaller(.token("abc"))
        var values = BuiltModule.oauth2([
            "clientAuthentication": .text("private_key_jwt"), "clientKeyFile": .key(key), "clientKeyId": .text("k1"),
        ])
        values["clientSecret"] = nil
        _ = try BuiltModule.make(.oauth2, values, caller).issue(BuiltModule.request(), now: now).settled().get()
        let form = try caller.form()
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let issuer = TrustedIssuer(
            name: "c", issuer: "gate way", audiences: ["https://as.example/token"],
            keys: KeySet(keys: [JSONWebKey(key, kid: "k1")]))
        let assertion = Array(try #require(form["client_assertion"]).utf8)
        guard case .verified(let token) = JWTVerifier(issuers: [issuer]).verify(assertion.span, now: now) else {
            Issue.record("the assertion is not good")
            return
        }
        #expect(token.claims["sub"]?.string == "gate way")
    }

    @Test("public clients and client certificates are supported")
    func publicClientAndCertificate() throws {
        var values = BuiltModule.oauth2()
        values["clientSecret"] = nil
        for (authentication, hasCertificate) in [("none", false), ("tls_client_auth", true)] {
            let caller = ScriptedCaller(.token("abc"))
            values["clientAuthentication"] = .text(authentication)
            let issuer = try BuiltModule.make(.oauth2, values, caller) { $0.hasCertificate = hasCertificate }
            _ = try issuer.issue(BuiltModule.request(), now: now).settled().get()
            #expect(try caller.form()["client_id"] == "gate way" && caller.header("Authorization") == nil)
        }
        let problem = #expect(throws: IssuerProblem.self) { try BuiltModule.make(.oauth2, values) }
        #expect(problem?.pointer == "clientAuthentication")
    }

    // MARK: Discovery

    private let discovered: [String: IssuerValue] = [
        "discovery": BuiltModule.url("https://as.example/.well-known/oauth-authorization-server"),
        "issuer": .text("https://as.example"), "clientId": .text("c"), "clientSecret": .text("s"),
    ]

    private static func document(_ issuer: String, _ endpoint: String = "https://as.example/t") -> OutboundResult {
        .json(#"{"issuer": "\#(issuer)", "token_endpoint": "\#(endpoint)"}"#)
    }

    @Test("the token endpoint is discovered")
    func discovery() throws {
        let caller = ScriptedCaller { call, _ in
            call.method == "GET" ? Self.document("https://as.example") : .token("abc")
        }
        let issuer = try BuiltModule.make(.oauth2, discovered, caller)
        for _ in 0..<3 { _ = try issuer.issue(BuiltModule.request(), now: now).settled().get() }
        #expect(caller.calls.map(\.method) == ["GET", "POST", "POST", "POST"])
        #expect("\(caller.calls[1].url)" == "https://as.example/t")
        _ = try issuer.issue(BuiltModule.request(), now: now + 3600).settled().get()
        #expect(caller.calls.map(\.method).suffix(2) == ["GET", "POST"])
    }

    @Test(
        "RFC 8414 section 3.3: another issuer's metadata is refused, and no secret sent",
        arguments: [
            document("https://as.example/"), document("https://evil.example"),
            document("https://as.example", "http://as.example/t"),
            document("https://as.example", "ftp://x"), .json("[]"), .json("{}"), .json("", status: 404),
        ])
    func foreignDiscoveryIsRefused(_ document: OutboundResult) throws {
        let caller = ScriptedCaller(document)
        let result = try BuiltModule.make(.oauth2, discovered, caller).issue(BuiltModule.request(), now: now).settled()
        #expect(throws: IssueFailure.misconfigured) { try result.get() }
        #expect(caller.calls.count == 1)
    }

    // MARK: Answers

    @Test(
        "RFC 6749 section 5.1: invalid answers are refused",
        arguments: [
            "", "null", "[]", "{", "<html>", #"{"access_token": "t", "token_type": "mac"}"#,
            #"{"access_token": "", "token_type": "Bearer"}"#, #"{"access_token": 5, "token_type": "Bearer"}"#,
            #"{"access_token": "a b", "token_type": "Bearer"}"#,
            #"{"access_token": "a\r\nX: y", "token_type": "Bearer"}"#,
            #"{"access_token": "é", "token_type": "Bearer"}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": -1}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": 1e3}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": "+5"}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": " 5"}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": ""}"#,
            #"{"access_token": "t", "token_type": "Bearer", "expires_in": 99999999999999999999}"#,
            #"{"access_token": "t", "token_type": "Bearer", "refresh_token": ""}"#,
            #"{"access_token": "t", "access_token": "u", "token_type": "Bearer"}"#,
        ])
    func garbage(_ body: String) throws {
        #expect(try failure(.json(body)) == .invalidToken)
    }

    @Test("lifetimes are read, limited and defaulted")
    func lifetimes() throws {
        let bodies: [(String, Int64)] = [
            (#"{"access_token": "t", "token_type": "bearer"}"#, 300),
            (#"{"access_token": "t"}"#, 300),
            (#"{"access_token": "t", "token_type": null, "expires_in": null, "refresh_token": null}"#, 300),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": 3599.9}"#, 3599),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": "3600.0"}"#, 3600),
            // For one request.
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": 0}"#, 1),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": "0"}"#, 1),
            (#"{"access_token": "t", "token_type": "BEARER", "expires_in": 77}"#, 77),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": "77"}"#, 77),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": 9223372036854775807}"#, 315_360_000),
        ]
        for (body, seconds) in bodies {
            #expect(try issue([:], ScriptedCaller(.json(body))).get().expiresAt == now + seconds)
        }
        let token = try issue(["defaultLifetimeSeconds": .number(5)], ScriptedCaller(.json(bodies[0].0))).get()
        #expect(token.expiresAt == now + 5)
    }

    @Test(
        "refusals are 403, 502 or 503 by their cause, never 401 (ISS-03)",
        arguments: [
            ("invalid_grant", IssueFailure.misconfigured, IssueFailure.refused),
            ("unauthorized_client", .misconfigured, .refused), ("access_denied", .misconfigured, .refused),
            ("invalid_client", .misconfigured, .misconfigured), ("invalid_scope", .misconfigured, .misconfigured),
            ("invalid_target", .misconfigured, .misconfigured), ("invalid_request", .misconfigured, .refused),
            ("unsupported_grant_type", .misconfigured, .misconfigured),
            ("temporarily_unavailable", .unavailable, .unavailable),
            ("own_code", .misconfigured, .misconfigured),
        ])
    func refusals(_ code: String, _ ofGateway: IssueFailure, _ ofCaller: IssueFailure) throws {
        for status in [400, 401, 403] {
            #expect(try failure(.refusal(code, status: status)) == ofGateway)
            let exchange: [String: IssuerValue] = ["grant": .text("token-exchange")]
            #expect(try failure(.refusal(code, status: status), exchange) == ofCaller)
        }
    }

    @Test("failed calls are outages")
    func outages() throws {
        for failed in [OutboundFailure.resolve, .connect, .tls, .timeout, .unavailable] {
            #expect(try failure(.failed(failed)) == .unavailable)
        }
        for failed in [OutboundFailure.malformed, .tooLarge] { #expect(try failure(.failed(failed)) == .invalidToken) }
        for status in [429, 500, 502, 503, 504] { #expect(try failure(.json("", status: status)) == .unavailable) }
        for status in [201, 204, 302, 404] { #expect(try failure(.json("", status: status)) == .invalidToken) }
        #expect(try failure(.json("", status: 503, [(name: "retry-after", value: "17")]))?.retryAfterSeconds == 17)
        for odd in ["+5", "0", "-1", "soon", "5.5"] {
            #expect(try failure(.json("", status: 503, [(name: "Retry-After", value: odd)])) == .unavailable)
        }
    }

    @Test("error codes in the log are limited to valid ones")
    func codesForTheLog() throws {
        #expect(try failure(.refusal("invalid_scope"))?.detail == "invalid_scope")
        let long = String(repeating: "x", count: 65)
        for code in [long, "a\\nb", "é"] { #expect(try failure(.refusal(code)) == .invalidToken) }
    }

    // MARK: Settings

    @Test("inconsistent settings are refused")
    func settingsThatMakeNoSense() {
        let cases: [([String: IssuerValue], String)] = [
            (["grant": .text("password")], "username"), (["username": .text("x")], "username"),
            (["grant": .text("jwt-bearer")], "assertion"),
            (["grant": .text("jwt-bearer"), "assertion": .object([:])], "assertion/keyFile"),
            (
                [
                    "grant": .text("jwt-bearer"),
                    "assertion": .object(["from": .text("caller"), "issuer": .text("x")]),
                ], "assertion/issuer"
            ),
            (["clientAuthentication": .text("none")], "clientSecret"),
            (["clientKeyFile": .key(BuiltModule.serviceKey)], "clientKeyFile"),
            (["discovery": BuiltModule.url("https://x/y")], "discovery"), (["issuer": .text("x")], "issuer"),
            (["parameters": .map([(name: "client_id", value: "x")])], "parameters/client_id"),
            (["grant": .text("token-exchange"), "perCaller": .flag(false)], "perCaller"),
        ]
        for (values, pointer) in cases {
            let problem = #expect(throws: IssuerProblem.self) {
                try BuiltModule.make(.oauth2, BuiltModule.oauth2(values))
            }
            #expect(problem?.pointer == pointer, "\(values)")
        }
    }

    @Test("one token of the gateway's account can serve all callers")
    func sharedToken() throws {
        for (perCaller, isShared) in [(true, false), (false, true)] {
            let issuer = try BuiltModule.make(.oauth2, BuiltModule.oauth2(["perCaller": .flag(perCaller)]))
            let target = InjectionTarget(webgate: "WG", issuer: issuer)
            let joe = InjectionKey(principal: Callers.principal("joe"), target: target)
            let ann = InjectionKey(principal: Callers.principal("ann"), target: target)
            #expect((joe == ann) == isShared)
            if isShared { #expect(joe.hashValue == ann.hashValue) }
        }
    }
}
