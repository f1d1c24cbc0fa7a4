import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages
@testable import MobileSocial

/// Browsers that log in at an identity provider in place of a form (SSO-07, RP-01), and those who attack that.
@Suite struct ProviderLoginTests {
    private func session(_ browser: Browser, at seconds: Int64 = 0) throws -> Session {
        let value = Array(try #require(browser.session).utf8)
        return try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start + seconds)
    }

    @Test("a provider login returns to the browser's target with a session")
    func login() throws {
        let idp = StubProvider()
        let mobile = Mobile.withProvider([idp]) { $0.applications[0].idleTimeout = 60 }
        let browser = Browser(mobile)
        let sent = browser.get()
        #expect(sent.status == 302 && sent.reason.code == "login_at_provider")
        #expect(sent.field("Location")?.hasPrefix("https://idp.example/authorize?") == true)
        #expect(sent.field("Cache-Control") == "no-store")
        let start = try #require(idp.begun.first)
        #expect(start.redirectURI == "\(Service.baseURL)/oauth2/callback/idp")
        let answer = browser.callback(browser.state(sent))
        #expect(answer.status == 303 && answer.field("Location") == "/mobileapp?a=b")
        let session = try session(browser)
        #expect(session.subject == "idp:248289" && session.login.level == 2 && session.idleSeconds == 60)
        #expect(session.provider == "idp" && session.login.isVirtual && session.login.roles == ["Guest"])
        // The verifier that was made for this login, and no other, goes with its code.
        #expect(idp.finished.count == 1 && idp.finished[0].1 == start.secrets && idp.finished[0].0.code == "c-1")
        #expect(answer.audit?.outcome == .granted && answer.audit?.subject == "idp:248289")
    }

    @Test(
        "browsers return to the origin with their cookie, and only to the gateway's own origins",
        arguments: [
            ("gw.example.org", true, "https://gw.example.org"), ("GW.example.org:443", true, "https://gw.example.org"),
            ("gw.example.org:8080", false, "http://gw.example.org:8080"), ("gw.example.org", false, Service.baseURL),
            ("evil.example", true, Service.baseURL), ("gw.example.org@evil.example", true, Service.baseURL),
            ("gw.example.org:8443", true, Service.baseURL), ("", true, Service.baseURL),
        ])
    func origins(_ authority: String, _ secure: Bool, _ origin: String) throws {
        let idp = StubProvider()
        let browser = Browser(Mobile.withProvider([idp]))
        (browser.authority, browser.secure) = (authority, secure)
        #expect(browser.callback(browser.state(browser.get())).status == 303)
        let expected = "\(origin)/oauth2/callback/idp"
        #expect(idp.begun.map(\.redirectURI) == [expected])
        #expect(idp.redeemed == [expected], "the token endpoint wants to be told the same (RFC 6749 section 4.1.3)")
    }

    @Test("URLs made by the gateway contain no code, token or verifier")
    func noTokenInURL() throws {
        let idp = StubProvider()
        let browser = Browser(Mobile.withProvider([idp]))
        let sent = browser.get()
        let start = try #require(idp.begun.first)
        let answer = browser.callback(browser.state(sent))
        for response in [sent, answer] {
            for (_, value) in response.headers {
                for secret in [start.secrets.verifier, start.secrets.nonce, "provider-at"] {
                    #expect(!value.contains(secret), "\(value)")
                }
            }
        }
    }

    @Test("login CSRF: an answer for another browser, or without a cookie, only begins a login anew")
    func loginCSRF() throws {
        let idp = StubProvider()
        let mobile = Mobile.withProvider([idp])
        let (attacker, victim) = (Browser(mobile), Browser(mobile))
        let state = attacker.state(attacker.get())
        // Neither without a cookie nor with the cookie of another login.
        for _ in 0..<2 {
            let answer = victim.callback(state)
            #expect(answer.status == 302 && answer.reason.code == "login_at_provider")
            #expect(victim.session == nil)
            victim.get()
        }
        #expect(idp.finished.isEmpty)
        #expect(attacker.callback(state).status == 303, "what was refused elsewhere was not used up")
    }

    @Test("a state is valid once, for ten minutes, and unmodified; a login that is late begins anew")
    func replay() throws {
        let idp = StubProvider()
        let browser = Browser(Mobile.withProvider([idp]))
        let state = browser.state(browser.get())
        let cookie = browser.cookies
        #expect(browser.callback(state, at: 599).status == 303)
        browser.cookies = cookie
        let again = browser.callback(state, at: 599)
        #expect(again.status == 302 && again.reason.code == "login_at_provider" && browser.session == nil)
        #expect(idp.finished.count == 1, "the provider sees no code twice")
        let late = browser.callback(browser.state(browser.get()), at: 600)
        #expect(late.status == 302 && late.reason.code == "login_at_provider" && browser.session == nil)
        for bad in ["", "x", String(state.dropLast()), state + "A", String(state.reversed())] {
            #expect(browser.callback(bad).status == 403, "\(bad)")
        }
        #expect(
            browser.get("/oauth2/callback/idp", query: "code=c", endpoint: .providerCallback).status == 403
        )
        // Of two parameters of one name it is unknown which one was meant.
        let fresh = browser.state(browser.get())
        #expect(browser.callback(fresh, "code=a&code=b").status == 404)
        #expect(browser.callback(fresh, "state=x&code=a").status == 404)
        #expect(idp.finished.count == 1)
    }

    @Test("form tickets and provider states are not interchangeable")
    func purposes() throws {
        let browser = Browser(Mobile.withProvider([StubProvider()]))
        let state = browser.state(browser.get())
        let nonce = try #require(browser.cookies[browser.name("portcullis-login")])
        #expect(throws: BrowserLoginFailure.foreignForm) {
            try LoginTicket(
                state, for: "login MobileServiceDomain", nonce: nonce, Mobile.seals.tickets, now: Mobile.start)
        }
        let ticket = LoginTicket(purpose: "login MobileServiceDomain", target: .root, nonce: nonce)
            .sealed(Mobile.seals.tickets, now: Mobile.start)
        #expect(browser.callback(ticket).status == 403)
    }

    @Test("mix-up: a login started at one provider cannot be finished at another (RFC 9700 4.4)")
    func mixUp() throws {
        let (honest, evil) = (StubProvider("idp"), StubProvider("evil"))
        let browser = Browser(Mobile.withProvider([honest, evil]))
        let state = browser.state(browser.get())
        let answer = browser.callback(state, provider: "evil")
        #expect(answer.status == 400 && answer.reason.code == "provider_answer_foreign")
        #expect(evil.finished.isEmpty && honest.finished.isEmpty)
        #expect(browser.callback(state, provider: "unknown").status == 404)
        #expect(browser.callback(state).status == 303)
    }

    @Test("after a reload, an answer of a provider no longer used by the domain is refused")
    func reloaded() throws {
        let (early, late) = (StubProvider("idp"), StubProvider("late"))
        let store = MemoryTokenStore()
        func mobile(_ providers: [StubProvider]) -> Mobile {
            Mobile.withProvider(providers, store: store) { $0.isMobile = false }
        }
        let browser = Browser(mobile([early, late]))
        let after = Browser(mobile([late, early]))
        let form = browser.state(browser.get())
        after.cookies = browser.cookies
        let answer = after.callback(form)
        #expect(answer.status == 400 && answer.reason.code == "provider_answer_foreign")
        #expect(after.session == nil)
        let application = browser.state(
            browser.get(
                Browser.application, query: "serviceDomain=MobileServiceDomain&appName=DemoApp",
                endpoint: .applicationLogin))
        let back = after.callback(application)
        #expect(back.field("Location") == "demoapp://login?error=server_error")
        #expect(back.reason.code == "provider_answer_foreign")
    }

    @Test("each tab completes, and a callback that is loaded again goes on to its page")
    func tabs() throws {
        let idp = StubProvider()
        let browser = Browser(Mobile.withProvider([idp]))
        let query = (0..<3).map { Browser.query(target: "/mobileapp?tab=\($0)") }
        // None of them has a cookie when it asks; the last one that is set stays.
        let states = query.map { query in
            browser.cookies = [:]
            return browser.state(browser.get(query: query))
        }
        #expect(browser.callback(states[2]).field("Location") == "/mobileapp?tab=2")
        let session = try #require(browser.session)
        for (tab, state) in states.enumerated() {
            #expect(browser.callback(state).field("Location") == "/mobileapp?tab=\(tab)")
        }
        #expect(browser.session == session && idp.finished.count == 1)
        // A stronger login is not that of another tab, nor is that of another domain or one that has ended.
        browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
        let ended = browser.cookies
        browser.submit([], endpoint: .mobileLogout)
        browser.cookies = ended
        #expect(browser.callback(states[0]).status == 302)
        // A browser that comes back in vain gets a page with a way on.
        browser.cookies = [:]
        let again = browser.state(browser.callback(states[0]))
        browser.cookies = [:]
        let page = browser.callback(again)
        #expect(page.status == 403 && page.text.contains("href=\"\(Browser.form)?serviceDomain="), "\(page.text)")
    }

    @Test("fixation: a login starts a new session, and ends the previous one")
    func fixation() throws {
        let mobile = Mobile.withProvider([StubProvider()])
        let browser = Browser(mobile)
        browser.logInAtProvider()
        let first = try session(browser)
        browser.logInAtProvider()
        let second = try session(browser)
        #expect(first.id != second.id)
        #expect(mobile.revocations.isRevoked(tokenID: first.id, subject: "x", backendID: nil, issuedAt: nil))
        #expect(!mobile.revocations.isRevoked(tokenID: second.id, subject: "x", backendID: nil, issuedAt: nil))
    }

    @Test(
        "cookies are __Host-, HttpOnly, SameSite=Lax and Secure on TLS; clear-text ones are ignored"
    )
    func cookies() throws {
        let mobile = Mobile.withProvider([StubProvider()])
        let browser = Browser(mobile)
        let value = try #require(browser.get().field("Set-Cookie"))
        #expect(value.hasPrefix("__Host-portcullis-login="))
        #expect(value.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
        let clear = Browser(mobile)
        clear.secure = false
        let state = clear.state(clear.get())
        clear.secure = true
        // An attacker on the line may have set what came by the plain name.
        #expect(clear.callback(state).status == 302 && clear.session == nil)
    }

    @Test("the return target is always on this gateway")
    func openRedirect() throws {
        for target in ["//evil.example", "/\\evil.example", "https://evil.example", "/\r\nSet-Cookie: a=b"] {
            #expect(ReturnTarget(target) == nil)
        }
        let browser = Browser(Mobile.withProvider([StubProvider()]))
        // What is not sealed here is not looked at.
        let sent = browser.get(query: "serviceDomain=MobileServiceDomain&target=https://evil.example")
        #expect(browser.callback(browser.state(sent)).field("Location") == "/")
    }

    @Test("an outage is 503, a refusal 403, an invalid answer 502, each with a page; never 401")
    func failures() throws {
        let idp = StubProvider()
        let browser = Browser(Mobile.withProvider([idp]))
        for (failure, status) in [
            (ProviderFailure.unavailable("connect"), 503), (.denied("access_denied"), 403), (.answer("x"), 502),
            (.token(.expired), 502), (.wrongNonce, 400), (.codeRefused("invalid_grant"), 400),
        ] {
            idp.answer(.failure(failure))
            let answer = browser.logInAtProvider()
            #expect(answer.status == status && "\(answer.reason)" == "\(failure.reason)", "\(failure)")
            #expect(answer.text.contains(">Try again</a>") && answer.text.contains("role=\"alert\""))
            #expect((answer.field("Retry-After") != nil) == (status == 503))
            #expect(browser.session == nil)
        }
        idp.goAway()
        #expect(browser.get().status == 503)
    }

    @Test(
        "accounts of the realm get their roles and those of the claims; unknown or disabled ones are 403"
    )
    func accounts() throws {
        let idp = StubProvider(rules: StubProvider.rules(virtual: false))
        let browser = Browser(Mobile.withProvider([idp]))
        idp.answer("joe", [("groups", JSONNode(.array([JSONNode(.string("Clerk"))])))])
        #expect(browser.logInAtProvider().status == 303)
        let session = try session(browser)
        #expect(session.subject == "joe" && !session.login.isVirtual)
        #expect(session.login.roles == ["Clerk"], "those of the account are looked up when they are needed")
        for (subject, reason) in [("nobody", "provider_user_unknown"), ("off", "provider_user_disabled")] {
            idp.answer(subject)
            let answer = Browser(Mobile.withProvider([idp])).logInAtProvider()
            #expect(answer.status == 403 && "\(answer.reason)" == reason)
            #expect(answer.audit?.outcome == .refused && answer.audit?.subject == "idp:\(subject)")
            #expect(!answer.text.contains("nobody"), "the page tells nobody whether there is such a user")
        }
    }

    @Test("RP-01: domains with a provider accept no passwords, by form, application or device")
    func passwords() throws {
        let mobile = Mobile.withProvider([StubProvider()])
        let browser = Browser(mobile)
        let request = EndpointRequest(
            method: .post, path: Browser.form, query: Array(Browser.query().utf8),
            contentType: "application/x-www-form-urlencoded", body: Array("username=joe&password=Welcome1".utf8),
            secure: true)
        let posted = mobile.service.handle(request, endpoint: .browserLogin, now: Mobile.start).settled()
        #expect(posted.status == 405 && browser.session == nil)
        let device = mobile.post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE"))
        #expect(device.status == 403 && "\(device.reason)" == "use_identity_provider")
    }

    @Test("a failing store is 503, and no one is logged in")
    func storeDown() throws {
        let browser = Browser(Mobile.withProvider([StubProvider()], store: FailingStore()))
        let answer = browser.logInAtProvider()
        #expect(answer.status == 503 && browser.session == nil)
    }

    @Test("a logout continues at the provider by a page, without a token in the URL")
    func logout() throws {
        let mobile = Mobile.withProvider([StubProvider()])
        let browser = Browser(mobile)
        browser.logInAtProvider()
        let id = try session(browser).id
        let question = browser.get(
            "/oam/server/logout", query: "", endpoint: .mobileLogout, fields: [(name: "accept", value: "text/html")])
        #expect(question.status == 200 && question.text.contains("<form"))
        let answer = browser.submit([], endpoint: .mobileLogout)
        #expect(answer.status == 200 && browser.session == nil)
        #expect(answer.field("Refresh") == "0; url=https://idp.example/logout?client_id=gateway")
        #expect(answer.text.contains(#"<a href="https://idp.example/logout?client_id=gateway">"#))
        #expect(mobile.revocations.isRevoked(tokenID: id, subject: "x", backendID: nil, issuedAt: nil))
    }
}

/// A store that does not answer.
final class FailingStore: TokenStore {
    let kind: StaticString = "failing"
    let state = StoreState.unavailable(since: 0)

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        then(.failure(.unavailable))
    }
}
