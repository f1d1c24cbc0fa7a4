import Authorization
import Bytes
import Crypto
import Endpoints
import Foundation
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// Clients that register themselves (RFC 7591, RFC 7592).
@Suite struct RegistrationTests {
    static let loopback = "http://127.0.0.1:4711/cb"
    static let token = String(repeating: "t", count: 43)

    /// The gateway with an open registration at the client `inventory`, which has refresh tokens.
    static func authorizing(
        store: any TokenStore = MemoryTokenStore(), storeKey: TokenDigestKey = Service.storeKey,
        clients: Clients = Authorizing.clients(),
        _ change: (inout RegistrationSettings) -> Void = { _ in }
    ) -> Authorizing {
        Authorizing(store: store) {
            $0.storeKey = storeKey
            $0.clients = clients
            var rules = RegistrationRules()
            rules.isOpen = true
            rules.redirects = [.loopback, .scheme("com.example.app"), .origin("https://app.example.com")]
            rules.scopes = ["openid", "read"]
            var registration = RegistrationSettings(rules, sponsorID: "mbe-inv-1")
            change(&registration)
            $0.registration = registration
        }
    }

    static func closed() -> Authorizing {
        authorizing {
            $0.rules.isOpen = false
            $0.tokenDigests = [DigestAlgorithm.sha256.digest(Array(token.utf8).span)]
        }
    }

    @discardableResult
    static func register(
        _ app: Authorizing, _ members: String = "", redirect: String = loopback, token: String? = nil,
        from address: String = "192.0.2.1", type: String = "application/json", at seconds: Int64 = 0
    ) -> EndpointResponse {
        let more = members.isEmpty ? "" : ", \(members)"
        return send(
            app, .post, "", #"{"redirect_uris": ["\#(redirect)"]\#(more)}"#, token, address, type, at: seconds)
    }

    static func send(
        _ app: Authorizing, _ method: HTTP.Method, _ path: String, _ body: String = "", _ token: String? = nil,
        _ address: String = "192.0.2.1", _ type: String = "application/json", at seconds: Int64 = 0
    ) -> EndpointResponse {
        let request = EndpointRequest(
            method: method, path: EndpointPaths.standard[.clientRegistration] + path, contentType: type,
            authorization: token.map { ["Bearer \($0)"] } ?? [], body: Array(body.utf8), address: IPAddress(address))
        let endpoint = path.isEmpty ? EndpointDescriptor.clientRegistration : .registeredClient
        return app.signOn.settings.families.answer(request, endpoint, at: Mobile.start + seconds)
    }

    /// A client that has registered, and the tokens of a login.
    struct Client {
        let app: Authorizing
        let id: String
        let secret: String?
        let access: String
        let redirect: String

        init(
            _ app: Authorizing, _ members: String = #""token_endpoint_auth_method": "none""#,
            redirect: String = loopback
        )
            throws
        {
            self.app = app
            self.redirect = redirect
            let reply = register(app, members, redirect: redirect)
            id = try #require(reply.json?["client_id"]?.string, "\(reply.text)")
            secret = reply.json?["client_secret"]?.string
            access = try #require(reply.json?["registration_access_token"]?.string)
        }

        func fields(_ scope: String = "openid read", _ more: [(String, String)] = []) -> [(String, String)] {
            Authorizing.fields(id, redirect, [("scope", scope)] + more)
        }

        func code(at seconds: Int64 = 0) throws -> String {
            let asked = app.ask(fields(), at: seconds)
            let page = asked.reason == .ssoLoginAsked ? app.logIn(fields(), at: seconds) : asked
            #expect(page.reason == .consentAsked, "\(page.reason) \(page.text)")
            return try #require(app.decide(at: seconds).sent["code"])
        }

        func redeem(_ code: String, at seconds: Int64 = 0) -> EndpointResponse {
            app.redeem(code, id, secret, [("redirect_uri", redirect)], at: seconds)
        }

        func grant(_ form: [(String, String)], at seconds: Int64 = 0) -> EndpointResponse {
            let named = secret == nil ? [("client_id", id)] : []
            return app.signOn.settings.families.answer(
                tokenRequest(Browser.form(form + named), secret.map { basic(id, $0) }), at: Mobile.start + seconds)
        }
    }

    // MARK: The client

    @Test("a registered client logs a user in: public, by Basic and by the form", arguments: [0, 1, 2])
    func login(_ kind: Int) throws {
        let method = ["none", "client_secret_basic", "client_secret_post"][kind]
        let app = Self.authorizing()
        let client = try Client(
            app,
            #"""
            "token_endpoint_auth_method": "\#(method)", "grant_types": ["authorization_code", "refresh_token"]
            """#)
        #expect((client.secret == nil) == (kind == 0))
        let code = try client.code()
        #expect(app.redeem(code, client.id, "wrong", [("redirect_uri", client.redirect)]).error == "invalid_client")
        let reply =
            kind == 2
            ? app.redeem(
                code, client.id, nil, [("redirect_uri", client.redirect), ("client_secret", client.secret ?? "")])
            : client.redeem(code)
        #expect(reply.status == 200, "\(reply.text)")
        let claims = try reply.claims(at: Mobile.start)
        // Routes know the client.
        #expect(claims.backendID == "mbe-inv-1" && claims.clientID == client.id)
        #expect(claims.roles == [] && claims.userRoles == ["Manager"])
        #expect(claims.kind == .user && claims.scope == "openid read")
        let refreshed = client.grant([("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")])
        #expect(refreshed.status == 200, "\(refreshed.text)")
        #expect(reply.audit?.client == client.id)
    }

    @Test("a scope gives roles that the user has, also after a refresh, and no others")
    func scopeRoles() throws {
        let app = Self.authorizing {
            $0.rules.scopes = ["openid", "read", "write"]
            $0.rules.scopeRoles = ["read": ["Clerk"], "write": ["Clerk", "Manager", "Unknown"]]
        }
        let client = try Client(
            app, #""token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"]"#)
        for (scope, roles) in [("openid", []), ("read", []), ("read write", ["Manager"])] {
            let asked = app.ask(client.fields(scope))
            let page = asked.reason == .ssoLoginAsked ? app.logIn(client.fields(scope)) : asked
            #expect(
                page.text.contains("what is open to all signed-in users")
                    && !page.text.contains("Do everything that you can do"))
            let reply = client.redeem(try #require(app.decide().sent["code"]))
            let claims = try reply.claims(at: Mobile.start)
            #expect(claims.roles == roles && claims.userRoles == ["Manager"], "\(scope)")
            let refreshed = client.grant([("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")])
            let later = try refreshed.claims(at: Mobile.start)
            #expect(later.roles == roles && later.userRoles == ["Manager"], "\(scope)")
            // A narrower scope takes its roles along.
            let narrowed = client.grant([
                ("grant_type", "refresh_token"), ("refresh_token", refreshed.refreshToken ?? ""),
                ("scope", scope.replacing(" write", with: "")),
            ])
            #expect(try narrowed.claims(at: Mobile.start).roles == [])
        }
    }

    @Test("the page says when a route gives clients all rights")
    func trusted() throws {
        let app = Self.authorizing { $0.isTrustedByRoutes = true }
        let client = try Client(app)
        let page = app.logIn(client.fields("openid"))
        #expect(page.text.contains("<li>Do everything that you can do, on your behalf</li>"), "\(page.text)")
    }

    @Test("the response has all that was registered (RFC 7591 section 3.2.1), and no store has the secret")
    func response() throws {
        let store = MemoryTokenStore()
        let app = Self.authorizing(store: store)
        let reply = Self.register(
            app,
            #"""
            "client_name": "Notes", "scope": "read write unknown", "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "logo_uri": "https://a/b", "client_id": "inv-client", "roles": ["Manager"],
            "post_logout_redirect_uris": ["http://127.0.0.1/out"]
            """#)
        #expect(reply.status == 201 && reply.field("Cache-Control") == "no-store", "\(reply.text)")
        let node = try #require(reply.json)
        #expect(
            reply.names == [
                "client_id", "client_id_issued_at", "client_name", "client_secret", "client_secret_expires_at",
                "grant_types", "post_logout_redirect_uris", "redirect_uris", "registration_access_token",
                "registration_client_uri", "response_types", "scope", "token_endpoint_auth_method",
            ])
        let id = try #require(node["client_id"]?.string)
        #expect(id.hasPrefix("dcr-") && node["client_id_issued_at"]?.integer == Mobile.start)
        #expect(node["scope"]?.string == "read" && node["client_secret_expires_at"]?.integer == 0)
        #expect(node["token_endpoint_auth_method"]?.string == "client_secret_basic")
        #expect(node["registration_client_uri"]?.string == "\(Service.baseURL)/oauth2/register/\(id)")
        #expect(reply.audit?.action == "register" && reply.audit?.client == id)
        let stored = Mutex("")
        store.perform(.find(.id(id)), now: Mobile.start) { answer in stored.withLock { $0 = "\(answer)" } }
        for name in ["client_secret", "registration_access_token"] {
            let secret = try #require(node[name]?.string)
            #expect(secret.utf8.count == 43 && !stored.withLock { $0.contains(secret) })
        }
    }

    @Test("metadata that are malformed, or ask for what no client gets, are refused")
    func metadata() {
        let app = Self.authorizing { $0.throttle = LoginThrottle(LoginThrottle.Settings(unlimited: ())) }
        for members in [
            #""grant_types": ["client_credentials"]"#, #""grant_types": ["authorization_code", "password"]"#,
            #""grant_types": ["urn:ietf:params:oauth:grant-type:token-exchange"]"#, #""grant_types": ["implicit"]"#,
            #""grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]"#, #""grant_types": ["refresh_token"]"#,
            #""grant_types": []"#, #""grant_types": "authorization_code""#, #""grant_types": [1]"#,
            #""response_types": ["token"]"#, #""response_types": []"#, #""scope": "admin""#, #""scope": 7"#,
            #""scope": "a\"b""#, #""token_endpoint_auth_method": "private_key_jwt""#,
            #""token_endpoint_auth_method": "tls_client_auth""#, #""client_name": """#,
            #""client_name": "a\u202eb""#, #""client_name": "a\nb""#, #""client_name": ["a"]"#,
            #""client_name": "\#(String(repeating: "a", count: 101))""#, #""client_name": "a", "client_name": "b""#,
        ] {
            let reply = Self.register(app, members)
            #expect(reply.status == 400 && reply.error == "invalid_client_metadata", "\(members) \(reply.text)")
            #expect(reply.audit?.outcome == .refused)
        }
        #expect(Self.register(app, type: "text/plain").error == "invalid_client_metadata")
        for body in ["", "[]", "{", "null"] {
            #expect(Self.send(app, .post, "", body).error == "invalid_client_metadata", "\(body)")
        }
        #expect(Self.send(app, .get, "").status == 405)
    }

    @Test("codes go to allowed addresses only")
    func redirects() {
        let app = Self.authorizing { $0.throttle = LoginThrottle(LoginThrottle.Settings(unlimited: ())) }
        for uri in [
            "http://app.example.com/cb", "http://127.0.0.1.evil.net/cb", "http://localhost.evil.net/cb",
            "http://127.0.0.1@evil.net/", "javascript:alert(1)", "javascript://app.example.com/%0aalert(1)",
            "data:text/html,x", "https://app.example.com/cb#x", "https://evil.net/cb",
            "https://app.example.com.evil.net/",
            "https://app.example.com:8443/cb", "https://joe@app.example.com/", "https://app.example.com@evil.net/",
            "https://app.example.com/../x", #"https://app.example.com\\@evil.net/"#, "com.evil.app:/cb", "myapp:/cb",
            "com.example.app.evil:/cb", "//app.example.com/cb", "",
        ] {
            let reply = Self.register(app, redirect: uri)
            #expect(reply.status == 400 && reply.error == "invalid_redirect_uri", "\(uri) \(reply.text)")
        }
        #expect(Self.send(app, .post, "", "{}").error == "invalid_redirect_uri")
        let many = Array(repeating: #""http://127.0.0.1/""#, count: 11).joined(separator: ",")
        #expect(Self.send(app, .post, "", #"{"redirect_uris": [\#(many)]}"#).status == 400)
        #expect(
            Self.register(app, #""post_logout_redirect_uris": ["https://evil.net/"]"#).error == "invalid_redirect_uri")
        for uri in [
            "http://[::1]:5/cb", "http://localhost:5/cb", "HTTPS://APP.example.com/cb?x=1", "com.example.app:/cb",
        ] {
            #expect(Self.register(app, redirect: uri).status == 201, "\(uri)")
        }
    }

    @Test("an authorization request counts with registered addresses only; loopback has any port")
    func destinations() throws {
        let app = Self.authorizing()
        let client = try Client(app, redirect: "https://app.example.com/cb")
        for uri in [
            "https://app.example.com/cb/", "https://app.example.com/", "https://evil.net/cb", Self.loopback, "",
            "javascript:alert(1)", "https://app.example.com/cb#x", "//evil.net",
        ] {
            let reply = app.ask(Authorizing.fields(client.id, uri))
            #expect(reply.status == 400 && reply.field("Location") == nil, "\(uri)")
        }
        let native = try Client(app)
        let other = app.ask(Authorizing.fields(native.id, "http://127.0.0.1:5/cb"))
        #expect(other.reason == .ssoLoginAsked)
        #expect(app.ask(Authorizing.fields("dcr-unknown", Self.loopback)).reason == .authorizationClientUnknown)
        #expect(
            app.ask(Authorizing.fields(client.id, client.redirect, [("scope", "write")])).sent["error"]
                == "invalid_scope")
    }

    // MARK: Consent

    @Test("users are asked each time, by escaped name, with the address and a warning")
    func consent() throws {
        let app = Self.authorizing()
        let client = try Client(
            app, #""client_name": "<script>alert(1)</script>\"", "token_endpoint_auth_method": "none""#,
            redirect: "https://app.example.com/cb")
        let page = app.logIn(client.fields())
        #expect(page.reason == .consentAsked && !page.text.contains("<script"))
        #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.text.contains("app.example.com") && page.text.contains("Its name is not verified."))
        #expect(app.decide().sent["code"] != nil)
        #expect(app.ask(client.fields()).reason == .consentAsked)
        #expect(app.ask(client.fields("read", [("prompt", "none")])).sent["error"] == "consent_required")
        // A client of the operator's has no such warning.
        #expect(!app.ask(Authorizing.fields()).text.contains("verified"))
    }

    @Test("a registered client has no grants, no introspection and no rights of its own")
    func rights() throws {
        let app = Self.authorizing()
        let client = try Client(app, #""token_endpoint_auth_method": "client_secret_basic""#)
        let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        for form in [
            [("grant_type", "client_credentials")],
            [("grant_type", "password"), ("username", "joe"), ("password", "Welcome1")],
            [("grant_type", exchange), ("subject_token", "x")],
            [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "x")],
        ] {
            let reply = client.grant(form)
            #expect(reply.status == 400, "\(form)")
            #expect(["unauthorized_client", "unsupported_grant_type"].contains(reply.error), "\(form) \(reply.text)")
        }
        // It has not registered for refresh tokens.
        let reply = client.redeem(try client.code())
        #expect(reply.status == 200 && reply.refreshToken == nil)
        #expect(client.grant([("grant_type", "refresh_token"), ("refresh_token", "x")]).status == 400)
        let families = app.signOn.settings.families
        let asked = families.answer(
            tokenRequest("token=x", basic(client.id, client.secret ?? "")), .introspection, at: Mobile.start)
        #expect(asked.error == "invalid_client")
        let assertion = families.answer(
            tokenRequest("assertion=x&client_id=\(client.id)", nil), .exchange, at: Mobile.start)
        #expect(assertion.status >= 400)
    }

    @Test("clients of one backend cannot use each other's codes and tokens")
    func apart() throws {
        let app = Self.authorizing()
        let grants = #""token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"]"#
        let (one, two) = (try Client(app, grants), try Client(app, grants))
        let code = try one.code()
        #expect(two.redeem(code).error == "invalid_grant")
        // Nor does the backend's own client.
        #expect(app.redeem(code, "inv-client", "inv-secret", [("redirect_uri", one.redirect)]).error == "invalid_grant")
        let reply = one.redeem(code)
        let refresh = [("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")]
        #expect(two.grant(refresh).error == "invalid_grant")
        let form = Browser.form([("token", reply.accessToken ?? ""), ("client_id", two.id)])
        let revoked = app.signOn.settings.families.answer(tokenRequest(form, nil), .revocation, at: Mobile.start)
        #expect(revoked.error == "invalid_grant")
        #expect(one.grant(refresh).status == 200)
        // What ends the tokens of the client ends theirs.
        app.signOn.revocations.apply(.client("mbe-inv-1", issuedBefore: Mobile.start + 10, until: Mobile.start + 1000))
        #expect(try app.signOn.isGood(reply.claims(at: Mobile.start)) == false)
    }

    @Test("a pushed request and a device, where the rules allow it")
    func others() throws {
        let app = Self.authorizing { $0.rules.allowsDevices = true }
        let client = try Client(app)
        let families = app.signOn.settings.families
        let pushed = families.answer(tokenRequest(Browser.form(client.fields()), nil), .pushedRequest, at: Mobile.start)
        let reference = try #require(pushed.json?["request_uri"]?.string, "\(pushed.text)")
        let page = app.logIn([("client_id", client.id), ("request_uri", reference)])
        #expect(page.reason == .consentAsked)
        let tv = try Client(
            app,
            #"""
            "client_name": "TV", "token_endpoint_auth_method": "none",
            "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"], "response_types": []
            """#)
        #expect(app.ask(Authorizing.fields(tv.id, tv.redirect)).reason == .authorizationClientUnknown)
        let begun = families.answer(
            tokenRequest(Browser.form([("client_id", tv.id), ("scope", "read")]), nil), .deviceAuthorization,
            at: Mobile.start)
        let user = try #require(begun.json?["user_code"]?.string, "\(begun.text)")
        app.browser.get(EndpointPaths.standard[.device], query: "", endpoint: .device)
        let sent = app.browser.submit([("user_code", user)], endpoint: .device)
        let parts = (sent.field("Location") ?? "").split(separator: "?").map(String.init)
        let asked = app.browser.get(parts[0], query: parts.last ?? "", endpoint: .device)
        #expect(asked.text.contains("TV asks for access") && asked.text.contains("is not verified"))
        #expect(app.browser.submit([("decision", "approve")], endpoint: .device).reason == .deviceDecided)
        let reply = tv.grant([
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", begun.json?["device_code"]?.string ?? ""),
        ])
        #expect(reply.status == 200 && reply.json?["scope"]?.string == "read", "\(reply.text)")
    }
}
