import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TestSupport
import Testing
import TokenStorage

/// Browsers that ask for tokens (SSO-01 to SSO-12).
@Suite struct SignOnRelayTests {
    let signOn = SignOn()

    @Test("SSO-01: after the login a page shows the token")
    func shown() throws {
        let asked = signOn.ask()
        #expect(asked.status == 302)
        #expect(asked.field("Location")?.hasPrefix("/oauth2/login?request=") == true)
        let form = signOn.follow(asked)
        #expect(form.status == 200 && form.text.contains("Sign in to inventory"))
        let loggedIn = signOn.submit("joe", "Welcome1")
        #expect(loggedIn.status == 303)
        #expect(loggedIn.field("Location") == "/mobile/platform/sso/exchange-token?clientID=inv-client")
        let page = signOn.follow(loggedIn)
        #expect(page.status == 200 && page.reasonText == "sso_token_shown")
        #expect(page.values("Cache-Control") == ["no-store"])
        #expect(!page.text.contains("<script"))
        #expect(page.field("Content-Security-Policy")?.contains("script-src") == false)
        let claims = try page.pageClaims()
        #expect(claims.subject == "joe" && claims.clientID == "inv-client" && claims.roles == ["Manager"])
        #expect(claims.methods == ["pwd"] && claims.authenticatedAt == Service.now)
        #expect(page.field("Content-Security-Policy")?.hasSuffix("; sandbox") == true)
        #expect(page.field("Cross-Origin-Opener-Policy") == nil, "browsers show no sandbox that has one")
        #expect(
            page.audit?.action == "sso.token" && page.audit?.subject == "joe" && page.audit?.tokenID == claims.tokenID)
        #expect(loggedIn.audit?.action == "sso.login" && loggedIn.audit?.outcome == .granted)
    }

    @Test("SSO-02: the token is posted to the application, and is in no URL")
    func posted() throws {
        let page = signOn.logIn(
            SignOn.query("inv-client", [("redirect_uri", SignOn.target + "?a=b"), ("state", "\"><script>&=")]))
        #expect(page.status == 200 && page.reasonText == "sso_token_posted")
        #expect(page.text.contains(#"<form method="post" action="https://www.example.com/cb?a=b">"#))
        #expect(page.text.contains("<button type=\"submit\">"))
        #expect(page.text.contains(#"name="state" value="&quot;&gt;&lt;script&gt;&amp;=""#))
        #expect(
            signOn.browser.hidden.map(\.0) == ["access_token", "token_type", "expires_in", "state"], "AMB-10")
        #expect(signOn.browser.hidden[1].1 == "Bearer" && signOn.browser.hidden[2].1 == "21600")
        let policy = try #require(page.field("Content-Security-Policy"))
        #expect(policy.contains("form-action https://www.example.com/cb;"))
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && policy.contains("script-src 'sha256-"))
        #expect(page.field("Location") == nil && page.field("Referrer-Policy") == "no-referrer")
        #expect(policy.hasSuffix("; sandbox allow-forms allow-scripts"), "no page of this host reads it in a window")
        #expect(page.field("Cross-Origin-Opener-Policy") == nil)
    }

    @Test("SSO-02: no URL or log entry of the flow contains a token")
    func addresses() throws {
        let query = SignOn.query("inv-client", [("redirect_uri", SignOn.target)])
        let asked = signOn.ask(query)
        let form = signOn.follow(asked)
        let loggedIn = signOn.submit("joe", "Welcome1")
        let page = signOn.follow(loggedIn)
        let token = try #require(page.pageToken)
        for response in [asked, form, loggedIn, page] {
            #expect(response.headers.allSatisfy { $0.name == "Set-Cookie" || !$0.value.contains("eyJ") })
            #expect(response.headers.allSatisfy { !$0.value.contains(token) && !$0.value.contains("Welcome1") })
            #expect(response.audit.map { !"\($0)".contains(token) } ?? true)
        }
    }

    @Test("state is posted only if it was sent, an empty one included")
    func state() {
        signOn.logIn(SignOn.query("inv-client", [("redirect_uri", SignOn.target)]))
        #expect(signOn.browser.hidden.map(\.0) == ["access_token", "token_type", "expires_in"])
        _ = signOn.ask(SignOn.query("inv-client", [("redirect_uri", SignOn.target), ("state", "")]))
        #expect(signOn.browser.hidden.last.map { $0.0 == "state" && $0.1.isEmpty } == true)
    }

    @Test(
        "SSO-03: redirects outside the whitelist are refused before login",
        arguments: [
            "https://evil.net", "https://www.example.com@evil.net/", "javascript:alert(1)", "/cb",
            "https://a.b.example2.com/cb",
        ])
    func refused(_ target: String) {
        let response = signOn.ask(SignOn.query("inv-client", [("redirect_uri", target)]))
        #expect(response.status == 400 && response.reasonText == "sso_redirect_not_allowed")
        #expect(response.field("Location") == nil && response.values("Set-Cookie") == [])
        #expect(!response.text.contains("evil.net"))
        signOn.logIn()
        #expect(signOn.ask(SignOn.query("inv-client", [("redirect_uri", target)])).status == 400, "logged in too")
    }

    @Test("SSO-03: the whitelist is checked again at login and before the post")
    func checkedAgain() {
        let query = SignOn.query("inv-client", [("redirect_uri", SignOn.target)])
        let asked = signOn.ask(query)
        signOn.follow(asked)
        // The policy is another one by now: the same keys and store.
        let later = SignOn(store: signOn.store, whitelist: "https://elsewhere.example")
        later.browser.cookies = signOn.browser.cookies
        #expect(later.follow(asked).reasonText == "sso_redirect_not_allowed")
        let loggedIn = signOn.submit("joe", "Welcome1")
        later.browser.cookies = signOn.browser.cookies
        let page = later.follow(loggedIn)
        #expect(page.reasonText == "sso_redirect_not_allowed" && page.pageToken == nil)
    }

    @Test("AMB-19: without a whitelist there is no redirect, and the flow without one works")
    func noWhitelist() throws {
        let signOn = SignOn(whitelist: nil)
        #expect(signOn.ask(SignOn.query("inv-client", [("redirect_uri", SignOn.target)])).status == 400)
        _ = try signOn.logIn().pageClaims()
    }

    @Test(
        "SSO-06: unknown clients, and backends without SSO or OAuth Consumer, are refused",
        arguments: ["nobody", "sch-client", "off-client", "INV-CLIENT"])
    func notEnabled(_ client: String) {
        let response = signOn.ask(SignOn.query(client))
        #expect(response.status == 400 && response.reasonText == "sso_not_enabled")
        #expect(response.field("Location") == nil)
    }

    @Test(
        "SSO-12: parameters are case-sensitive and single; unknown ones are ignored",
        arguments: [
            ("client_id=inv-client", "sso_client_missing"), ("clientID=", "sso_client_missing"),
            ("clientID=inv-client&clientID=inv-client", "sso_repeated_parameter"),
            ("clientID=inv-client&state=a&state=b", "sso_repeated_parameter"),
            ("clientID=inv-client&provider=a&provider=b", "sso_repeated_parameter"),
            (
                "clientID=inv-client&redirect_uri=https://www.example.com&redirect_uri=https://evil.net",
                "sso_repeated_parameter"
            ),
            ("clientID=inv-client&state=a%0Ab", "sso_malformed_parameter"),
            ("clientID=inv-client&state=" + String(repeating: "a", count: 1025), "sso_malformed_parameter"),
        ])
    func parameters(_ query: String, _ reason: String) {
        let response = signOn.ask(query)
        #expect(response.status == 400 && response.reasonText == reason)
        #expect(reason != "sso_client_missing" || response.text.contains("clientID"))
        #expect(signOn.ask("clientID=inv-client&Redirect_URI=https://evil.net&x=1&x=2").status == 302)
    }

    @Test("SSO-09: tokens last six hours, or as the policy says")
    func lifetimes() throws {
        #expect(try signOn.logIn().pageClaims().expiresAt == Service.now + 21_600)
        let failures = ReloadFailures()
        let short = SignOn { settings in
            settings.assertions = AssertionSources(
                policy: ReloadingValue(
                    AssertionPolicy(lifetime: TokenLifetime(seconds: 60, policy: .fromExternalToken)),
                    loadedAt: Service.now, counter: failures, read: { $0(nil) }),
                certificates: ReloadingValue(
                    CertificateStore(), loadedAt: Service.now, counter: failures, read: { $0(nil) }),
                remoteKeys: { _, _, _, _ in .done(.failure(.unavailable)) })
        }
        #expect(try short.logIn().pageClaims().expiresAt == Service.now + 60)
    }

    @Test("SSO-10: a user of another realm gets a message, and can log in as another user")
    func wrongRealm() {
        let page = signOn.logIn(as: "eve", "Welcome6")
        #expect(page.status == 403 && page.reasonText == "sso_wrong_realm" && page.pageToken == nil)
        #expect(page.text.contains("prompt=login"))
        #expect(page.audit?.outcome == .refused)
        #expect(signOn.ask(SignOn.query("oth-client")).status == 200, "at home the same login counts")
    }

    @Test("MBE-09: of two users with one name, the one in the backend's realm logs in")
    func namesake() throws {
        #expect(try signOn.logIn(as: "ann", "Welcome2").pageClaims().roles == ["Clerk"])
        let other = SignOn()
        other.follow(other.ask())
        #expect(other.submit("ann", "Welcome6").status == 401)
    }

    @Test("MBE-11: no one logs in without a password", arguments: ["sso1", "off", "nobody"])
    func noPassword(_ user: String) {
        signOn.follow(signOn.ask())
        let response = signOn.submit(user, "x")
        #expect(response.status == 401 && response.text.contains("Wrong user name or password"))
        #expect(signOn.cookie == nil)
    }
}
