import Authorization
import Bytes
import Endpoints
import HTTP
import Identity
import Model
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages
@testable import OAuthServer
@testable import SingleSignOn

/// Single sign-on by identity providers (SSO-07), chosen per client.
@Suite struct SignOnProviderTests {
    private let idp = StubProvider()
    private let other = StubProvider("other")

    /// The client `inventory` has the one provider, `orders` the other one.
    private func signOn(
        of inventory: [LoginChoice] = [LoginChoice("idp")], store: any TokenStore = MemoryTokenStore()
    ) -> SignOn {
        SignOn(store: store) { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].name == "inventory" {
                list[i].loginChoices = inventory
                list[i].grants.authorization = AuthorizationRules(redirectURIs: [])
                list[i].grants.authorization?.postLogoutURIs = ["https://app.example.com/out"].compactMap {
                    try? ClientRedirectURI($0)
                }
            }
            for i in list.indices where list[i].name == "orders" { list[i].loginChoices = [LoginChoice("other")] }
            settings.clients = Clients(list)
            settings.providerLogin = ProviderLogin(
                [idp, other], seals: Mobile.seals, store: store, revocations: settings.revocations,
                baseURL: Service.baseURL)
        }
    }

    /// From the application's link to the page with the token.
    private func logIn(
        _ signOn: SignOn, _ query: String = SignOn.query(), provider: String = "idp", at seconds: Int64 = 0
    ) -> EndpointResponse {
        let sent = signOn.ask(query, at: seconds)
        let back = signOn.browser.callback(signOn.browser.state(sent), provider: provider, at: seconds)
        return signOn.follow(back, at: seconds)
    }

    @Test("a user without an account has name and roles of the provider")
    func virtual() throws {
        let signOn = signOn()
        idp.answer("zoe", [("groups", JSONNode(.array([JSONNode(.string("Clerk"))])))])
        let sent = signOn.ask()
        #expect(sent.status == 302 && sent.field("Location")?.hasPrefix("https://idp.example/authorize?") == true)
        let back = signOn.browser.callback(signOn.browser.state(sent))
        #expect(
            back.status == 303 && back.field("Location") == "/mobile/platform/sso/exchange-token?clientID=inv-client")
        let claims = try signOn.follow(back).pageClaims()
        #expect(claims.subject == "idp:zoe" && claims.virtual && claims.roles == ["Clerk"])
        #expect(claims.clientID == "inv-client")
        // No second way to the provider for the next token.
        #expect(signOn.ask(at: 1).status == 200)
        #expect(signOn.ask(SignOn.query() + "&prompt=login", at: 1).status == 302)
        #expect(idp.begun.map(\.forcesLogin) == [false, true])
    }

    @Test("MBE-09, MBE-11: an account of the backend's realm has its current roles")
    func account() throws {
        let idp = StubProvider("idp", rules: StubProvider.rules(virtual: false))
        let store = MemoryTokenStore()
        let signOn = SignOn(store: store) { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].enableSSO { list[i].loginChoices = [LoginChoice("idp")] }
            settings.clients = Clients(list)
            settings.providerLogin = ProviderLogin(
                [idp], seals: Mobile.seals, store: store, revocations: settings.revocations, baseURL: Service.baseURL)
        }
        idp.answer("sso1", [("groups", JSONNode(.array([JSONNode(.string("Clerk"))])))])
        let claims = try logIn(signOn).pageClaims()
        #expect(claims.subject == "sso1" && !claims.virtual && claims.roles == ["Clerk"])
        #expect(signOn.ask(SignOn.query("oth-client"), at: 1).reasonText == "sso_wrong_realm")
        idp.answer("nobody")
        let refused = signOn.browser.callback(
            signOn.browser.state(signOn.ask(SignOn.query() + "&prompt=login", at: 2)), at: 2)
        #expect(refused.status == 403 && refused.audit?.outcome == .refused)
    }

    @Test("sessions, codes and refresh tokens of users without an account end where the provider requires accounts")
    func accounts() throws {
        let store = MemoryTokenStore()
        func make(_ accountProviders: Set<String>) -> Authorizing {
            Authorizing(store: store) { settings in
                settings.accountProviders = accountProviders
                settings.clients = Authorizing.clients { $0[0].loginChoices = [LoginChoice("idp")] }
                settings.providerLogin = ProviderLogin(
                    [idp], seals: Mobile.seals, store: store, revocations: settings.revocations,
                    baseURL: Service.baseURL)
            }
        }
        func refresh(_ app: Authorizing, _ token: String?) -> EndpointResponse {
            let request = tokenRequest("grant_type=refresh_token&refresh_token=\(token ?? "")")
            return app.signOn.settings.families.answer(request, at: Mobile.start)
        }
        let app = make(["other"])
        idp.answer("zoe")
        let sent = app.ask()
        app.follow(app.browser.callback(app.browser.state(sent), provider: "idp"))
        let first = app.redeem(try #require(app.decide().sent["code"]))
        let second = refresh(app, first.refreshToken)
        let code = try #require(app.ask().sent["code"])
        #expect(second.status == 200, "\(second.text)")
        let strict = make(["idp"])
        #expect(strict.redeem(code).error == "invalid_grant")
        strict.browser.cookies = app.browser.cookies
        #expect(strict.ask().field("Location")?.hasPrefix("https://idp.example/") == true)
        #expect(refresh(strict, second.refreshToken).error == "invalid_grant")
    }

    @Test("SSO-08: a session is valid only for its own provider")
    func bound() throws {
        let signOn = signOn()
        _ = try logIn(signOn).pageClaims()
        let asked = signOn.ask(SignOn.query("ord-client"), at: 1)
        #expect(asked.field("Location")?.hasPrefix("https://other.example/") == true)
        let local = self.signOn(of: [], store: signOn.store)
        local.browser.cookies = signOn.browser.cookies
        #expect(local.ask(at: 1).field("Location")?.hasPrefix("/oauth2/login") == true)
    }

    @Test("prompt=login: a provider's answer without a new login is refused")
    func forced() throws {
        let signOn = signOn()
        func logIn(_ query: String, authenticatedAt time: Int64?, at seconds: Int64) -> EndpointResponse {
            idp.answer(.success(StubProvider.identity("zoe", authenticatedAt: time.map { Service.now &+ $0 })))
            return signOn.browser.callback(signOn.browser.state(signOn.ask(query, at: seconds)), at: seconds)
        }
        #expect(
            logIn(SignOn.query(), authenticatedAt: -3600, at: 0).status == 303, "nobody has asked for another login")
        let forced = SignOn.query() + "&prompt=login"
        let stale = logIn(forced, authenticatedAt: 39, at: 100)
        #expect(stale.status == 403 && stale.reasonText == "provider_denied" && stale.audit?.outcome == .refused)
        // A further attempt asks for a login once more, and does not go on as the earlier user.
        #expect(stale.text.contains("&amp;prompt=login\">Try again</a>"), "\(stale.text)")
        for time in [nil, 40, 101, .max - Service.now] as [Int64?] {
            #expect(logIn(forced, authenticatedAt: time, at: 100).status == 303)
        }
        // No time that a provider thinks of is too much for a sum.
        #expect(logIn(forced, authenticatedAt: .min &- Service.now, at: 100).status == 403)
    }

    @Test("what an application asks of the login is asked of the provider, whose time is that of the ID token")
    func demanded() throws {
        let store = MemoryTokenStore()
        let app = Authorizing(store: store) { [idp] settings in
            settings.clients = Authorizing.clients {
                $0[0].loginChoices = [LoginChoice("idp"), LoginChoice(LoginChoice.ownForm)]
            }
            settings.providerLogin = ProviderLogin(
                [idp], seals: Mobile.seals, store: store, revocations: settings.revocations, baseURL: Service.baseURL)
        }
        func arrive(_ more: [(String, String)], authenticatedAt seconds: Int64) throws -> EndpointResponse {
            idp.answer(.success(StubProvider.identity("zoe", authenticatedAt: Mobile.start + seconds)))
            let asked = app.ask(Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "openid")] + more))
            // Without the `prompt` that the link on the page to choose has.
            let link = try #require(asked.field("Location")).replacing("&prompt=login", with: "") + "&provider=idp"
            let query = link.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
            return app.browser.callback(app.browser.state(app.get(EndpointPaths.standard[.login], query)))
        }
        #expect(try arrive([("prompt", "login")], authenticatedAt: -36_000).status == 403)
        #expect(idp.begun.last?.forcesLogin == true)
        #expect(try arrive([("max_age", "300")], authenticatedAt: -36_000).status == 403)
        #expect(idp.begun.last?.forcesLogin == false && idp.begun.last?.demand?.maximumAge == 300)
        let back = try arrive([("max_age", "300")], authenticatedAt: -200)
        #expect(back.status == 303)
        #expect(app.follow(back).reason == .consentAsked)
        let reply = app.redeem(try #require(app.decide().sent["code"]))
        #expect(try app.identity(reply)["auth_time"]?.integer == Mobile.start - 200)
        // The session is too old for the next one that asks.
        let again = app.ask(Authorizing.fields("inv-client", Authorizing.redirect, [("max_age", "100")]), at: 1)
        #expect(again.field("Location")?.hasPrefix(EndpointPaths.standard[.login]) == true)
    }

    @Test("roles that do not fit into a cookie yield an error page, not a login loop")
    func oversized() {
        let signOn = SignOn { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].name == "inventory" { list[i].loginChoices = [LoginChoice("idp")] }
            settings.clients = Clients(list)
            settings.catalogue = RoleCatalogue((0..<200).map { "a-role-of-some-length-\($0)" })
            settings.providerLogin = ProviderLogin(
                [idp], seals: Mobile.seals, store: settings.store, revocations: settings.revocations,
                baseURL: Service.baseURL)
        }
        func logIn(_ count: Int) -> EndpointResponse {
            let roles = (0..<count).map { JSONNode(.string("a-role-of-some-length-\($0)")) }
            idp.answer("zoe", [("groups", JSONNode(.array(roles)))])
            return signOn.browser.callback(signOn.browser.state(signOn.ask()))
        }
        let refused = logIn(200)
        #expect(refused.status == 403 && refused.reasonText == "login_session_oversized" && signOn.cookie == nil)
        #expect(logIn(60).status == 303)
    }

    @Test("the longest accepted request survives a provider login")
    func longest() {
        let signOn = signOn()
        let state = String(repeating: "%22", count: 1024)
        let target = SignOn.target + "/" + String(repeating: "x", count: 990)
        let sent = signOn.ask(SignOn.query("inv-client", [("redirect_uri", target)]) + "&state=" + state)
        let sealed = signOn.browser.state(sent)
        #expect(sealed.utf8.count < 4096, "servers take no longer lines")
        idp.answer("zoe")
        let page = signOn.follow(signOn.browser.callback(sealed))
        #expect(page.status == 200 && page.text.contains(target))
        #expect(signOn.browser.hidden.last?.1 == String(repeating: "&quot;", count: 1024))
    }

    @Test("mix-up: an answer is refused for another provider, or a changed backend")
    func mixUp() {
        let signOn = signOn()
        let state = signOn.browser.state(signOn.ask())
        let wrong = signOn.browser.callback(state, provider: "other")
        #expect(wrong.status == 400 && other.finished.isEmpty && idp.finished.isEmpty)
        let again = signOn.browser.state(signOn.ask())
        let later = self.signOn(of: [LoginChoice("other")], store: signOn.store)
        later.browser.cookies = signOn.browser.cookies
        let answer = later.browser.callback(again)
        #expect(answer.status == 400 && answer.reasonText == "provider_answer_foreign" && later.cookie == nil)
    }

    @Test("code injection: a code is bound to its browser and valid once")
    func injection() {
        let (attacker, victim) = (signOn(), signOn())
        let state = attacker.browser.state(attacker.ask())
        _ = victim.ask()
        // It is sent to the provider itself, once.
        let sent = victim.browser.callback(state)
        #expect(sent.status == 302 && sent.reason == .loginAtProvider && victim.cookie == nil)
        let cookies = attacker.browser.cookies
        #expect(attacker.browser.callback(state).status == 303)
        // Without the session it is as if the browser came for the first time: the code is used once.
        attacker.browser.cookies = cookies
        #expect(attacker.browser.callback(state).reason == .loginAtProvider && attacker.cookie == nil)
    }

    @Test("the whitelist applies when the browser returns")
    func whitelist() {
        let query = SignOn.query("inv-client", [("redirect_uri", SignOn.target), ("state", "s")])
        let signOn = signOn()
        let state = signOn.browser.state(signOn.ask(query))
        let later = self.signOn(store: signOn.store)
        later.browser.cookies = signOn.browser.cookies
        var settings = later.settings
        settings.whitelist = RedirectWhitelist(nil)
        let browser = Browser(settings.families)
        browser.cookies = signOn.browser.cookies
        let answer = browser.callback(state)
        #expect(answer.status == 400 && answer.reasonText == "sso_redirect_not_allowed")
    }

    @Test("a provider that refuses or is down prevents login, never with 401")
    func failures() {
        let signOn = signOn()
        idp.answer(.failure(.denied("access_denied")))
        let denied = signOn.browser.callback(signOn.browser.state(signOn.ask()))
        #expect(denied.status == 403 && denied.reasonText == "provider_denied" && signOn.cookie == nil)
        #expect(denied.text.contains("exchange-token?clientID=inv-client"))
        idp.goAway()
        let down = signOn.ask()
        #expect(down.status == 503 && down.field("Retry-After") != nil)
    }

    @Test("back-channel logout ends session and tokens; logout here continues at the provider")
    func logout() throws {
        let signOn = signOn()
        idp.answer("zoe", sid: "s-9")
        let claims = try logIn(signOn).pageClaims()
        #expect(signOn.isGood(claims))
        idp.say(.success(LogoutNotice(scope: .session("s-9"), tokenID: "j", issuedAt: Service.now)))
        let notice = EndpointRequest(
            method: .post, path: "/oauth2/backchannel-logout/idp",
            contentType: "application/x-www-form-urlencoded", body: Array("logout_token=x".utf8))
        let told = signOn.browser.service.handle(notice, endpoint: .providerLogout, now: Service.now).settled()
        #expect(told.status == 200)
        #expect(signOn.ask(at: 1).status == 302)
        let first = claims.origins.first
        #expect(
            first != nil
                && signOn.revocations.isRevoked(
                    tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID,
                    issuedAt: claims.issuedAt,
                    origins: claims.origins, session: claims.session)
        )

        _ = try logIn(signOn, at: 2).pageClaims(at: Service.now + 2)
        signOn.browser.get(SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout, at: 3)
        let done = signOn.browser.submit([], endpoint: .singleSignOnLogout, at: 3)
        #expect(done.field("Refresh")?.hasPrefix("0; url=https://idp.example/logout?client_id=gateway&state=") == true)
        #expect(signOn.cookie == nil)
    }

    @Test("the logout of an application goes on at the provider, and from there to the application")
    func logoutOfApplication() throws {
        let signOn = signOn()
        idp.answer("zoe")
        _ = try logIn(signOn).pageClaims()
        let query = Browser.form([
            ("client_id", "inv-client"), ("post_logout_redirect_uri", "https://app.example.com/out"), ("state", "s"),
        ])
        signOn.browser.get(EndpointPaths.standard[.endSession], query: query, endpoint: .endSession)
        let done = signOn.browser.submit([], endpoint: .endSession)
        let target = try #require(done.field("Refresh")?.split(separator: "&state=").map(String.init))
        #expect(target.first == "0; url=https://idp.example/logout?client_id=gateway" && signOn.cookie == nil)
        func back(_ state: String, at seconds: Int64 = 0) -> String? {
            signOn.browser.get(
                EndpointPaths.standard[.endSession], query: "state=\(state)", endpoint: .endSession, at: seconds
            ).field("Location")
        }
        let state = try #require(target.last)
        #expect(back(state) == "https://app.example.com/out?state=s")
        #expect(back(state, at: 600) == nil && back(state + "x") == nil && back("https://evil.net/") == nil)
        // While the browser has a session again, the link does not lead away.
        _ = try logIn(signOn).pageClaims()
        #expect(back(state) == nil)
    }
}
