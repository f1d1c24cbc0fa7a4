import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

/// The exchange of codes (RFC 6749 section 4.1.3, RFC 7636 section 4.6, RFC 9700 section 4.5).
@Suite struct CodeTests {
    @Test("a code yields tokens of its user, scopes, session and login")
    func tokens() throws {
        let app = Authorizing()
        let code = try app.code(Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "read other")]))
        let reply = app.redeem(code, at: 59)
        #expect(
            reply.status == 200
                && reply.names == ["access_token", "expires_in", "refresh_token", "scope", "token_type"])
        #expect(reply.json?["scope"]?.string == "read")
        let claims = try reply.claims(at: Mobile.start + 59)
        #expect(claims.subject == "joe" && claims.roles == ["Manager"] && claims.scope == "read")
        #expect(claims.authenticatedAt == Mobile.start && claims.methods == ["pwd"] && claims.session != nil)
        #expect(claims.clientID == "inv-client")
        #expect(reply.audit?.action == "grant.authorization_code" && reply.audit?.tokenID == claims.tokenID)
        #expect(reply.field("Cache-Control") == "no-store")
    }

    @Test("a code is good for a minute")
    func expired() throws {
        let app = Authorizing()
        let reply = app.redeem(try app.code(), at: 60)
        #expect(reply.status == 400 && reply.error == "invalid_grant" && reply.reason == .codeInvalid)
    }

    @Test("a second use is refused and revokes the tokens of the first, refreshed or not")
    func replayed() throws {
        for isRefreshed in [false, true] {
            let app = Authorizing()
            let code = try app.code()
            var reply = app.redeem(code)
            if isRefreshed { reply = refresh(app, reply.refreshToken) }
            let claims = try reply.claims(at: Mobile.start)
            #expect(app.signOn.isGood(claims))
            let again = app.redeem(code, at: 300)
            #expect(again.error == "invalid_grant" && again.reason == .codeReused)
            #expect(refresh(app, reply.refreshToken).error == "invalid_grant")
            #expect(try isDenied(claims.tokenID, app))
            // To the client both look alike.
            #expect(again.body == app.redeem("unknown").body)
        }
    }

    @Test("the same for a client without refresh tokens")
    func replayedWithoutRefresh() throws {
        let app = Authorizing {
            $0.clients = Authorizing.clients { $0[0].grants.refresh = nil }
        }
        let code = try app.code()
        let reply = app.redeem(code)
        #expect(reply.refreshToken == nil)
        let claims = try reply.claims(at: Mobile.start)
        #expect(app.redeem(code).reason == .codeReused)
        #expect(try isDenied(claims.tokenID, app))
    }

    @Test("a code of another client is refused, and stays good for its own")
    func otherClient() throws {
        let app = Authorizing()
        let code = try app.code()
        #expect(app.redeem(code, "own-client", "own-secret").reason == .codeInvalid)
        #expect(app.redeem(code, "app-client", nil).reason == .codeInvalid)
        let reply = app.redeem(code)
        #expect(reply.status == 200)
        // Nor does another client's replay end the tokens.
        #expect(app.redeem(code, "own-client", "own-secret").reason == .codeInvalid)
        #expect(app.signOn.isGood(try reply.claims(at: Mobile.start)))
        #expect(refresh(app, reply.refreshToken).status == 200)
    }

    @Test(
        "PKCE: a wrong verifier or redirect URI voids the code; none, or a malformed one, is an invalid request",
        arguments: [
            (("code_verifier", String(repeating: "w", count: 43)), "invalid_grant"),
            (("code_verifier", Authorizing.verifier + "v"), "invalid_grant"),
            (("code_verifier", Authorizing.challenge), "invalid_grant"),
            (("code_verifier", ""), "invalid_request"),
            (("code_verifier", String(repeating: "v", count: 42)), "invalid_request"),
            (("code_verifier", String(repeating: "v", count: 129)), "invalid_request"),
            (("code_verifier", String(repeating: "=", count: 43)), "invalid_request"),
            (("redirect_uri", "https://app.example.com/other"), "invalid_grant"),
            (("redirect_uri", ""), "invalid_request"), (("code", ""), "invalid_request"),
        ])
    func verifiers(_ field: (String, String), _ error: String) throws {
        let app = Authorizing()
        let code = try app.code()
        #expect(app.redeem(code, "inv-client", "inv-secret", [field]).error == error)
        #expect(app.redeem(code).status == (error == "invalid_grant" ? 400 : 200))
    }

    @Test("the client must authenticate, unless it is public")
    func clients() throws {
        let app = Authorizing()
        let code = try app.code()
        #expect(app.redeem(code, "inv-client", "wrong").error == "invalid_client")
        #expect(app.redeem(code, "inv-client", nil).error == "invalid_client")
        let redirect = "http://127.0.0.1:4711/cb"
        let other = Authorizing()
        let fields = Authorizing.fields("app-client", redirect, [("scope", "openid")])
        let reply = other.redeem(try other.code(fields), "app-client", nil, [("redirect_uri", redirect)])
        #expect(reply.status == 200 && reply.refreshToken != nil && reply.json?["id_token"] != nil)
        // Its refresh tokens rotate.
        let next = publicGrant(other, "grant_type=refresh_token&refresh_token=\(reply.refreshToken ?? "")")
        #expect(next.status == 200 && next.refreshToken != reply.refreshToken)
        #expect(
            publicGrant(other, "grant_type=refresh_token&refresh_token=\(reply.refreshToken ?? "")").reason
                == .refreshTokenReused)
    }

    @Test(
        "a public client gets nothing else",
        arguments: [
            "client_credentials", "password&username=joe&password=Welcome1",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ])
    func publicClients(_ grant: String) {
        let app = Authorizing()
        let reply = publicGrant(app, "grant_type=\(grant)")
        #expect(reply.error == "unauthorized_client" && reply.reason == .grantNotAllowed)
        let introspection = app.signOn.settings.families.answer(
            tokenRequest("token=x&client_id=app-client", nil), .introspection)
        #expect(introspection.error == "invalid_client")
        let revocation = app.signOn.settings.families.answer(
            tokenRequest("token=x&client_id=app-client", nil), .revocation)
        #expect(revocation.status == 200)
        // An empty secret is none.
        for (secret, error) in [("", "invalid_request"), ("x", "invalid_client")] {
            let reply = app.signOn.settings.families.answer(
                tokenRequest("grant_type=authorization_code", basic("app-client", secret)))
            #expect(reply.error == error)
        }
        let other = app.signOn.settings.families.answer(
            tokenRequest("grant_type=authorization_code&client_id=inv-client", basic("app-client", "")))
        #expect(other.error == "invalid_client")
        let confidential = app.signOn.settings.families.answer(
            tokenRequest("grant_type=authorization_code", basic("inv-client", "")))
        #expect(confidential.error == "invalid_client")
    }

    @Test(
        "RFC 9449 section 5: refresh tokens of a public client are bound to the key of the exchange, also after a rotation"
    )
    func boundToKey() throws {
        let app = Authorizing { settings in
            if let origin = try? WebOrigin(Service.baseURL) {
                settings.possession = ClientPossession(ProofVerifier(), origins: [origin])
            }
        }
        let service = TokenService(settings: app.signOn.settings.tokens)
        let (owner, thief) = (ProofMaker(), ProofMaker())
        func send(_ form: [(String, String)], _ maker: ProofMaker?) -> EndpointResponse {
            var request = tokenRequest(Browser.form(form + [("client_id", "app-client")]), nil)
            request.fields =
                maker.map {
                    let url = "\(Service.baseURL)\(EndpointPaths.standard[.token])"
                    return [(name: "dpop", value: $0.proof(url, "POST", at: Mobile.start))]
                } ?? []
            return app.signOn.settings.families.answer(request, at: Mobile.start)
        }
        func refresh(_ token: String?, _ maker: ProofMaker?) -> EndpointResponse {
            send([("grant_type", "refresh_token"), ("refresh_token", token ?? "")], maker)
        }
        let code = try app.code(Authorizing.fields("app-client"))
        let exchange = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Authorizing.redirect),
            ("code_verifier", Authorizing.verifier),
        ]
        var reply = send(exchange, owner)
        for _ in 0..<2 {
            #expect(reply.json?["token_type"]?.string == "DPoP", "\(reply.text)")
            let token = try #require(reply.json?["access_token"]?.string)
            let claims = service.ownTokens.signed(token, now: Mobile.start)
            #expect(claims?.binding?.key == owner.thumbprint)
            for other in [nil, thief] {
                let refused = refresh(reply.refreshToken, other)
                #expect(refused.status == 400 && refused.error == "invalid_request", "\(refused.text)")
            }
            reply = refresh(reply.refreshToken, owner)
        }
        #expect(reply.status == 200)
    }

    @Test("a client without redirect URIs has no codes")
    func withoutURIs() {
        let reply = Authorizing().redeem("x", "sch-client", "sch-secret")
        #expect(reply.error == "unauthorized_client" && reply.reason == .grantNotAllowed)
    }

    @Test("codes and refresh tokens do not stand for each other")
    func confused() throws {
        let app = Authorizing()
        #expect(refresh(app, try app.code()).error == "invalid_grant")
        let other = Authorizing()
        let reply = other.redeem(try other.code())
        #expect(other.redeem(try #require(reply.refreshToken)).reason == .codeInvalid)
    }

    @Test("the code ends with its session, and with the user's account")
    func ended() throws {
        let app = Authorizing()
        let code = try app.code()
        let cookies = app.browser.cookies
        app.get(SingleSignOnEndpoints.logoutPath, "")
        #expect(app.browser.submit([], endpoint: .singleSignOnLogout).reason == .loggedOut)
        #expect(app.redeem(code).reason == .codeInvalid)
        app.browser.cookies = cookies
        let other = Authorizing()
        let second = try other.code()
        other.signOn.revocations.revoke(subject: "joe", issuedBefore: Mobile.start, until: .max)
        #expect(other.redeem(second).reason == .codeInvalid)
        let third = Authorizing()
        let last = try third.code()
        var joe = try #require(SignOn.users.user(named: "joe", realm: "Default"))
        joe.enabled = false
        third.signOn.settings.users = UserStore(users: [joe], hasher: PasswordHasher())
        #expect(third.redeem(last).reason == .codeInvalid)
    }

    @Test("the logout ends access and refresh tokens, also later than the session")
    func logout() throws {
        let app = Authorizing()
        let reply = app.redeem(try app.code())
        let claims = try reply.claims(at: Mobile.start)
        app.get(SingleSignOnEndpoints.logoutPath, "")
        #expect(app.browser.submit([], endpoint: .singleSignOnLogout).reason == .loggedOut)
        #expect(!app.signOn.isGood(claims))
        #expect(refresh(app, reply.refreshToken).error == "invalid_grant")
        // As long as the family would have lived.
        app.signOn.revocations.prune(now: Mobile.start + 4999)
        #expect(refresh(app, reply.refreshToken, at: 900).error == "invalid_grant")
    }

    @Test("a logout with an older cookie of the session ends the tokens as well")
    func olderCookie() throws {
        let app = Authorizing()
        app.logIn()
        let older = app.browser.cookies
        let reply = app.redeem(try #require(app.decide().sent["code"]))
        app.browser.cookies = older
        app.get(SingleSignOnEndpoints.logoutPath, "")
        #expect(app.browser.submit([], endpoint: .singleSignOnLogout).reason == .loggedOut)
        app.signOn.revocations.prune(now: Mobile.start + 4999)
        #expect(refresh(app, reply.refreshToken, at: 900).error == "invalid_grant")
    }

    @Test(
        "codes and refresh tokens are none of a namesake in the realm that the client has later, nor of an earlier login"
    )
    func movedClient() throws {
        func later(_ store: MemoryTokenStore, _ change: @escaping (inout Client) -> Void) -> Authorizing {
            Authorizing(store: store) { settings in
                settings.clients = Authorizing.clients { change(&$0[0]) }
                let namesake = User(username: "joe", realm: "Other", roles: ["Manager"])
                settings.users = UserStore(users: SignOn.users.users + [namesake], hasher: PasswordHasher())
            }
        }
        for (isAccepted, change) in [
            (true, { _ in }), (false, { $0.realm = "Other" }), (false, { $0.tokensNotBefore = Mobile.start + 1 }),
        ] as [(Bool, (inout Client) -> Void)] {
            let store = MemoryTokenStore()
            let app = Authorizing(store: store)
            let token = app.redeem(try app.code()).refreshToken
            let code = try #require(app.ask().sent["code"])
            let after = later(store, change)
            #expect((refresh(after, token).status == 200) == isAccepted)
            #expect((after.redeem(code).status == 200) == isAccepted)
        }
    }

    @Test("the store has no code and no token in clear")
    func stored() throws {
        let store = MemoryTokenStore()
        let app = Authorizing(store: store)
        let code = try app.code()
        guard case .success(.records(let records)) = perform(.list(application: nil, subject: nil, limit: 99), store)
        else { throw StoreFailure.unavailable }
        let record = try #require(records.first { $0.kind == .authorization })
        let text = "\(record)" + String(decoding: record.attributes, as: UTF8.self)
        #expect(!text.contains(code) && !text.contains(Authorizing.verifier))
        #expect(record.application == "mbe-inv-1" && record.subject == "joe")
    }

    @Test("a user has a limited number of codes that wait at a client; the oldest make room")
    func crowd() throws {
        let store = MemoryTokenStore()
        let app = Authorizing(store: store)
        let first = try app.code()
        let reply = app.redeem(first)
        let codes = try (1...40).map { try #require(app.ask(at: Int64($0)).sent["code"]) }
        guard case .success(.records(let records)) = perform(.list(application: nil, subject: nil, limit: 99), store)
        else { throw StoreFailure.unavailable }
        #expect(records.count { $0.kind == .authorization } == 32)
        #expect(app.redeem(codes[7], at: 40).reason == .codeInvalid)
        #expect(app.redeem(codes[8], at: 40).status == 200 && app.redeem(codes[39], at: 40).status == 200)
        // Nothing else makes room.
        #expect(refresh(app, reply.refreshToken, at: 40).status == 200)
    }

    @Test("a user has a limited number of logins with tokens at a client; the oldest make room")
    func logins() throws {
        let app = Authorizing()
        let first = app.redeem(try app.code())
        let second = app.redeem(try #require(app.ask(at: 1).sent["code"]), at: 1)
        for second in 2...256 {
            let time = Int64(second)
            #expect(app.redeem(try #require(app.ask(at: time).sent["code"]), at: time).status == 200)
        }
        #expect(refresh(app, first.refreshToken, at: 256).error == "invalid_grant")
        #expect(refresh(app, second.refreshToken, at: 256).status == 200)
    }

    @Test("of many exchanges at once only one succeeds")
    func race() throws {
        let app = Authorizing()
        let code = try app.code()
        let replies = (0..<4).map { _ in app.redeem(code) }
        #expect(replies.filter { $0.status == 200 }.count == 1)
    }

    // MARK: Parts

    private func refresh(_ app: Authorizing, _ token: String?, at seconds: Int64 = 0) -> EndpointResponse {
        app.signOn.settings.families.answer(
            tokenRequest("grant_type=refresh_token&refresh_token=\(token ?? "")"), at: Mobile.start + seconds)
    }

    private func publicGrant(_ app: Authorizing, _ form: String) -> EndpointResponse {
        app.signOn.settings.families.answer(tokenRequest("\(form)&client_id=app-client", nil), at: Mobile.start)
    }

    private func perform(_ operation: StoreOperation, _ store: any TokenStore) -> Result<StoreAnswer, StoreFailure> {
        var answer: Result<StoreAnswer, StoreFailure>?
        let held = Held()
        store.perform(operation, now: Mobile.start) { held.value = $0 }
        answer = held.value
        return answer ?? .failure(.unavailable)
    }

    private final class Held: @unchecked Sendable { var value: Result<StoreAnswer, StoreFailure>? }

    /// Whether the store tells all processes that the token is revoked.
    private func isDenied(_ tokenID: String, _ app: Authorizing) throws -> Bool {
        guard case .success(.changes(let changes, _)) = perform(.changes(after: 0, limit: 99), app.signOn.store) else {
            throw StoreFailure.unavailable
        }
        return changes.contains { $0.entry.name == TokenFamily.id(of: tokenID) ?? tokenID }
    }
}
