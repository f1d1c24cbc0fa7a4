import Authorization
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import TestSupport
import Testing
import TokenStorage

/// Requests at the authorization endpoint (RFC 6749 section 4.1, RFC 9700 section 2.1).
@Suite struct AuthorizationRequestTests {
    @Test("the login leads to the consent, and the consent to the client with code, state and issuer")
    func wholeWay() {
        let app = Authorizing()
        let form = app.follow(app.ask())
        #expect(form.status == 200 && form.text.contains("Sign in to inventory"))
        // The browser checks the redirects behind the form as well.
        #expect(
            form.field("Content-Security-Policy")?.contains("form-action 'self' https://app.example.com/cb;") == true)
        let page = app.follow(app.signOn.submit("joe", "Welcome1"))
        #expect(page.status == 200 && page.reason == .consentAsked)
        #expect(page.text.contains("inventory asks for access") && page.text.contains("app.example.com"))
        let back = app.decide()
        #expect(back.status == 303 && back.reason == .codeIssued && back.body.isEmpty)
        #expect(back.field("Location")?.hasPrefix("https://app.example.com/cb?code=") == true)
        #expect(back.sent["code"]?.utf8.count == 43 && back.sent["state"] == "s" && back.sent["iss"] == Service.baseURL)
        #expect(back.field("Referrer-Policy") == "no-referrer" && back.field("Cache-Control") == "no-store")
        #expect(back.audit?.action == "sso.code" && back.audit?.subject == "joe")
    }

    @Test(
        "an unknown client and a foreign redirect URI get a page and no redirect",
        arguments: [
            [("client_id", "nobody")], [("client_id", "")], [("client_id", "sch-client")],
            [("client_id", "off-client")],
            [("redirect_uri", "")], [("redirect_uri", "https://app.example.com/cb/")],
            [("redirect_uri", "https://app.example.com/cbx")], [("redirect_uri", "https://app.example.com/cb/../x")],
            [("redirect_uri", "https://app.example.com/cb?x=1")], [("redirect_uri", "https://app.example.com/cb#x")],
            [("redirect_uri", "https://app.example.com/CB")], [("redirect_uri", "https://APP.example.com/cb")],
            [("redirect_uri", "https://app.example.com:443/cb")], [("redirect_uri", "https://app.example.com:444/cb")],
            [("redirect_uri", "https://joe@app.example.com/cb")], [("redirect_uri", "http://app.example.com/cb")],
            [("redirect_uri", "https://app.example.com.evil.net/cb")], [("redirect_uri", "https://evil.net/cb")],
            [("redirect_uri", "https://app.example.com/%63b")], [("redirect_uri", "https://app.example.com/")],
            [("redirect_uri", "https://app.example.com")], [("redirect_uri", "//app.example.com/cb")],
            [("redirect_uri", " https://app.example.com/cb")],
            [("redirect_uri", "https://app.example.com\\@evil.net/cb")],
        ])
    func foreign(_ more: [(String, String)]) {
        let response = Authorizing().ask(Authorizing.fields("inv-client", Authorizing.redirect, more))
        #expect(response.status == 400 && response.field("Location") == nil)
        #expect(["authorization_client_unknown", "authorization_redirect_foreign"].contains(response.reasonText))
        #expect(response.field("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
    }

    @Test("a repeated client or redirect URI is never trusted", arguments: ["client_id", "redirect_uri"])
    func repeated(_ name: String) {
        let fields = Authorizing.fields()
        let again = fields.filter { $0.0 == name }
        #expect(Authorizing().ask(fields + again).status == 400)
        #expect(Authorizing().ask(fields + [(name, "")]).status == 400)
    }

    @Test(
        "other errors are sent to the client with state and issuer",
        arguments: [
            (("response_type", ""), "invalid_request"), (("response_type", "token"), "unsupported_response_type"),
            (("response_type", "code id_token"), "unsupported_response_type"),
            (("code_challenge", ""), "invalid_request"), (("code_challenge_method", ""), "invalid_request"),
            (("code_challenge_method", "plain"), "invalid_request"), (("code_challenge", "short"), "invalid_request"),
            (("code_challenge", String(repeating: "=", count: 43)), "invalid_request"),
            (("scope", "admin"), "invalid_scope"), (("scope", "read  write"), "invalid_scope"),
            (("prompt", "none login"), "invalid_request"), (("prompt", "create"), "invalid_request"),
            (("max_age", "-1"), "invalid_request"), (("response_mode", "fragment"), "invalid_request"),
            (("request", "x"), "request_not_supported"), (("request_uri", "urn:x"), "request_uri_not_supported"),
            (("registration", "{}"), "registration_not_supported"), (("prompt", "none"), "login_required"),
            (("nonce", String(repeating: "n", count: 257)), "invalid_request"),
        ])
    func errors(_ field: (String, String), _ error: String) {
        let response = Authorizing().ask(Authorizing.fields("inv-client", Authorizing.redirect, [field]))
        #expect(response.status == 303)
        #expect(response.sent["error"] == error, "\(response.sent)")
        #expect(
            response.sent["state"] == "s" && response.sent["iss"] == Service.baseURL && response.sent["code"] == nil)
        #expect(response.field("Location")?.hasPrefix("https://app.example.com/cb?") == true)
    }

    @Test("a refusal keeps what was compared: the client, its redirect URIs, its scopes")
    func compared() {
        func evidence(_ fields: [(String, String)]) -> String { Authorizing().ask(fields).evidence.text }
        #expect(evidence(Authorizing.fields("nobody")) == #"client_id "nobody""#)
        #expect(
            evidence(Authorizing.fields("inv-client", "https://evil.example/cb"))
                == #"redirect_uri "https://evil.example/cb", registered "https://app.example.com/cb", "https://app.example.com/other""#
        )
        let scope = Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "admin")])
        #expect(evidence(scope).hasPrefix(#"scope "admin", of the client ""#))
        #expect(evidence(Authorizing.fields()).isEmpty)
    }

    @Test("a repeated parameter is refused; a repeated state is not sent back")
    func repeatedParameters() {
        let scope = Authorizing().ask(Authorizing.fields() + [("nonce", "a"), ("nonce", "b")])
        #expect(scope.sent["error"] == "invalid_request" && scope.sent["state"] == "s")
        let state = Authorizing().ask(Authorizing.fields() + [("state", "t")])
        #expect(state.sent["error"] == "invalid_request" && state.sent["state"] == nil)
        #expect(Authorizing().ask(Authorizing.fields() + [("state", "")]).sent["error"] == "invalid_request")
    }

    @Test("a state with line breaks or beyond its length is refused", arguments: ["a\r\nSet-Cookie: x=y", "ä", "long"])
    func state(_ text: String) {
        let text = text == "long" ? String(repeating: "s", count: 1025) : text
        let response = Authorizing().ask(Authorizing.fields("inv-client", Authorizing.redirect, [("state", text)]))
        #expect(response.sent["error"] == "invalid_request" && response.sent["state"] == nil)
        #expect(response.field("Location")?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } == true)
    }

    @Test("a state is sent back as it is")
    func stateAsItIs() {
        let state = "a&b=c %\"<>#"
        let app = Authorizing()
        app.logIn(Authorizing.fields("inv-client", Authorizing.redirect, [("state", state)]))
        #expect(app.decide().sent["state"] == state)
    }

    @Test("form_post sends the answer by a form, errors too")
    func formPost() throws {
        let app = Authorizing()
        let mode = [("response_mode", "form_post")]
        app.logIn(Authorizing.fields("inv-client", Authorizing.redirect, mode))
        let page = app.decide()
        #expect(page.status == 200 && page.field("Location") == nil)
        #expect(page.text.contains(#"action="https://app.example.com/cb""#))
        #expect(page.sent["iss"] == Service.baseURL && page.sent["state"] == "s")
        #expect(app.redeem(try #require(page.sent["code"])).status == 200)
        let refused = Authorizing().ask(
            Authorizing.fields("inv-client", Authorizing.redirect, mode + [("scope", "admin")]))
        #expect(refused.status == 200 && refused.sent["error"] == "invalid_scope")
        // There is no form for a scheme of an application.
        let app2 = Authorizing().ask(Authorizing.fields("app-client", "com.example.app:/cb", mode))
        #expect(app2.sent["error"] == "invalid_request" && app2.status == 303)
    }

    @Test("a posted request goes on as a link, since cookies do not come with it")
    func posted() {
        let app = Authorizing()
        app.logIn()
        let moved = app.browser.postFromElsewhere(
            Authorizing.authorize, Authorizing.fields() + [("scope", "read")], endpoint: .authorization)
        #expect(moved.status == 303 && moved.reason == .authorizationMoved)
        #expect(app.follow(moved).reason == .consentAsked)
    }

    @Test("scripts, frames and other methods get nothing", arguments: ["empty", "iframe", "image"])
    func notNavigated(_ destination: String) {
        let app = Authorizing()
        app.logIn()
        let response = app.get(
            Authorizing.authorize, Browser.form(Authorizing.fields()),
            fields: [(name: "sec-fetch-dest", value: destination)])
        #expect(response.status == 403 && response.reason == .ssoNotNavigated)
    }

    @Test(
        "loopback has any port; other hosts, schemes and paths of it do not",
        arguments: [
            ("http://127.0.0.1:8123/cb", true), ("http://127.0.0.1/cb", true), ("http://127.0.0.1:8123/other", false),
            ("http://127.0.0.1:0/cb", false), ("http://127.0.0.1:99999/cb", false), ("http://127.0.0.1:/cb", false),
            ("http://127.0.0.1:80@evil.net/cb", false), ("http://127.0.0.1.evil.net/cb", false),
            ("http://localhost:8123/cb", false), ("https://127.0.0.1:8123/cb", false), ("com.example.app:/cb", true),
            ("com.example.app:/cb/x", false), ("com.example.app://cb", false), ("com.example.apps:/cb", false),
        ])
    func native(_ redirect: String, _ isAllowed: Bool) {
        let response = Authorizing().ask(Authorizing.fields("app-client", redirect))
        #expect((response.status == 302) == isAllowed, "\(response.status)")
    }

    @Test("prompt and max_age ask for a new login, and once")
    func newLogin() {
        for field in [("prompt", "login"), ("max_age", "0"), ("max_age", "60"), ("prompt", "select_account")] {
            let app = Authorizing()
            app.logIn()
            let fields = Authorizing.fields("inv-client", Authorizing.redirect, [field])
            let asked = app.ask(fields, at: 100)
            #expect(asked.status == 302 && asked.reason == .ssoLoginAsked, "\(field)")
            app.follow(asked, at: 100)
            let page = app.follow(app.signOn.submit("joe", "Welcome1", at: 100), at: 100)
            #expect(page.reason == .consentAsked, "\(field)")
            #expect(app.decide(at: 101).sent["code"] != nil, "\(field)")
        }
        let app = Authorizing()
        app.logIn()
        let young = Authorizing.fields("inv-client", Authorizing.redirect, [("max_age", "200")])
        #expect(app.ask(young, at: 100).reason == .consentAsked)
    }

    @Test("prompt=none answers by errors, and with a code if there is nothing to ask")
    func silent() {
        let app = Authorizing()
        let fields = Authorizing.fields("inv-client", Authorizing.redirect, [("prompt", "none")])
        #expect(app.ask(fields).sent["error"] == "login_required")
        app.logIn()
        #expect(app.ask(fields).sent["error"] == "consent_required")
        app.ask()
        _ = app.decide()
        #expect(app.ask(fields).sent["code"] != nil)
        let old = fields + [("max_age", "10")]
        #expect(app.ask(old, at: 11).sent["error"] == "login_required")
    }

    @Test("login_hint fills the form")
    func hint() {
        let app = Authorizing()
        let form = app.follow(
            app.ask(Authorizing.fields("inv-client", Authorizing.redirect, [("login_hint", "jo\"e")])))
        #expect(form.text.contains(#"value="jo&quot;e""#))
    }

    @Test("a user of another realm gets no code")
    func otherRealm() {
        let app = Authorizing()
        let page = app.logIn(as: "eve", "Welcome6")
        #expect(page.status == 403 && page.reason == .ssoWrongRealm)
        #expect(page.text.contains("resume="))
        #expect(app.ask().reason == .ssoWrongRealm)
    }

    @Test("a failing store sends the browser back")
    func store() {
        let store = UnsteadyStore(MemoryTokenStore())
        let app = Authorizing(store: store)
        app.logIn()
        store.fails = true
        #expect(app.ask().sent["error"] == "temporarily_unavailable")
        #expect(app.decide().reason != .codeIssued)
    }
}
