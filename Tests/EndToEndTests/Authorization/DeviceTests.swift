import Foundation
import Synchronization
import Testing

/// Logins for devices (RFC 8628) in the running gateway.
@Suite(.tags(.core)) struct DeviceTests {
    private static let path = "/oauth2/device"
    private static let form: Field = "Content-Type: application/x-www-form-urlencoded"

    private static func prepare(_ settings: inout FixtureSettings) {
        AuthorizationFixture.prepare(&settings)
        settings["backends"] = """
            [
              {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
               "clientSecret": "inv-secret"},
              {"name": "tv", "version": "1.0", "mobileBackendId": "mbe-tv-1", "clientId": "tv-client",
               "public": true, "deviceGrant": true, "refreshTokens": true, "displayName": "The TV"},
              {"name": "web", "version": "1.0", "mobileBackendId": "mbe-web-1", "clientId": "web-client",
               "clientSecret": "web-secret", "redirectUris": ["\(AuthorizationFixture.redirect)"]}
            ]
            """
    }

    private static func begin(_ fixture: Fixture) throws -> JSONText {
        let response = try fixture.request(
            "POST", "/oauth2/device_authorization", [form], body: "client_id=tv-client&scope=openid%20orders")
        #expect(response.status == 200, "\(response.text)")
        return JSONText(response.text)
    }

    private static func poll(_ fixture: Fixture, _ code: String) throws -> Response {
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
        return try fixture.request(
            "POST", "/oauth2/token", [form], body: "client_id=tv-client&grant_type=\(type)&device_code=\(code)")
    }

    /// Types a code and logs in: to the consent page.
    private static func type(_ code: String, _ jar: CookieJar) throws -> Response {
        let sent = try jar.fill(jar.send("GET", path), path, "user_code=\(code)")
        let asked = try jar.send("GET", #require(sent.only("Location"), "\(sent.status)"))
        guard let login = asked.only("Location") else { return asked }
        let loggedIn = try jar.fill(jar.send("GET", login), login, "username=joe&password=Welcome1")
        return try jar.send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status)"))
    }

    @Test("of several requests at once with an allowed code one gets tokens")
    func race() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let codes = try Self.begin(fixture)
        let device = try #require(codes["device_code"].string)
        let user = try #require(codes["user_code"].string)
        #expect(try Self.poll(fixture, device).text.contains("authorization_pending"))
        #expect(try Self.poll(fixture, device).text.contains("slow_down"))
        let jar = CookieJar(fixture.gateway)
        let page = try Self.type(user.lowercased(), jar)
        #expect(page.status == 200 && page.text.contains("The TV asks for access") && page.text.contains(user))
        #expect(page.text.contains("See your orders"))
        #expect(page.only("X-Frame-Options") == "DENY" && page.only("Cache-Control") == "no-store")
        #expect(try jar.fill(page, Self.path, "decision=approve").status == 200)
        let granted = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            guard let response = try? Self.poll(fixture, device), response.status == 200 else { return }
            granted.withLock { $0.append(response.text) }
        }
        let texts = granted.withLock(\.self)
        #expect(texts.count == 1)
        let tokens = JSONText(texts.first ?? "{}")
        #expect(tokens["id_token"].string != nil && tokens["refresh_token"].string != nil)
        // The other requests have ended the tokens: one of them may be a thief's.
        #expect(try Self.poll(fixture, device).status == 400)
        let written = fixture.gateway.everythingWritten
        for secret in [device, user, user.replacing("-", with: "")] { #expect(!written.contains(secret)) }
        #expect(written.contains("sso.device") && written.contains("grant.device_code"))
    }

    @Test("tokens of a device open routes, and a denial is reported")
    func granted() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        for decision in ["approve", "deny"] {
            let codes = try Self.begin(fixture)
            let device = try #require(codes["device_code"].string)
            // With a session there is no login, but a question each time.
            let page = try Self.type(try #require(codes["user_code"].string), jar)
            #expect(try jar.fill(page, Self.path, "decision=\(decision)").status == 200)
            let reply = try Self.poll(fixture, device)
            guard decision == "approve" else {
                #expect(reply.status == 400 && reply.text.contains("access_denied"))
                continue
            }
            let access = try #require(JSONText(reply.text)["access_token"].string, "\(reply.text)")
            #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 200)
            #expect(try fixture.request("GET", "/oauth2/userinfo", [.bearer(access)]).text == #"{"sub":"joe"}"#)
        }
    }

    @Test("the address of a typed code asks for the code again in another browser, signed in or not")
    func link() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let (codes, other) = (try Self.begin(fixture), try Self.begin(fixture))
        let attacker = CookieJar(fixture.gateway)
        let user = try #require(codes["user_code"].string)
        let sent = try attacker.fill(attacker.send("GET", Self.path), Self.path, "user_code=\(user)")
        let link = try #require(sent.only("Location"))
        let victim = CookieJar(fixture.gateway)
        #expect(try Self.type(try #require(other["user_code"].string), victim).text.contains("asks for access"))
        for jar in [victim, CookieJar(fixture.gateway)] {
            let page = try jar.send("GET", link)
            #expect(page.status == 200 && page.text.contains("name=\"user_code\""), "\(page.text)")
            #expect(!page.text.contains(user) && !page.text.contains("The TV"), "\(page.text)")
        }
        #expect(try Self.type(user, victim).text.contains("asks for access"), "typed there, it goes on")
    }

    @Test("CSRF and guesses: forms of other browsers and sites approve nothing, and guesses are held back")
    func attacks() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let codes = try Self.begin(fixture)
        let device = try #require(codes["device_code"].string)
        let user = try #require(codes["user_code"].string)
        let jar = CookieJar(fixture.gateway)
        // A link alone looks nothing up.
        let linked = try jar.send("GET", "\(Self.path)?user_code=\(user)")
        #expect(linked.status == 200 && linked.only("Location") == nil && linked.text.contains(user))
        let page = try Self.type(user, jar)
        let other = CookieJar(fixture.gateway)
        _ = try Self.type(user, other)
        for attempt in [
            try other.fill(page, Self.path, "decision=approve"),
            try CookieJar(fixture.gateway).fill(page, Self.path, "decision=approve"),
            try jar.fill(page, Self.path, "decision=approve", ["Sec-Fetch-Site: cross-site"]),
        ] {
            #expect(attempt.status == 403)
        }
        #expect(try Self.poll(fixture, device).text.contains("authorization_pending"))
        let form = try jar.send("GET", Self.path)
        let statuses = try (0..<40).map { _ in try jar.fill(form, Self.path, "user_code=BBBB-BBBB-BBBB").status }
        #expect(Set(statuses) == [400, 429] && statuses.last == 429)
    }
}
