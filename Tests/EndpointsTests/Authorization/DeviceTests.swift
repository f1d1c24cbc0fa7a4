import Authorization
import Bytes
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

/// The device grant (RFC 8628).
@Suite struct DeviceTests {
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    private static func authorizing(
        store: any TokenStore = MemoryTokenStore(), _ change: (inout SignOn.Settings) -> Void = { _ in }
    ) -> Authorizing {
        Authorizing(store: store) {
            $0.clients = Authorizing.clients { list in
                for i in list.indices where ["inv-client", "app-client"].contains(list[i].clientID) {
                    list[i].grants.allowsDevices = true
                }
            }
            change(&$0)
        }
    }

    /// A device with its codes.
    private struct Device {
        let app: Authorizing
        let code: String
        let user: String

        init(_ app: Authorizing, scope: String = "openid read", at seconds: Int64 = 0) throws {
            self.app = app
            let reply = DeviceTests.begin(app, scope: scope, at: seconds)
            code = try #require(reply.json?["device_code"]?.string, "\(reply.text)")
            user = try #require(reply.json?["user_code"]?.string)
        }

        func poll(_ client: String = "inv-client:inv-secret", at seconds: Int64 = 0) -> EndpointResponse {
            let parts = client.split(separator: ":").map(String.init)
            var form = [("grant_type", DeviceTests.grantType), ("device_code", code)]
            if parts.count == 1 { form.append(("client_id", client)) }
            return app.signOn.settings.families.answer(
                tokenRequest(Browser.form(form), parts.count == 1 ? nil : basic(parts[0], parts[1])),
                at: Mobile.start + seconds)
        }

        /// Types the code, and logs in if the browser has no session: to the consent page.
        func type(_ text: String? = nil, at seconds: Int64 = 0) -> EndpointResponse {
            app.open("", at: seconds)
            let sent = app.submitDevice([("user_code", text ?? user)], at: seconds)
            guard sent.status == 303 else { return sent }
            let next = app.followDevice(sent, at: seconds)
            guard next.status == 302 else { return next }
            app.follow(next, at: seconds)
            return app.followDevice(app.signOn.submit("joe", "Welcome1", at: seconds), at: seconds)
        }
    }

    private static func begin(
        _ app: Authorizing, _ client: String? = "inv-client", scope: String = "", from address: String = "192.0.2.1",
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        let form = [("scope", scope)] + (client == "app-client" ? [("client_id", "app-client")] : [])
        let authorization = client == "app-client" ? nil : client.map { basic($0, "inv-secret") }
        var request = tokenRequest(Browser.form(form), authorization)
        request.address = IPAddress(address)
        return app.signOn.settings.families.answer(request, .deviceAuthorization, at: Mobile.start + seconds)
    }

    @Test("a device gets tokens after its user has allowed it, once")
    func granted() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        #expect(device.poll().error == "authorization_pending")
        let page = device.type()
        #expect(page.reason == .consentAsked && page.text.contains(device.user), "\(page.reason)")
        #expect(page.text.contains("inventory") && page.text.contains("You are signed in as joe."))
        #expect(device.poll(at: 5).error == "authorization_pending")
        #expect(app.submitDevice([("decision", "approve")]).reason == .deviceDecided)
        let reply = device.poll(at: 6)
        #expect(reply.status == 200 && reply.json?["scope"]?.string == "openid read", "\(reply.text)")
        let claims = try reply.claims(at: Mobile.start + 6)
        #expect(claims.subject == "joe" && claims.clientID == "inv-client" && claims.session != nil)
        #expect(try app.identity(reply, at: 6)["sub"]?.string == "joe")
        #expect(reply.refreshToken != nil && reply.audit?.action == "grant.device_code")
        // A second exchange ends the tokens of the first.
        let again = device.poll(at: 7)
        #expect(again.error == "invalid_grant" && again.reason == .codeReused)
        let form = Browser.form([("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")])
        let refreshed = app.signOn.settings.families.answer(tokenRequest(form), at: Mobile.start + 7)
        #expect(refreshed.error == "invalid_grant")
    }

    @Test("the response has what a device shows")
    func response() throws {
        let reply = Self.begin(Self.authorizing())
        #expect(
            reply.names == [
                "device_code", "expires_in", "interval", "user_code", "verification_uri", "verification_uri_complete",
            ])
        let code = try #require(reply.json?["user_code"]?.string)
        #expect(code.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){2}/) != nil)
        #expect(reply.json?["verification_uri"]?.string == "\(Service.baseURL)/oauth2/device")
        #expect(
            reply.json?["verification_uri_complete"]?.string == "\(Service.baseURL)/oauth2/device?user_code=\(code)")
        #expect(reply.json?["device_code"]?.string?.utf8.count == 43 && reply.field("Cache-Control") == "no-store")
    }

    @Test("only clients that may get codes, and a public one names itself")
    func clients() {
        let app = Self.authorizing()
        #expect(Self.begin(app, "app-client").status == 200)
        #expect(Self.begin(app, nil).error == "invalid_client")
        #expect(Self.begin(app, scope: "admin").error == "invalid_scope")
        #expect(Self.begin(Self.authorizing { $0.terms.scopes = [] }, scope: "admin").error == "invalid_scope")
        let without = Authorizing()
        #expect(Self.begin(without).error == "unauthorized_client")
        let form = Browser.form([("grant_type", Self.grantType), ("device_code", "x")])
        let reply = without.signOn.settings.families.answer(tokenRequest(form), at: Mobile.start)
        #expect(reply.error == "unsupported_grant_type")
    }

    @Test("a code is read without case and punctuation")
    func reading() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        #expect(device.type(" " + device.user.lowercased().replacing("-", with: " . ")).reason == .consentAsked)
        #expect(UserCode(typed: "bcdf ghjk lmnp")?.shown == "BCDF-GHJK-LMNP")
        for text in [
            "", "BCDF-GHJK", "BCDF-GHJK-LMN", "BCDF-GHJK-LMNPB", "ACDF-GHJK-LMNP", "BCDF-GHJK-LMN1", "BCDF-GHJK-LMNÄ",
        ] {
            #expect(UserCode(typed: text) == nil, "\(text)")
        }
    }

    @Test("a denial is reported, and stands")
    func denied() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        #expect(device.type().reason == .consentAsked)
        let hidden = app.browser.hidden
        #expect(app.submitDevice([("decision", "deny")]).reason == .deviceDecided)
        #expect(device.poll().error == "access_denied")
        let late = app.browser.submitting(
            hidden, [("decision", "approve")], to: "/oauth2/device", endpoint: .device)
        #expect(late.reason == .deviceUserCodeUnknown && device.poll().error == "access_denied")
    }

    @Test("of two decisions at once the first stands")
    func decidedTwice() throws {
        let store = MemoryTokenStore()
        let app = Self.authorizing(store: store)
        let device = try Device(app)
        let logins = DeviceLogins(app.signOn.settings.tokens)
        let code = try #require(UserCode(typed: device.user))
        let record = try #require(try logins.find(code, now: Mobile.start).settled().get())
        #expect(logins.decide(record, subject: "joe", nil, now: Mobile.start).settled() == true)
        #expect(logins.decide(record, subject: "ann", nil, now: Mobile.start).settled() == false)
    }

    @Test("a device that asks too soon gets slow_down, and has its turn when the interval is over")
    func slowDown() throws {
        let device = try Device(Self.authorizing())
        let expected: [(Int64, String)] = [
            (0, "authorization_pending"), (5, "authorization_pending"), (9, "slow_down"), (9, "slow_down"),
            (10, "authorization_pending"), (14, "slow_down"), (20, "authorization_pending"),
        ]
        for (second, error) in expected { #expect(device.poll(at: second).error == error, "\(second)") }
    }

    @Test("codes expire")
    func expired() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        #expect(device.poll(at: 599).error == "authorization_pending")
        #expect(device.poll(at: 600).error == "expired_token" && device.poll(at: 1199).error == "expired_token")
        #expect(device.type(at: 600).reason == .deviceUserCodeUnknown)
        // Allowed, and not fetched.
        let second = try Device(app)
        _ = second.type()
        app.submitDevice([("decision", "approve")])
        #expect(second.poll(at: 600).error == "expired_token")
    }

    @Test("a network begins few logins at a public client, so that it cannot push out others")
    func networkLimit() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        for _ in 0..<64 { #expect(Self.begin(app, "app-client").status == 200) }
        let refused = Self.begin(app, "app-client")
        #expect(refused.status == 429 && refused.reason == .loginThrottled)
        #expect(Self.begin(app, "app-client", from: "192.0.2.2").status == 200)
        #expect(Self.begin(app, "app-client", at: 300).status == 200)
        // A client with a secret answers for itself.
        #expect(Self.begin(app).status == 200 && device.poll().error == "authorization_pending")
    }

    @Test("a device code is its client's")
    func foreign() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        _ = device.type()
        app.submitDevice([("decision", "approve")])
        #expect(device.poll("app-client").error == "invalid_grant")
        #expect(device.poll("own-client:own-secret").error == "unauthorized_client")
        #expect(device.poll().status == 200)
    }

    @Test("a link approves nothing, and a form counts in its own session only")
    func forgery() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        let linked = app.open("user_code=\(device.user)")
        #expect(linked.reason == .deviceCodeForm && linked.text.contains("value=\"\(device.user)\""))
        let other = try Device(app)
        #expect(other.type().reason == .consentAsked)
        let page = app.browser.hidden
        #expect(device.type().reason == .consentAsked)
        let own = app.browser.hidden
        // The ticket of another device's page, none, no cookies, and a page of another site.
        let mixed = own.filter { $0.0 != "ticket" } + page.filter { $0.0 == "ticket" }
        let decision = [("decision", "approve")]
        let path = EndpointPaths.standard[.device]
        let attempts = [
            app.browser.submitting(mixed, decision, to: path, endpoint: .device),
            app.browser.submitting(own.filter { $0.0 != "ticket" }, decision, to: path, endpoint: .device),
            app.browser.postFromElsewhere(path, own + decision, endpoint: .device),
            app.browser.submitting(
                own, decision, to: path, endpoint: .device, fields: [(name: "sec-fetch-site", value: "cross-site")]),
        ]
        for attempt in attempts { #expect(attempt.status == 403, "\(attempt.reason)") }
        #expect(device.poll().error == "authorization_pending")
        #expect(app.browser.submitting(own, decision, to: path, endpoint: .device).reason == .deviceDecided)
        #expect(device.poll().status == 200 && other.poll().error == "authorization_pending")
    }

    @Test("guesses count by network before a login, and by account after it")
    func guessing() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        func guess(_ address: String, _ code: String = "BBBB-BBBB-BBBB") -> Reason {
            app.browser.address = IPAddress(address)
            return device.type(code).reason
        }
        for _ in 0..<100 { #expect(guess("192.0.2.1") == .deviceUserCodeUnknown) }
        #expect(guess("192.0.2.1") == .loginThrottled && guess("192.0.2.1", device.user) == .loginThrottled)
        // Another network, where the user logs in. Right codes use up nothing.
        for _ in 0..<30 { #expect(guess("192.0.2.2", device.user) == .consentAsked) }
        #expect(guess("192.0.2.1", device.user) == .consentAsked, "the account does not count for its neighbours")
        for index in 0..<20 { #expect(guess("198.51.100.\(index)") == .deviceUserCodeUnknown) }
        #expect(guess("198.51.100.200") == .loginThrottled && guess("198.51.100.200", device.user) == .loginThrottled)
        // The others are not concerned.
        app.browser.cookies = [:]
        #expect(guess("192.0.2.3", device.user) == .consentAsked)
    }

    @Test("guesses from many networks leave the page open for all users")
    func manyNetworks() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        for network in 0..<60 {
            app.browser.address = IPAddress("198.51.100.\(network)")
            for _ in 0..<100 { #expect(device.type("BBBB-BBBB-BBBB").reason == .deviceUserCodeUnknown) }
        }
        app.browser.address = IPAddress("192.0.2.1")
        #expect(device.type().reason == .consentAsked)
    }

    @Test("the devices that wait at a client are limited")
    func flood() throws {
        let app = Self.authorizing()
        let first = try Device(app)
        for _ in 0..<DeviceLogins.maximumWaiting { _ = try Device(app, at: 1) }
        #expect(first.poll(at: 2).error == "invalid_grant")
    }

    @Test("the login of a device ends with the session")
    func ended() throws {
        let app = Self.authorizing()
        let device = try Device(app)
        _ = device.type()
        app.submitDevice([("decision", "approve")])
        app.get(SingleSignOnEndpoints.logoutPath, "")
        app.browser.submit([], endpoint: .singleSignOnLogout)
        #expect(device.poll().error == "invalid_grant")
    }

    @Test("metadata names the endpoint and the grant where a client may use it")
    func metadata() throws {
        func document(_ app: Authorizing) throws -> JSONNode {
            let request = EndpointRequest(method: .get, path: "/.well-known/openid-configuration", authorization: [])
            return try #require(app.signOn.settings.families.answer(request, .metadata, at: Mobile.start).json)
        }
        let with = try document(Self.authorizing())
        let address = "\(Service.baseURL)/oauth2/device_authorization"
        #expect(with["device_authorization_endpoint"]?.string == address)
        #expect(with["grant_types_supported"]?.array?.contains { $0.string == Self.grantType } == true)
        #expect(try document(Authorizing())["device_authorization_endpoint"] == nil)
    }

    @Test("a failing store is reported")
    func failing() throws {
        let store = UnsteadyStore(MemoryTokenStore())
        let app = Self.authorizing(store: store)
        let device = try Device(app)
        store.fails = true
        #expect(device.poll().status == 503 && Self.begin(app).status == 503 && device.type().status == 503)
    }
}

extension Authorizing {
    @discardableResult
    fileprivate func open(_ query: String, at seconds: Int64 = 0) -> EndpointResponse {
        browser.get(EndpointPaths.standard[.device], query: query, endpoint: .device, at: seconds)
    }

    @discardableResult
    fileprivate func submitDevice(_ typed: [(String, String)], at seconds: Int64 = 0) -> EndpointResponse {
        browser.submit(typed, endpoint: .device, at: seconds)
    }

    fileprivate func followDevice(_ response: EndpointResponse, at seconds: Int64 = 0) -> EndpointResponse {
        let parts = (response.field("Location") ?? "").split(separator: "?", maxSplits: 1).map(String.init)
        return open(parts.count > 1 ? parts[1] : "", at: seconds)
    }
}
