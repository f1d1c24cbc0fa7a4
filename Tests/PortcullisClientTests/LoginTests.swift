import Bytes
import ClientStore
import Foundation
import Synchronization
import Testing

@testable import PortcullisClient

/// Logins, what is kept of them, and their end (OMS-04 to OMS-06, OMH-01 to OMH-06, OMH-08).
@Suite struct LoginTests {
    private let fixture: Fixture
    private var gateway: ScriptedGateway { fixture.gateway }

    init() throws { fixture = try Fixture() }

    private func code(_ body: () async throws -> Void) async -> ClientError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? ClientError)?.code }
    }

    @Test("OMS-04: the profile is asked for once, then after its time with what is known of it")
    func profile() async throws {
        let client = fixture.client()
        #expect(try await client.setup().name == "DemoApp")
        _ = try await client.setup()
        _ = try await fixture.client().setup()
        #expect(gateway.paths == ["/oic_rest/rest/AppProfiles/DemoApp"])
        #expect(
            gateway.requests[0].url.hasSuffix(
                "?osType=Linux&osVer=&clientSDKVersion=11.1.2.3.0&serviceDomain=Mobile"))
        fixture.pass(seconds: 3600)
        #expect(try await client.setup().name == "DemoApp")
        #expect(gateway.requests.count == 2)
        #expect(gateway.requests[1].value("if-none-match") == "\"v1\"")
        _ = try await client.setup()
        #expect(gateway.requests.count == 2)
    }

    @Test("OMS-04: where the server says nothing, the profile's own time counts")
    func profileCacheDuration() async throws {
        gateway.change { $0.profileMaxAge = nil }
        let client = fixture.client()
        _ = try await client.setup()
        fixture.pass(seconds: 59)
        _ = try await client.setup()
        #expect(gateway.requests.count == 1)
        fixture.pass(seconds: 1)
        _ = try await client.setup()
        #expect(gateway.requests.count == 2)
    }

    @Test("OMS-02: what a mobile login needs is named")
    func missing() async {
        var profile = Fixture.profile
        profile.appName = nil
        let client = fixture.client(profile)
        #expect(await code { _ = try await client.setup() } == .missingProperty)
        profile.appName = "Other"
        let other = fixture.client(profile)
        #expect(await code { _ = try await other.setup() } == .unknownApplication)
    }

    @Test("oam-wire 3.3, 3.4: register once, authenticate, and keep neither password nor name in the clear")
    func mobile() async throws {
        let client = fixture.client()
        let context = try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(context == client.authenticationContext)
        #expect(context.level == 2)
        #expect(context.method == .mobile)
        let calls = ["register", "authenticate"].map { "/oic_rest/rest/mobile/\($0)" }
        #expect(gateway.paths == ["/oic_rest/rest/AppProfiles/DemoApp"] + calls)
        let body = gateway.requests[1].json
        #expect(body["X-Idaas-Rest-New-Token-Type-To-Create"]?.string == "CLIENTREGHANDLE")
        #expect(body["clientId"]?.string == "DemoApp")
        #expect(body["deviceProfile"]?["hardwareIds"]?.members?.isEmpty == true)
        #expect(gateway.requests[1].value("x-idaas-rest-authorization") == nil)
        // OMS-03: where the profile names another server, only the path counts.
        #expect(gateway.requests.allSatisfy { $0.url.hasPrefix(ScriptedGateway.base) })
        gateway.forget()
        try await fixture.client().authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(gateway.paths == ["/oic_rest/rest/mobile/authenticate"])
        #expect(try fixture.store.session().login?.password == nil)
    }

    @Test("OMS-22: the server receives what the application asks for, and a level")
    func wishes() async throws {
        var profile = Fixture.profile
        profile.settings.sessionTimeout = 600
        profile.settings.maxLoginAttempts = 3
        try await fixture.client(profile).authenticate(user: "joe", password: ScriptedGateway.password, level: 3)
        let body = gateway.requests[2].json
        #expect(body["sessionTimeout"]?.integer == 600)
        #expect(body["maxLoginAttempts"]?.integer == 3)
        #expect(body["idleTimeout"] == nil)
        #expect(body["level"]?.integer == 3)
    }

    @Test("a handle that the server has forgotten is got anew, and a wrong password is tried once only")
    func forgottenHandle() async throws {
        let client = try await fixture.loggedIn()
        gateway.change { $0.handles = [] }
        try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(
            gateway.paths.map { String($0.split(separator: "/").last ?? "") } == [
                "authenticate", "register", "authenticate",
            ])
        gateway.forget()
        #expect(await code { try await client.authenticate(user: "joe", password: "wrong") } == .invalidCredentials)
        #expect(gateway.paths == ["/oic_rest/rest/mobile/authenticate"])
    }

    @Test("OMS-14, OMS-18: a further question is asked and answered")
    func question() async throws {
        gateway.change { $0.asksQuestion = true }
        let silent = fixture.client()
        #expect(
            await code { try await silent.authenticate(user: "joe", password: ScriptedGateway.password) }
                == .missingAnswer)
        let asked = Mutex<[ClientPrompts.Question]>([])
        let prompts = ClientPrompts(answer: { question in
            asked.withLock { $0.append(question) }
            return "blue"
        })
        let client = fixture.client(prompts: prompts)
        try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(asked.withLock { $0 } == [.init(type: "KBA", text: "Which colour?")])
        #expect(client.authenticationContext?.user == "joe")
    }

    @Test("OMS-06: a login that there is needs no second one")
    func prompted() async throws {
        let asked = Mutex(0)
        let prompts = ClientPrompts(credentials: {
            asked.withLock { $0 += 1 }
            return .init(user: "joe", password: ScriptedGateway.password)
        })
        let client = fixture.client(prompts: prompts)
        for _ in 0..<2 { #expect(try await client.authenticate().user == "joe") }
        #expect(asked.withLock { $0 } == 1)
        #expect(
            await code {
                _ = try await GatewayClient(
                    profile: Fixture.profile, store: CredentialStore(directory: fixture.directory + "/none"),
                    transport: gateway
                ).authenticate()
            } == .loginRequired)
    }

    @Test("OMH-01, OMH-08: p@ss:w&rd+% by OAuth and by Basic", arguments: [LoginMethod.oauth, .basic])
    func backend(_ method: LoginMethod) async throws {
        let client = fixture.client()
        #expect(
            await code { try await client.authenticate(user: "joe", password: "wrong", method: method) }
                == .invalidCredentials)
        #expect(try fixture.store.session().login == nil)
        try await client.authenticate(user: "joe", password: ScriptedGateway.password, method: method)
        gateway.forget()
        let response = try await fixture.client().execute(ClientRequest("GET", "\(ScriptedGateway.base)/items"))
        #expect(gateway.requests.count == 1)
        #expect(gateway.requests[0].value("oracle-mobile-backend-id") == "mbe-inv-1")
        let basic = "Basic \(Data("joe:\(ScriptedGateway.password)".utf8).base64EncodedString())"
        #expect(gateway.requests[0].value("authorization") == (method == .oauth ? "Bearer bearer-1" : basic))
        #expect((response.status == 200) == (method == .oauth))
    }

    @Test("the method is that which the profile is made for")
    func defaultMethod() async throws {
        var profile = Fixture.profile
        profile.serviceDomain = nil
        let oauth = try await fixture.client(profile).authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(oauth.method == .oauth)
        #expect(oauth.expiresAt == 1_000_600)
        profile.clientSecret = nil
        let basic = try await fixture.client(profile).authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(basic.method == .basic)
        #expect(
            await code {
                try await fixture.client(profile).authenticate(user: "a:b", password: "c", method: .basic)
            } == .invalidArgument)
    }

    @Test("OMH-02: after a logout nothing is left, here and there", arguments: [LoginMethod.oauth, .basic, .mobile])
    func logout(_ method: LoginMethod) async throws {
        let client = fixture.client()
        gateway.change { $0.answers["/oauth2/revoke"] = .json(200, "") }
        try await client.authenticate(user: "joe", password: ScriptedGateway.password, method: method)
        gateway.forget()
        try await client.logout()
        #expect(client.authenticationContext == nil)
        let kept = try fixture.store.session()
        #expect(kept == SessionState(profile: kept.profile))
        let ends: [LoginMethod: [String]] = [.oauth: ["/oauth2/revoke"], .mobile: ["/oic_rest/rest/mobile/logout"]]
        #expect(gateway.paths == ends[method] ?? [])
        #expect(gateway.state.withLock { $0.userTokens.isEmpty })
    }

    @Test("OMH-02: an unreachable gateway does not keep users logged in")
    func logoutAlone() async throws {
        let client = try await fixture.loggedIn()
        gateway.change { $0.isReachable = false }
        #expect(await code { try await client.logout() } == .unreachable)
        #expect(try fixture.store.session().login == nil)
    }

    @Test("OMS-05: both events, with a value or an error")
    func delegate() async throws {
        let client = fixture.client()
        let listener = Listener()
        client.delegate = listener
        try await client.setup()
        try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        _ = await code { try await client.authenticate(user: "joe", password: "wrong") }
        #expect(listener.events.withLock { $0 } == ["profile DemoApp", "joe", "invalid_credentials"])
    }

    private final class Listener: GatewayClientDelegate {
        let events = Mutex<[String]>([])

        func didReceiveApplicationProfile(_ profile: ApplicationProfile?, error: ClientError?) {
            events.withLock { $0.append(profile.map { "profile \($0.name)" } ?? error?.code.rawValue ?? "") }
        }

        func didFinishAuthentication(_ context: AuthenticationContext?, error: ClientError?) {
            events.withLock { $0.append(context?.user ?? error?.code.rawValue ?? "") }
        }
    }

    @Test(
        "what a refusal of the server is called",
        arguments: [
            (403, #"{"code":"login_attempts_exceeded"}"#, ClientError.Code.loginAttemptsExceeded),
            (429, "", .loginAttemptsExceeded), (403, #"{"code":"device_denied"}"#, .refused),
            (404, "", .unknownApplication),
            (500, "", .unavailable), (503, "<html>", .unavailable), (200, "<html>", .malformedResponse),
            (400, #"{"message":"Missing attribute"}"#, .refused), (302, "", .refused),
        ])
    func refusals(_ status: Int, _ body: String, _ expected: ClientError.Code) async throws {
        let client = try await fixture.loggedIn()
        gateway.change { $0.answers["/oic_rest/rest/mobile/authenticate"] = .json(status, body) }
        #expect(await code { try await client.authenticate(user: "joe", password: "x") } == expected)
        // The login from before stays.
        #expect(client.authenticationContext != nil)
    }

    @Test("what a server says cannot steer a terminal")
    func control() {
        let reply = ServiceReply(.json(400, #"{"message":"a\u001b[2Jb"}"#))
        #expect(reply.refusal.description.contains("a [2Jb"))
    }
}
