import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages
@testable import MobileSocial

/// Logins by a form (SCH-02): the same passwords, attempts and sessions as those of Mobile & Social.
@Suite struct BrowserLoginTests {
    private func session(_ browser: Browser, at seconds: Int64 = 0) throws -> Session {
        let value = Array(try #require(browser.session).utf8)
        return try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start + seconds)
    }

    private func record(_ mobile: Mobile, _ id: String) -> TokenRecord? {
        let found: Effect<TokenRecord?> = mobile.store.ask(.find(.id(id)), now: Mobile.start) { result in
            if case .success(.record(let record)) = result { .done(record) } else { .done(nil) }
        }
        return found.settled()
    }

    @Test("SCH-02: login by form redirects to the original target")
    func login() throws {
        let mobile = Mobile {
            $0.applications[0].sessionTimeout = 600
            $0.applications[0].idleTimeout = 60
            $0.applications[0].displayName = "the <demo>"
        }
        let browser = Browser(mobile)
        let page = browser.get()
        #expect(page.status == 200 && page.reason.code == "login_form")
        #expect(page.text.contains("<h1>Sign in to the &lt;demo&gt;</h1>"))
        let answer = browser.logIn()
        #expect(answer.status == 303 && answer.field("Location") == "/mobileapp?a=b")
        #expect(answer.field("Cache-Control") == "no-store" && answer.body.isEmpty)
        let session = try session(browser)
        #expect(session.subject == "joe" && session.login.level == 2 && session.idleSeconds == 60)
        #expect(session.expiresAt == Mobile.start + 600)
        #expect(record(mobile, session.id)?.subject == "joe")
        #expect(answer.audit?.outcome == .granted && answer.audit?.client == "MobileServiceDomain/DemoApp")
        #expect(answer.audit?.tokenID == session.id)
    }

    @Test("OMS-12: the form uses the domain's remote password server")
    func remote() throws {
        let server = StubPasswords()
        let mobile = Mobile {
            var remote = RemoteAuthentication(passwords: server)
            remote.guestRoles = ["Guest"]
            $0.remote = remote
            $0.applications[0].maximumLoginAttempts = 3
        }
        let browser = Browser(mobile)
        browser.get()
        #expect(browser.logIn("joe", "Welcome1").status == 401, "the password of users.json")
        #expect(browser.logIn("joe", "Remote1").status == 303)
        #expect(try session(browser).place?.isGuest == false)
        server.set("far", "Remote9")
        browser.get()
        #expect(browser.logIn("far", "Remote9").status == 303)
        #expect(try session(browser).place?.isGuest == true && session(browser).place?.domain == "MobileServiceDomain")
        server.down()
        browser.get()
        let answer = browser.logIn("far", "Remote9")
        #expect(answer.status == 503 && answer.field("Retry-After") == "7")
    }

    @Test("every login starts a new session, and ends the browser's previous one")
    func fixation() throws {
        let mobile = Mobile()
        let (browser, other) = (Browser(mobile), Browser(mobile))
        browser.get()
        browser.logIn()
        other.get()
        other.logIn()
        let (first, elsewhere) = (try session(browser), try session(other))
        #expect(first.id != elsewhere.id)
        #expect(first.expiresAt == Mobile.start + 28_800, "not for ever where nobody says how long")
        let page = browser.get()
        #expect(page.text.contains(#"value="joe""#), "who is to show more of himself need not type his name again")
        browser.logIn()
        #expect(try session(browser).id != first.id)
        #expect(mobile.revocations.isRevoked(tokenID: first.id, subject: "joe", backendID: nil, issuedAt: nil))
        #expect(!mobile.revocations.isRevoked(tokenID: elsewhere.id, subject: "joe", backendID: nil, issuedAt: nil))
    }

    @Test("a user's sessions are limited by the domain, across browsers and applications")
    func surplus() throws {
        let mobile = Mobile { $0.limits.sessions = 2 }
        let browsers = [Browser(mobile), Browser(mobile), Browser(mobile)]
        for (second, browser) in browsers.enumerated() {
            browser.get(at: Int64(second))
            browser.logIn(at: Int64(second))
        }
        let ended = try browsers.map { browser in
            let id = try session(browser, at: 3).id
            return mobile.revocations.isRevoked(tokenID: id, subject: "joe", backendID: nil, issuedAt: nil)
        }
        #expect(ended == [true, false, false])
        // Another login of the same browser takes the place of its own.
        browsers[1].get(at: 4)
        browsers[1].logIn(at: 4)
        let other = try session(browsers[2], at: 5).id
        #expect(!mobile.revocations.isRevoked(tokenID: other, subject: "joe", backendID: nil, issuedAt: nil))
    }

    @Test("a form is bound to its browser, time and purpose")
    func tickets() throws {
        let mobile = Mobile()
        let (browser, stranger) = (Browser(mobile), Browser(mobile))
        browser.get()
        let (nonce, hidden) = (browser.cookies, browser.hidden)
        // Login CSRF: another user's form, with no cookie or another one.
        stranger.get()
        let foreign = stranger.submitting(hidden, [("username", "joe"), ("password", "Welcome1")])
        #expect(foreign.status == 403 && "\(foreign.reason)" == "login_form_foreign")
        #expect(stranger.session == nil && foreign.text.contains("role=\"alert\""))
        browser.cookies = [:]
        #expect(browser.logIn().status == 403)
        browser.cookies = nonce
        browser.get()
        let late = browser.logIn(at: 600)
        #expect(late.status == 403 && "\(late.reason)" == "login_form_expired")
        // The page that says so has a form that works, and still knows where to go.
        #expect(browser.logIn(at: 601).field("Location") == "/mobileapp?a=b")
        // After a logout the ticket is of no more use.
        let fields = [(name: "accept", value: "text/html")]
        browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout, fields: fields)
        #expect(browser.submit([], endpoint: .mobileLogout).status == 200)
        browser.get()
        #expect(browser.submitting(hidden, [("username", "joe"), ("password", "Welcome1")]).status == 403)
    }

    @Test("a malformed form, or one with a repeated field, is refused")
    func bodies() {
        let browser = Browser(Mobile())
        browser.get()
        let typed = [("username", "joe"), ("password", "Welcome1")]
        #expect(browser.submitting(browser.hidden, typed + [("username", "ann")]).status == 403)
        browser.get()
        #expect(browser.submitting([], typed).status == 403)
        browser.get()
        #expect(browser.logIn("", "").status == 401)
        #expect(browser.logIn("joe", String(repeating: "x", count: 1025)).status == 401)
    }

    @Test("all failures are answered alike; attempts and lockout are shared with JSON logins")
    func attempts() throws {
        let mobile = Mobile { $0.applications[0].maximumLoginAttempts = 2 }
        let browser = Browser(mobile)
        browser.get()
        let unknown = browser.logIn("nobody", "x")
        let wrong = browser.logIn("off", "Welcome4")
        #expect(unknown.status == 401 && wrong.status == 401)
        let page = { (response: EndpointResponse) in
            response.text.replacing(/value="[^"]*"/, with: "").replacing(/action="[^"]*"/, with: "")
        }
        #expect(page(unknown) == page(wrong))
        #expect(unknown.text.contains("Wrong user name or password. Try again."))
        #expect(browser.logIn("joe", "no").status == 401)
        #expect(mobile.authenticate(try mobile.handle(), password: "no").status == 401)
        let locked = browser.logIn()
        #expect(locked.status == 403 && "\(locked.reason)" == "login_attempts_exceeded")
        #expect(locked.text.contains("Too many attempts") && browser.session == nil)
        #expect(browser.logIn(at: 301).status == 303)
    }

    @Test("only domains with a form scheme can be logged in to")
    func domains() {
        let browser = Browser(Mobile())
        for query in [
            "serviceDomain=Circle", "serviceDomain=Default", "", "serviceDomain=MobileServiceDomain&serviceDomain=x",
        ] {
            #expect(browser.get(query: query).status == 404, "\(query)")
        }
        #expect(browser.get("/other/form").status == 404)
    }

    @Test("a form in a tab whose half another tab has replaced goes on once that tab has logged in")
    func tabs() throws {
        let mobile = Mobile()
        let browser = Browser(mobile)
        browser.get(query: Browser.query(target: "/mobileapp?tab=1"))
        let (first, action) = (browser.hidden, browser.action)
        browser.cookies = [:]
        browser.get(query: Browser.query(target: "/mobileapp?tab=2"))
        let typed = [("username", "joe"), ("password", "Welcome1")]
        let second = browser.hidden
        #expect(browser.submitting(first, typed, to: action).status == 403 && browser.session == nil)
        #expect(browser.submitting(second, typed).field("Location") == "/mobileapp?tab=1", "the page of the last form")
        let known = try session(browser)
        #expect(browser.submitting(first, typed, to: action).field("Location") == "/mobileapp?tab=1")
        #expect(try session(browser).id == known.id)
        // Not with a session of another domain, that is weaker than the page wants, or that has ended.
        let strong = "\(Browser.form)?\(Browser.query(level: 3))"
        let other = Browser(Mobile { $0.secondStep.code = true })
        other.cookies = browser.cookies
        #expect(other.submitting(first, typed, to: strong).status == 403)
        browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
        let cookies = browser.cookies
        browser.submit([], endpoint: .mobileLogout)
        browser.cookies = cookies
        #expect(browser.submitting(first, typed, to: action).status == 403)
    }

    @Test("open redirect: a target not sealed by the gateway, or expired, is replaced by the root")
    func targets() {
        let mobile = Mobile()
        for target in [
            "//evil.example", "https://evil.example/", "/%2f%2fevil", "x",
            Mobile.seals.tickets.seal(["/a", "2"], expiresAt: .max),
        ] {
            let browser = Browser(mobile)
            browser.get(query: "serviceDomain=MobileServiceDomain&target=\(target)")
            #expect(browser.logIn().field("Location") == "/", "\(target)")
        }
        let late = Browser(mobile)
        late.get(query: Browser.query(at: -86_400))
        #expect(late.logIn().field("Location") == "/")
    }

    @Test("CHAL-06: a higher level requires the second step; an unreachable one ends with a page, not a loop")
    func stepUp() throws {
        let mobile = Mobile {
            $0.secondStep.code = true
            $0.secondStep.onDemand = true
        }
        let browser = Browser(mobile)
        browser.get()
        #expect(browser.logIn().status == 303)
        let low = try session(browser)
        #expect(low.login.level == 2)
        browser.get(query: Browser.query(level: 3))
        let asked = browser.logIn()
        #expect(asked.status == 200 && asked.text.contains("autocomplete=\"one-time-code\""))
        #expect(asked.text.contains("<p>You are signing in as joe.</p>"))
        #expect(asked.text.contains("background: var(--page)"))
        #expect(try session(browser).id == low.id)
        let wrong = browser.submit([("answer", "000000")])
        #expect(wrong.status == 401 && wrong.text.contains("aria-invalid"))
        #expect(wrong.text.contains("<p>You are signing in as joe.</p>"))
        let code = OneTimeCode.code(of: Mobile.oneTimeSecret, step: Mobile.start / OneTimeCode.stepSeconds)
        #expect(browser.submit([("answer", code)]).field("Location") == "/mobileapp?a=b")
        #expect(try session(browser).login.level == 3)
        #expect(mobile.revocations.isRevoked(tokenID: low.id, subject: "joe", backendID: nil, issuedAt: nil))
        let never = browser.get(query: Browser.query(level: 4))
        #expect(never.status == 403 && "\(never.reason)" == "login_level_unreachable")
    }

    @Test("OMS-14: a question is escaped as text; three wrong answers end the login")
    func question() {
        let mobile = Mobile {
            $0.secondStep.question = true
            $0.applications[0].maximumLoginAttempts = 3
        }
        let browser = Browser(mobile)
        browser.get()
        #expect(browser.logIn().text.contains("First pet?"))
        let first = browser.hidden
        #expect(browser.submit([("answer", "no")]).text.contains("First pet?"))
        #expect(browser.submit([("answer", "no")]).status == 401)
        let ended = browser.submit([("answer", "no")])
        #expect(ended.text.contains("Sign in again") && browser.hidden.count == 1)
        let again = browser.submitting(first, [("answer", "rex")])
        #expect(again.status != 303 && browser.session == nil)
    }

    @Test("RFC 9113 section 8.2.3: cookies in separate fields are joined")
    func splitCookies() throws {
        let mobile = Mobile()
        let browser = Browser(mobile)
        browser.splitsCookies = true
        browser.cookies["other"] = "1"
        browser.get()
        #expect(browser.logIn().status == 303)
        let id = try session(browser).id
        browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
        #expect(browser.submit([], endpoint: .mobileLogout).status == 200)
        #expect(mobile.revocations.isRevoked(tokenID: id, subject: "joe", backendID: nil, issuedAt: nil))
    }

    @Test("AMB-26: the default allows mistakes, and counts all spellings of a name together")
    func standardAttempts() {
        let browser = Browser(Mobile())
        for user in ["joe", "JOE", "jOe", "joe", "joe"] {
            browser.get()
            #expect(browser.logIn(user, "wrong").status == 401)
        }
        browser.get()
        #expect(browser.logIn().status == 403)
    }

    @Test("logout asks for confirmation by GET, ends the session by POST, and needs this browser's form")
    func logout() throws {
        let mobile = Mobile()
        let browser = Browser(mobile)
        browser.get()
        browser.logIn()
        let session = try session(browser)
        func isEnded() -> Bool {
            mobile.revocations.isRevoked(tokenID: session.id, subject: "joe", backendID: nil, issuedAt: nil)
        }
        let asked = browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
        #expect(asked.status == 200 && asked.text.contains("Do you want to sign out?") && !isEnded())
        let ticket = browser.hidden
        let forged = browser.submitting([("ticket", "x")], [], endpoint: .mobileLogout)
        #expect(forged.status == 403 && !isEnded() && browser.session != nil)
        let done = browser.submitting(ticket, [], endpoint: .mobileLogout)
        #expect(done.status == 200 && isEnded() && browser.cookies.isEmpty)
        #expect(record(mobile, session.id) == nil)
        #expect(done.audit?.action == "oic.logout")
        // Without a login: said, and nothing done.
        let none = browser.get(
            "/oam/server/logout", query: "", endpoint: .mobileLogout, fields: [(name: "accept", value: "text/html")])
        #expect(none.status == 200 && none.text.contains("You have signed out"))
        // An application without a token gets what it got before.
        #expect(browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout).status == 401)
    }

    @Test("on TLS, a cookie with the clear-text name is ignored")
    func names() {
        let browser = Browser(Mobile())
        browser.secure = false
        browser.get()
        browser.logIn()
        #expect(browser.session != nil)
        let plain = browser.cookies
        browser.secure = true
        browser.cookies = plain
        let page = browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
        #expect(page.status == 401, "nobody is logged in here")
    }
}
