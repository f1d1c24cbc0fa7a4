import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

/// The session of single sign-on (SSO-08), and what an attacker could want of it.
@Suite struct SignOnSessionTests {
    let signOn = SignOn()

    @Test("SSO-08: after one login, tokens are issued for any permitted client, and no others")
    func severalClients() throws {
        let first = try signOn.logIn().pageClaims()
        let second = try signOn.ask(SignOn.query("ord-client"), at: 10).pageClaims()
        #expect(first.clientID == "inv-client" && second.clientID == "ord-client")
        #expect(second.backendID == "mbe-ord-1" && second.authenticatedAt == Service.now)
        #expect(signOn.ask(SignOn.query("sch-client")).status == 400)
    }

    @Test("SSO-08: the cookie is bound to the host, and hidden from scripts and other sites")
    func cookieFields() throws {
        signOn.follow(signOn.ask())
        let fields = signOn.submit("joe", "Welcome1").values("Set-Cookie")
        let set = try #require(fields.first { $0.hasPrefix("__Host-portcullis=") })
        for part in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"] { #expect(set.contains("; \(part)")) }
        #expect(!set.contains("; Domain"))
        let value = set.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
        let bytes = Base64.decode(Array(value.utf8).span, .url)
        #expect(try !String(decoding: #require(bytes), as: UTF8.self).contains("joe"), "the user's name is sealed")
        signOn.browser.secure = false
        signOn.follow(signOn.ask())
        let clear = try #require(
            signOn.submit("joe", "Welcome1").values("Set-Cookie").first { $0.hasPrefix("portcullis=") })
        #expect(!clear.contains("; Secure"))
    }

    @Test("session fixation: every login has a new session, and earlier ones are invalid")
    func fixation() throws {
        signOn.logIn(as: "ann", "Welcome2")
        let planted = try #require(signOn.cookie)
        let name = signOn.browser.name("portcullis")
        signOn.logIn(SignOn.query() + "&prompt=login", at: 5)
        #expect(try signOn.ask(at: 6).pageClaims().subject == "joe")
        #expect(signOn.cookie != planted)
        signOn.browser.cookies[name] = planted
        #expect(signOn.ask(at: 7).status == 302, "the earlier session is gone")
    }

    @Test("prompt=login requires another login once, and keeps the user's tokens")
    func prompt() throws {
        let first = try signOn.logIn().pageClaims()
        let asked = signOn.ask(SignOn.query() + "&prompt=login", at: 100)
        #expect(asked.status == 302)
        signOn.follow(asked, at: 100)
        let page = signOn.follow(signOn.submit("joe", "Welcome1", at: 101), at: 101)
        let second = try page.pageClaims(at: Service.now + 101)
        #expect(second.authenticatedAt == Service.now + 101)
        #expect(second.session == first.session && signOn.isGood(first) && signOn.isGood(second))
        #expect(signOn.ask(SignOn.query() + "&prompt=none", at: 102).status == 200, "other words mean nothing")
    }

    @Test("the session ends after idling, and after its lifetime")
    func limits() {
        signOn.logIn()
        #expect(signOn.ask(at: 3599).status == 200)
        #expect(signOn.ask(at: 3599 + 3600).status == 302)
        let busy = SignOn()
        busy.logIn()
        for time in stride(from: Int64(3000), to: 28_800, by: 3000) { #expect(busy.ask(at: time).status == 200) }
        #expect(busy.ask(at: 28_800).status == 302)
    }

    @Test("logout asks for confirmation, then ends the session and its tokens")
    func logout() throws {
        let first = try signOn.logIn().pageClaims()
        let second = try signOn.ask(SignOn.query("ord-client"), at: 1).pageClaims()
        let kept = try #require(signOn.cookie)
        let question = signOn.browser.get(
            SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout, at: 2)
        #expect(question.status == 200 && signOn.isGood(first) && signOn.cookie != nil)
        let forged = signOn.browser.submitting([], [], endpoint: .login, at: 2)
        #expect(forged.status == 403 && signOn.isGood(first))
        signOn.browser.get(SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout, at: 2)
        let done = signOn.browser.submit([], endpoint: .singleSignOnLogout, at: 2)
        #expect(done.status == 200 && done.reasonText == "logged_out")
        #expect(done.audit?.action == "sso.logout" && done.audit?.subject == "joe")
        #expect(!signOn.isGood(first) && !signOn.isGood(second) && signOn.cookie == nil)
        signOn.browser.cookies[signOn.browser.name("portcullis")] = kept
        #expect(signOn.ask(at: 3).status == 302)
        let again = try signOn.logIn(at: 4).pageClaims(at: Service.now + 4)
        #expect(signOn.isGood(again), "what has ended ends nothing that comes later")
    }

    @Test("a revoked, disabled or removed user must log in again")
    func revoked() {
        signOn.logIn()
        signOn.revocations.revoke(subject: "joe", issuedBefore: Service.now, until: Service.now + 86_400)
        #expect(signOn.ask(at: 1).status == 302)
        let gone = SignOn()
        gone.logIn(as: "bob", "Welcome3")
        let without = SignOn(store: gone.store) { $0.users = UserStore(users: [], hasher: PasswordHasher()) }
        without.browser.cookies = gone.browser.cookies
        #expect(without.ask(at: 1).status == 302)
        var changed = User(username: "bob")
        changed.tokensNotBefore = Service.now + 1
        let later = SignOn(store: gone.store) { [changed] in
            $0.users = UserStore(users: [changed], hasher: PasswordHasher())
        }
        later.browser.cookies = gone.browser.cookies
        #expect(later.ask(at: 1).status == 302)
    }

    @Test("a cookie is valid only where, and for what, it was sealed")
    func foreignCookies() throws {
        let name = signOn.browser.name("portcullis")
        signOn.logIn()
        let good = try #require(signOn.cookie)
        let changed = String(good.dropLast()) + (good.hasSuffix("A") ? "B" : "A")
        let session = Session(
            id: "made up", subject: "joe", realm: "Default",
            login: LoginFacts(authenticatedAt: Service.now, level: 2), expiresAt: Service.now + 1000)
        var (placed, foreign) = (session, session)
        placed.place = Session.Place(domain: "D", backendID: "mbe-inv-1")
        foreign.provider = "elsewhere"
        let (other, unknown) = (Mobile.seals.seal(placed), Mobile.seals.seal(session))
        let elsewhere = Mobile.seals.seal(foreign)
        for value in ["", "x", changed, other, unknown, elsewhere] {
            signOn.browser.cookies[name] = value
            #expect(signOn.ask(at: 1).status == 302, "\(value)")
        }
        signOn.browser.cookies[name] = good
        #expect(signOn.ask(at: 1).status == 200)
    }

    // MARK: The form

    @Test("SSO-07, CSRF: a form is bound to its browser, and valid for ten minutes")
    func forms() throws {
        signOn.follow(signOn.ask())
        let typed = [("username", "joe"), ("password", "Welcome1")]
        let hidden = signOn.browser.hidden
        #expect(signOn.browser.submitting([], typed, endpoint: .login).status == 403)
        signOn.follow(signOn.ask())
        let attacker = SignOn(store: signOn.store)
        attacker.follow(attacker.ask())
        #expect(signOn.browser.submitting(attacker.browser.hidden, typed, endpoint: .login).status == 403)
        signOn.follow(signOn.ask())
        #expect(signOn.submit("joe", "Welcome1", at: 600).status == 403)
        signOn.follow(signOn.ask())
        signOn.browser.cookies = [:]
        #expect(signOn.browser.submitting(hidden, typed, endpoint: .login).status == 403)
        #expect(signOn.cookie == nil)
    }

    @Test("tickets of logout and of service domain forms are refused")
    func otherTickets() {
        signOn.logIn()
        signOn.browser.get(SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout)
        let hidden = signOn.browser.hidden
        signOn.follow(signOn.ask(SignOn.query() + "&prompt=login"))
        let response = signOn.browser.submitting(
            hidden, [("username", "joe"), ("password", "Welcome1")], endpoint: .login)
        #expect(response.status == 403 && response.reasonText == "login_form_foreign")
    }

    @Test(
        "a login must have been started here, recently and unmodified", arguments: ["", "request=", "request=x", "%"])
    func requests(_ query: String) {
        let response = signOn.browser.get(EndpointPaths.standard[.login], query: query, endpoint: .login)
        #expect(response.status == 403 && response.reasonText == "sso_request_foreign")
        let asked = signOn.ask()
        #expect(signOn.follow(asked, at: 3599).status == 200)
        #expect(signOn.follow(asked, at: 3600).status == 403)
    }

    @Test("SSO-07: password guessing is throttled with Retry-After")
    func throttled() {
        let signOn = SignOn { settings in
            var limits = LoginThrottle.Settings()
            limits.failuresPerUser = 2
            settings.throttle = LoginThrottle(limits)
        }
        signOn.follow(signOn.ask())
        for _ in 0..<2 {
            let response = signOn.submit("joe", "wrong")
            #expect(response.status == 401 && response.reasonText == "wrong_password")
            #expect(response.text.contains(#"value="joe""#) && response.audit?.outcome == .refused)
            #expect(!response.text.contains("wrong\""))
        }
        let response = signOn.submit("joe", "Welcome1")
        #expect(response.status == 429 && response.field("Retry-After") != nil)
        #expect(signOn.cookie == nil)
    }

    @Test(
        "another page's script gets no token with the browser's cookies",
        arguments: ["empty", "iframe", "image"])
    func notNavigated(_ destination: String) {
        signOn.logIn()
        let response = signOn.ask(fields: [(name: "sec-fetch-dest", value: destination)])
        #expect(response.status == 403 && response.reasonText == "sso_not_navigated" && response.pageToken == nil)
        #expect(signOn.ask(fields: [(name: "sec-fetch-dest", value: "document")]).status == 200)
        let twice = [(name: "sec-fetch-dest", value: "document"), (name: "sec-fetch-dest", value: "empty")]
        #expect(signOn.ask(fields: twice).status == 403)
    }

    @Test("a failing store is 503, and ends no session")
    func storeFails() {
        let store = UnsteadyStore(MemoryTokenStore())
        let signOn = SignOn(store: store)
        signOn.logIn()
        store.fails = true
        let response = signOn.ask(at: 1)
        #expect(response.status == 503 && response.field("Retry-After") == "1" && response.pageToken == nil)
        store.fails = false
        #expect(signOn.ask(at: 2).status == 200)
        store.fails = true
        signOn.browser.get(SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout, at: 3)
        #expect(signOn.browser.submit([], endpoint: .singleSignOnLogout, at: 3).status == 503)
        #expect(signOn.cookie != nil)
        signOn.follow(signOn.ask(SignOn.query() + "&prompt=login", at: 4), at: 4)
        #expect(signOn.submit("joe", "Welcome1", at: 4).status == 503)
    }
}
