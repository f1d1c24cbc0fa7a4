import Authorization
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

/// The consent of users (RFC 6749 section 10.2, RFC 9700 section 4.16).
@Suite struct ConsentTests {
    @Test("the page names client, user and rights, has no script, and cannot be framed")
    func page() {
        let app = Authorizing { $0.terms.scopeDescriptions = ["read": "Read <your> orders"] }
        let fields = Authorizing.fields(
            "app-client", "com.example.app:/cb", [("scope", "openid email read write")])
        let page = app.logIn(fields)
        for text in [
            "The &lt;App&gt; asks for access", "You are signed in as joe.", "Know who you are",
            "See your e-mail address", "Read &lt;your&gt; orders", "<li>write</li>", "com.example.app",
        ] { #expect(page.text.contains(text), "\(text)") }
        #expect(!page.text.contains("<script"))
        // One of the two leads.
        let buttons = page.text.split(separator: "<button").dropFirst()
        #expect(buttons.map { $0.contains("class=\"second\"") } == [false, true])
        #expect(buttons.first?.contains("value=\"approve\"") == true)
        let policy = page.field("Content-Security-Policy") ?? ""
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self' com.example.app:;"))
        #expect(page.field("X-Frame-Options") == "DENY" && page.field("Cache-Control") == "no-store")
        #expect(page.field("Referrer-Policy") == "same-origin")
    }

    @Test("a user may deny")
    func denied() {
        for decision in ["deny", "", "APPROVE"] {
            let app = Authorizing()
            app.logIn()
            let back = app.decide(decision)
            #expect(back.sent["error"] == "access_denied" && back.sent["state"] == "s" && back.sent["code"] == nil)
            #expect(app.ask().reason == .consentAsked)
        }
    }

    @Test("a consent is remembered for its user, client and scopes")
    func remembered() {
        let app = Authorizing()
        func fields(_ scope: String) -> [(String, String)] {
            Authorizing.fields("inv-client", Authorizing.redirect, [("scope", scope)])
        }
        app.logIn(fields("openid read"))
        #expect(app.decide().sent["code"] != nil)
        #expect(app.ask(fields("read")).sent["code"] != nil)
        #expect(app.ask().sent["code"] != nil)
        // More scopes are asked for, and added to the earlier ones.
        #expect(app.ask(fields("read write")).reason == .consentAsked)
        #expect(app.decide().sent["code"] != nil)
        #expect(app.ask(fields("openid read write")).sent["code"] != nil)
        #expect(app.ask(fields("read") + [("prompt", "consent")]).reason == .consentAsked)
        // Other clients and users have consents of their own.
        #expect(app.ask(Authorizing.fields("app-client", Authorizing.redirect)).reason == .consentAsked)
        let other = app.logIn(fields("read") + [("prompt", "login")], as: "ann", "Welcome2")
        #expect(other.reason == .consentAsked)
        let late = ConsentRecordsLifetime.seconds
        #expect(app.logIn(fields("read"), at: late).reason == .consentAsked)
    }

    /// 90 days.
    private enum ConsentRecordsLifetime { static let seconds: Int64 = 7_776_000 }

    @Test("programs on a device are asked about each time, since others may have their redirect URI")
    func nativePrograms() {
        let app = Authorizing()
        let fields = Authorizing.fields("app-client", "http://127.0.0.1:4711/cb")
        #expect(app.logIn(fields).text.contains("a program on this device"))
        #expect(app.decide().sent["code"] != nil)
        #expect(app.ask(fields).reason == .consentAsked)
        // Nor does a site of the client profit from it.
        #expect(app.ask(Authorizing.fields("app-client", Authorizing.redirect)).reason == .consentAsked)
    }

    @Test("clients of the operator ask for no consent, unless they want one")
    func withoutConsent() {
        let app = Authorizing()
        let fields = Authorizing.fields("own-client", "https://own.example.com/cb")
        #expect(app.logIn(fields).sent["code"] != nil)
        #expect(app.ask(fields + [("prompt", "consent")]).reason == .consentAsked)
    }

    @Test("CSRF: a form of another browser, session or request is refused")
    func foreignForms() {
        let app = Authorizing()
        app.logIn(Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "read")]))
        let (hidden, action) = (app.browser.hidden, app.browser.action)
        #expect(action == Authorizing.authorize && hidden.count == 2)
        // Another browser, logged in by the attacker or not at all.
        let other = Authorizing(store: app.signOn.store)
        let decision = [("decision", "approve")]
        func post(_ app: Authorizing, _ fields: [(String, String)]) -> EndpointResponse {
            app.browser.submitting(fields, decision, to: Authorizing.authorize, endpoint: .authorization)
        }
        #expect(post(other, hidden).reason == .loginFormForeign)
        other.logIn()
        #expect(post(other, hidden).reason == .loginFormForeign)
        // Cookies do not come from other sites.
        let elsewhere = app.browser.postFromElsewhere(
            Authorizing.authorize, hidden + decision, endpoint: .authorization)
        #expect(elsewhere.status == 403 && elsewhere.field("Location") == nil)
        // The ticket of one request with another one.
        app.ask(Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "read write")]))
        let mixed = [("ticket", hidden[0].1), ("request", app.browser.hidden[1].1)]
        #expect(post(app, mixed).reason == .loginFormForeign)
        // Another session of the same browser.
        app.logIn(Authorizing.fields() + [("prompt", "login")], as: "ann", "Welcome2")
        #expect(post(app, hidden).reason == .loginFormForeign)
        for broken in [[("ticket", ""), hidden[1]], [hidden[0], ("request", "x")], [hidden[0]]] {
            let response = post(app, broken)
            #expect(response.status == 403 && response.field("Location") == nil)
        }
    }

    @Test("CSRF: a page of another site cannot send the form", arguments: ["cross-site", "same-site", "none"])
    func otherSites(_ site: String) {
        let app = Authorizing()
        app.logIn()
        let response = app.browser.submitting(
            app.browser.hidden, [("decision", "approve")], endpoint: .authorization,
            fields: [(name: "sec-fetch-site", value: site)])
        #expect(response.status == 403 && response.field("Location") == nil)
    }

    @Test("a form is good for ten minutes, and not after the logout")
    func late() {
        let app = Authorizing()
        app.logIn()
        #expect(app.decide(at: 601).reason == .loginFormExpired)
        app.ask()
        let (hidden, cookies) = (app.browser.hidden, app.browser.cookies)
        app.get(SingleSignOnEndpoints.logoutPath, "")
        _ = app.browser.submit([], endpoint: .singleSignOnLogout)
        app.browser.cookies = cookies
        let response = app.browser.submitting(
            hidden, [("decision", "approve")], to: Authorizing.authorize, endpoint: .authorization)
        #expect(response.sent["code"] == nil)
    }

    @Test("login CSRF: the login form of another browser is refused")
    func loginForms() {
        let app = Authorizing()
        app.follow(app.ask())
        let (hidden, action) = (app.browser.hidden, app.browser.action)
        let victim = Authorizing(store: app.signOn.store)
        let sent = victim.browser.submitting(
            hidden, [("username", "ann"), ("password", "Welcome2")], to: action, endpoint: .login)
        #expect(sent.reason == .loginFormForeign && victim.signOn.cookie == nil)
    }
}
