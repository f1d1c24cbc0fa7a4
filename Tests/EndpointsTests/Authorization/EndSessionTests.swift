import Authorization
import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import TestSupport
import Testing

/// Logout at the word of an application (OpenID Connect RP-Initiated Logout 1.0).
@Suite struct EndSessionTests {
    private static let after = "https://app.example.com/out?a=b"

    private static func authorizing() -> Authorizing {
        Authorizing {
            $0.clients = Authorizing.clients { list in
                list[0].grants.authorization?.postLogoutURIs = [after].compactMap { try? ClientRedirectURI($0) }
            }
        }
    }

    /// The tokens of a login with the scope `openid`.
    private static func logIn(_ app: Authorizing, as user: (String, String) = ("joe", "Welcome1")) throws
        -> EndpointResponse
    {
        let fields = Authorizing.fields("inv-client", Authorizing.redirect, [("scope", "openid")])
        var page = app.logIn(fields, as: user.0, user.1)
        if page.reason == .consentAsked { page = app.decide() }
        return app.redeem(try #require(page.sent["code"], "\(page.reason)"))
    }

    private static func end(
        _ app: Authorizing, _ fields: [(String, String)], _ more: [(name: String, value: String)] = [],
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        app.browser.get(
            EndpointPaths.standard[.endSession], query: Browser.form(fields), endpoint: .endSession, fields: more,
            at: seconds)
    }

    private static func hint(_ reply: EndpointResponse) throws -> String {
        try #require(reply.json?["id_token"]?.string, "\(reply.text)")
    }

    @Test("the ID token of the session logs out at once and sends the browser back, also an expired one")
    func own() throws {
        for seconds: Int64 in [0, 7000] {
            let app = Self.authorizing()
            let reply = try Self.logIn(app)
            let fields = [
                ("id_token_hint", try Self.hint(reply)), ("post_logout_redirect_uri", Self.after), ("state", "s 1"),
                ("ui_locales", "de"), ("logout_hint", "joe"),
            ]
            let back = Self.end(app, fields, at: seconds)
            #expect(back.status == 303 && back.field("Location") == "\(Self.after)&state=s%201", "\(back.headers)")
            #expect(back.audit?.action == "sso.logout" && back.audit?.subject == "joe")
            #expect(app.signOn.cookie == nil)
            #expect(try app.signOn.isGood(reply.claims(at: Mobile.start)) == false)
            let form = Browser.form([("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")])
            #expect(app.signOn.settings.families.answer(tokenRequest(form), at: Mobile.start).error == "invalid_grant")
            // A browser without a session goes back as well.
            #expect(Self.end(app, fields, at: seconds).field("Location") == "\(Self.after)&state=s%201")
        }
    }

    @Test("without an address a page says that the user is logged out")
    func page() throws {
        let app = Self.authorizing()
        let done = Self.end(app, [("id_token_hint", try Self.hint(Self.logIn(app)))])
        #expect(done.status == 200 && done.reason == .loggedOut && app.signOn.cookie == nil)
    }

    @Test("CSRF: without an ID token of the session the user is asked, by a form with a ticket")
    func asked() throws {
        let app = Self.authorizing()
        let other = Self.authorizing()
        let foreign = try Self.hint(Self.logIn(other, as: ("ann", "Welcome2")))
        let earlier = try Self.hint(Self.logIn(Self.authorizing()))
        let reply = try Self.logIn(app)
        for fields in [
            [], [("client_id", "inv-client")], [("id_token_hint", foreign)], [("id_token_hint", earlier)],
        ] as [[(String, String)]] {
            let address = fields.isEmpty ? [] : [("post_logout_redirect_uri", Self.after)]
            let question = Self.end(app, fields + address)
            #expect(question.status == 200 && question.reason == .logoutForm, "\(fields) \(question.reason)")
            #expect(app.signOn.cookie != nil && question.field("Location") == nil)
        }
        let policy = Self.end(app, [("client_id", "inv-client"), ("post_logout_redirect_uri", Self.after)])
            .field("Content-Security-Policy")
        #expect(policy?.contains("form-action 'self' https://app.example.com/out;") == true, "\(policy ?? "")")
        let hidden = app.browser.hidden
        let path = EndpointPaths.standard[.endSession]
        func post(_ app: Authorizing, _ fields: [(String, String)], _ site: String = "same-origin") -> EndpointResponse
        {
            app.browser.submitting(
                fields, [], to: path, endpoint: .endSession, fields: [(name: "sec-fetch-site", value: site)])
        }
        // A ticket of another browser, none that is valid, and a form of another site.
        for attempt in [
            post(app, [("ticket", "x")] + hidden.dropFirst()), post(app, hidden, "cross-site"),
            post(other, hidden),
        ] { #expect(attempt.status == 403 && attempt.field("Location") == nil) }
        #expect(try app.signOn.isGood(reply.claims(at: Mobile.start)) && app.signOn.cookie != nil)
        // The address of the form counts as little as that of the link.
        let moved = hidden.map { $0.0 == "post_logout_redirect_uri" ? ($0.0, "https://evil.net/") : $0 }
        #expect(post(app, moved).reason == .logoutRequestInvalid && app.signOn.cookie != nil)
        let done = post(app, hidden)
        #expect(done.status == 303 && done.field("Location") == Self.after && app.signOn.cookie == nil)
        #expect(try app.signOn.isGood(reply.claims(at: Mobile.start)) == false)
    }

    @Test("a form of another site becomes a link, and a fetch of a page does nothing")
    func otherSites() throws {
        let app = Self.authorizing()
        let hint = try Self.hint(Self.logIn(app))
        let moved = app.browser.postFromElsewhere(
            EndpointPaths.standard[.endSession], [("id_token_hint", hint), ("x", "y")], endpoint: .endSession)
        #expect(moved.field("Location") == "\(EndpointPaths.standard[.endSession])?id_token_hint=\(hint)")
        let image = Self.end(app, [("id_token_hint", hint)], [(name: "sec-fetch-dest", value: "image")])
        #expect(image.reason == .ssoNotNavigated && app.signOn.cookie != nil)
        #expect(Self.end(app, [("id_token_hint", hint)]).reason == .loggedOut)
    }

    @Test("no open redirect: only a registered address of a known client")
    func redirects() throws {
        let app = Self.authorizing()
        let hint = try Self.hint(Self.logIn(app))
        for uri in [
            "https://app.example.com/out", "https://app.example.com/out?a=b&c=d", "https://evil.net/", "//evil.net",
            "https://app.example.com.evil.net/out?a=b", "https://app.example.com@evil.net/out?a=b", "/", "javascript:x",
            "https://APP.example.com/out?a=b", "https://app.example.com/out?a=b#x", Authorizing.redirect,
            #"https:\\app.example.com\out?a=b"#, " https://app.example.com/out?a=b",
        ] {
            for known in [("id_token_hint", hint), ("client_id", "inv-client")] {
                let reply = Self.end(app, [known, ("post_logout_redirect_uri", uri)])
                #expect(reply.status == 400 && reply.reason == .logoutRequestInvalid, "\(uri)")
                #expect(reply.field("Location") == nil && !reply.text.contains("evil"))
            }
        }
        for fields in [
            [], [("client_id", "nobody")], [("client_id", "app-client")], [("client_id", "off-client")],
            [("client_id", "app-client"), ("id_token_hint", hint)], [("client_id", "inv-client"), ("state", "a\nb")],
        ] as [[(String, String)]] {
            let reply = Self.end(app, fields + [("post_logout_redirect_uri", Self.after)])
            #expect(reply.status == 400 && reply.field("Location") == nil, "\(fields)")
        }
        let twice = Self.end(
            app, [("client_id", "inv-client"), ("client_id", "x"), ("post_logout_redirect_uri", Self.after)])
        #expect(twice.status == 400 && app.signOn.cookie != nil)
    }

    @Test("hints that this gateway did not sign, or not as ID tokens, are refused")
    func forgedHints() throws {
        let app = Self.authorizing()
        let reply = try Self.logIn(app)
        let hint = try Self.hint(reply)
        let parts = hint.split(separator: ".").map(String.init)
        func text(_ json: String) -> String {
            String(decoding: Base64.encode(Array(json.utf8).span, .url), as: UTF8.self)
        }
        func signed(_ key: SigningKey, _ change: (String) -> String) throws -> String {
            let claims = Base64.decode(Array(parts[1].utf8).span, .url)
            let json = change(String(decoding: try #require(claims), as: UTF8.self))
            return String(decoding: JWTSigner(key: key).sign(claims: Array(json.utf8)), as: UTF8.self)
        }
        let issuer = try signed(Service.key) { $0.replacing(Service.baseURL, with: "https://other.example.com") }
        for forged in [
            "x", parts[0] + "." + parts[1] + ".", text(#"{"alg":"none"}"#) + "." + parts[1] + ".",
            text(#"{"alg":"none"}"#) + "." + parts[1] + "." + parts[2], issuer,
            try signed(SigningKey.generate(.es256)) { $0 },
            try signed(Service.key) { $0.replacing(#""sid""#, with: #""xid""#) },
            try #require(reply.accessToken),
        ] {
            let refused = Self.end(app, [("id_token_hint", forged), ("post_logout_redirect_uri", Self.after)])
            #expect(refused.reason == .logoutRequestInvalid && app.signOn.cookie != nil, "\(forged)")
        }
        #expect(try Self.end(app, [("id_token_hint", signed(Service.key) { $0 })]).reason == .loggedOut)
    }
}
