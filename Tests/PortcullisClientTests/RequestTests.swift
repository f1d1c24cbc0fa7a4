import Bytes
import ClientStore
import Foundation
import Synchronization
import Testing

@testable import PortcullisClient

/// The whole loop of a challenge (RST-01 to RST-04).
@Suite struct RequestTests {
    private let fixture: Fixture
    private var gateway: ScriptedGateway { fixture.gateway }

    init() throws { fixture = try Fixture() }

    private func get(_ client: GatewayClient, _ path: String) async throws -> ClientResponse {
        try await client.execute(ClientRequest("GET", ScriptedGateway.base + path))
    }

    @Test("RST-01: first 401 and then 200; from then on, also in another process, 200 only")
    func loop() async throws {
        let client = try await fixture.loggedIn()
        #expect(try await get(client, "/items").status == 200)
        #expect(gateway.paths == ["/items", "/oic_rest/rest/mobile/access", "/items"])
        gateway.forget()
        #expect(try await get(fixture.client(), "/items").status == 200)
        // Below a place where the webgate was met, its token is tried at once.
        #expect(try await get(fixture.client(), "/items/7").status == 200)
        #expect(gateway.paths == ["/items", "/items/7"])
        // Elsewhere the challenge comes first, and the token that there is answers it.
        gateway.forget()
        #expect(try await get(fixture.client(), "/reports/a").status == 200)
        #expect(try await get(fixture.client(), "/reports/a").status == 200)
        #expect(gateway.paths == ["/reports/a", "/reports/a", "/reports/a"])
    }

    @Test("oam-wire 1.3, 2 and 3.5: what /access is asked, and how the token is presented")
    func wire() async throws {
        let client = try await fixture.loggedIn()
        _ = try await get(client, "/items?page=1&q=a%20b")
        let access = gateway.requests[1]
        #expect(access.value("x-idaas-servicedomain") == "Mobile")
        #expect(access.value("content-type") == "application/json")
        let body = access.json
        #expect(body["X-Idaas-Rest-Subject-Type"]?.string == "TOKEN")
        #expect(body["X-Idaas-Rest-Subject-Value"]?.string == "ut.v1.2")
        #expect(body["X-Idaas-Rest-New-Token-Type-To-Create"]?.string == "ACCESSTOKEN")
        #expect(
            body["X-Idaas-Rest-Application-Resource"]?.string == "https://gw.example.com/items?page=1&q=a%20b")
        #expect(body["X-Idaas-Rest-Application-Context"]?.string == "InventoryWG!2!/items?page=1&q=a%20b")
        #expect(gateway.requests[2].value("authorization") == "OAM-Auth at%2F3")
        // RST-02
        #expect(gateway.requests.allSatisfy { $0.value("user-agent") == "OAMMS-Agent" })
    }

    @Test("a webgate of its own, a token of its own")
    func webgates() async throws {
        gateway.change { $0.level = 3 }
        let client = try await fixture.loggedIn()
        for path in ["/items", "/payroll/run", "/reports/a", "/items", "/payroll/run", "/reports/a"] {
            #expect(try await get(client, path).status == 200)
        }
        #expect(gateway.paths.count { $0.hasSuffix("/access") } == 2)
        #expect(client.webgates.map(\.name) == ["InventoryWG", "HighWG"])
        // The first three were challenged, the others were not.
        #expect(gateway.paths.suffix(3) == ["/items", "/payroll/run", "/reports/a"])
    }

    @Test("fifty first requests at the same time cost one token")
    func single() async throws {
        let client = try await fixture.loggedIn()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await get(client, "/items").status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 200, count: 50))
        #expect(gateway.paths.count { $0.hasSuffix("/access") } == 1)
    }

    @Test("a token that is not taken any more is got anew, once")
    func expired() async throws {
        let client = try await fixture.loggedIn()
        _ = try await get(client, "/items")
        gateway.change { $0.accessTokens = [:] }
        gateway.forget()
        #expect(try await get(client, "/items").status == 200)
        #expect(gateway.paths == ["/items", "/oic_rest/rest/mobile/access", "/items"])
        // A server that takes none at all is asked twice, and no third time.
        gateway.change {
            $0.answers["/items"] = Self.challenge(
                "OAM-Auth realm=\"InventoryWG:2 /items\", request-ctx=\"InventoryWG!2!/items\"")
        }
        gateway.forget()
        let response = try await get(client, "/items")
        #expect(response.status == 401)
        #expect(response.problem?.code == .tokenRefused)
        #expect(gateway.paths == ["/items", "/oic_rest/rest/mobile/access", "/items"])
        #expect(client.webgates.isEmpty)
    }

    private static func challenge(_ values: String...) -> ClientResponse {
        var response = ClientResponse.json(401, "{}")
        response.fields += values.map { .init("WWW-Authenticate", $0) }
        return response
    }

    /// oam-wire 8.3, vector 1.
    @Test(
        "challenges in all their forms",
        arguments: [
            (["OAM-Auth realm=\"gw:2/items\", request-ctx=\"encquery%3Da%2B\""], "encquery%3Da%2B"),
            (["OAM-Auth realm=\"host:8080:2 /items\", request-ctx=\"b\""], "b"),
            (["OAM-Auth request-ctx=\"c\", realm=\"gw:2 /items\""], "c"),
            (["OAM-Auth realm=\"gw:2 /items\", more=\"x\", request-ctx=\"d\", other=y"], "d"),
            (["Bearer realm=\"x\", OAM-Auth realm=\"gw:2 /items\", request-ctx=\"e\""], "e"),
            (["Bearer realm=\"x\"", "oam-auth REALM=\"gw:2 /items\",request-ctx=\"f\""], "f"),
            (["OAM-Auth realm=\"gw:x /items\", request-ctx=\"g\""], nil), (["Bearer realm=\"x\""], nil), ([], nil),
        ] as [([String], String?)])
    func forms(_ values: [String], _ context: String?) async throws {
        let client = try await fixture.loggedIn()
        var answer = ClientResponse.json(401, "{}")
        answer.fields += values.map { .init("WWW-Authenticate", $0) }
        let prepared = answer
        gateway.change { $0.answers["/items"] = prepared }
        let response = try await get(client, "/items")
        #expect(response.status == 401)
        guard let context else {
            // RST-02: said, and not tried again.
            #expect(response.problem?.code == .notChallenged)
            #expect(gateway.paths == ["/items"])
            return
        }
        let body = gateway.requests[1].json
        #expect(body["X-Idaas-Rest-Application-Context"]?.string == context)
    }

    @Test("RST-03: without a login, and without leave to use it, the reply comes back untouched")
    func untouched() async throws {
        let stranger = try await get(fixture.client(), "/items")
        #expect(stranger.status == 401)
        #expect(stranger.values("www-authenticate").count == 1)
        #expect(stranger.problem == nil)
        #expect(gateway.paths == ["/items"])
        let client = try await fixture.loggedIn()
        let request = ClientRequest("GET", "\(ScriptedGateway.base)/items", usesSession: false)
        #expect(try await client.execute(request).status == 401)
        #expect(gateway.paths == ["/items"])
        #expect(gateway.requests[0].value("authorization") == nil)
        #expect(gateway.requests[0].value("user-agent") == "OAMMS-Agent")
    }

    @Test("OMH-08: the anonymous key goes to the gateway, and only where there is no login")
    func anonymous() async throws {
        var profile = Fixture.profile
        profile.anonymousKey = "YW5vbi1pbnY6azN5"
        let client = fixture.client(profile)
        _ = try await get(client, "/items")
        #expect(gateway.requests[0].value("authorization") == "Basic YW5vbi1pbnY6azN5")
        #expect(gateway.requests[0].value("oracle-mobile-backend-id") == "mbe-inv-1")
        _ = try await client.execute(ClientRequest("GET", "https://else.example.com/items"))
        #expect(gateway.requests[1].value("authorization") == nil)
        _ = try await client.execute(ClientRequest("GET", "\(ScriptedGateway.base)/items", usesSession: false))
        #expect(gateway.requests[2].value("authorization") == nil)
        try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(try await get(client, "/items").status == 200)
    }

    @Test("RST-04: JSON if asked for, else an error; else bytes")
    func json() async throws {
        let client = try await fixture.loggedIn()
        let request = ClientRequest("GET", "\(ScriptedGateway.base)/items")
        #expect(try await client.execute(request, convertToJSON: true).json?["items"] == .array([]))
        gateway.change { $0.answers["/items"] = ClientResponse(status: 200, body: Array("<html>".utf8)) }
        let error = await #expect(throws: ClientError.self) {
            try await client.execute(request, convertToJSON: true)
        }
        #expect(error?.code == .notJSON)
        #expect(try await client.execute(request).body == Array("<html>".utf8))
    }

    @Test("tokens go only to the gateway and the named hosts")
    func hosts() async throws {
        let client = try await fixture.loggedIn()
        _ = try await get(client, "/items")
        gateway.change {
            $0.answers["/items"] = Self.challenge("OAM-Auth realm=\"InventoryWG:2 /items\", request-ctx=\"c\"")
        }
        for host in ["https://evil.example.com", "http://gw.example.com", "https://gw.example.com:8443"] {
            gateway.forget()
            let response = try await client.execute(ClientRequest("GET", "\(host)/items"))
            #expect(response.status == 401)
            #expect(response.problem?.code == .untrustedHost)
            #expect(gateway.requests.map(\.url) == ["\(host)/items"])
            #expect(gateway.requests[0].value("authorization") == nil)
        }
        // A named host has tokens of its own.
        var profile = Fixture.profile
        profile.hosts = ["https://api.example.com"]
        gateway.forget()
        _ = try await fixture.client(profile).execute(ClientRequest("GET", "https://api.example.com/items"))
        #expect(gateway.requests[0].value("authorization") == nil)
        #expect(gateway.requests[1].url == "\(ScriptedGateway.base)/oic_rest/rest/mobile/access")
    }

    @Test("step-up: a login that is too weak needs the person, who is asked once")
    func stepUp() async throws {
        _ = try await fixture.loggedIn()
        let weak = try await get(fixture.client(), "/payroll/run")
        #expect(weak.status == 401)
        #expect(weak.problem?.code == .loginRequired)
        gateway.change { $0.level = 3 }
        let asked = Mutex(0)
        let prompts = ClientPrompts(credentials: {
            asked.withLock { $0 += 1 }
            return .init(user: "joe", password: ScriptedGateway.password)
        })
        let client = fixture.client(prompts: prompts)
        #expect(try await get(client, "/payroll/run").status == 200)
        #expect(asked.withLock { $0 } == 1)
        #expect(client.authenticationContext?.level == 3)
        // The server learns what the login is for, so that it can ask for more than a password.
        let login = try #require(gateway.requests.last { $0.url.hasSuffix("/authenticate") }).json
        #expect(login["X-Idaas-Rest-Application-Context"]?.string == "HighWG!3!/payroll/run")
    }

    @Test("tokens of one person are not used by the next")
    func persons() async throws {
        let client = try await fixture.loggedIn()
        _ = try await get(client, "/items")
        _ = try fixture.store.changeSession { $0.login?.user = "ann" }
        let next = fixture.client()
        try await next.authenticate(user: "joe", password: ScriptedGateway.password)
        #expect(next.webgates.isEmpty)
        gateway.forget()
        _ = try await get(next, "/items")
        #expect(gateway.requests[0].value("authorization") == nil)
    }

    @Test("OMS-16: at an order to wipe everything is forgotten, with one event")
    func wipe() async throws {
        let client = try await fixture.loggedIn()
        try fixture.store.add(StoredCredential(url: "a", user: "u", password: "p"))
        gateway.change {
            $0.answers["/oic_rest/rest/mobile/access"] = .json(403, #"{"code":"device_wipe","action":"wipe"}"#)
        }
        let first = try await get(client, "/items")
        #expect(first.problem?.code == .deviceWiped)
        #expect(try fixture.store.credential(url: "a") == nil)
        #expect(try fixture.store.session() == SessionState())
        #expect(client.authenticationContext == nil)
        let second = try await get(client, "/items")
        #expect(second.status == 401)
        #expect(second.problem == nil)
        #expect(fixture.client().authenticationContext == nil)
    }

    @Test("OMS-16: a store that cannot be opened is wiped as well")
    func wipeUnread() async throws {
        let client = try await fixture.loggedIn()
        try Data("damaged".utf8).write(to: URL(filePath: "\(fixture.directory)/credentials"))
        gateway.change {
            $0.answers["/oic_rest/rest/mobile/access"] = .json(403, #"{"code":"device_wipe","action":"wipe"}"#)
        }
        #expect(try await get(client, "/items").problem?.code == .deviceWiped)
        #expect(try fixture.store.session() == SessionState())
        #expect(client.authenticationContext == nil && client.loadProblem == nil)
    }

    @Test("an outage behind a challenge is no wrong login")
    func outage() async throws {
        let client = try await fixture.loggedIn()
        gateway.change { $0.answers["/oic_rest/rest/mobile/access"] = .json(503, "{}") }
        let response = try await get(client, "/items")
        #expect(response.status == 401)
        #expect(response.problem?.code == .unavailable)
        #expect(client.authenticationContext != nil)
    }

    @Test(
        "an answer of /access that is no token of its type is no token",
        arguments: [
            #"{"X-Idaas-Rest-Token-Type":"ACCESSTOKEN","X-Idaas-Rest-Token-Value":""}"#,
            #"{"X-Idaas-Rest-Token-Type":"USERTOKEN","X-Idaas-Rest-Token-Value":"x"}"#, "<html>", "",
        ])
    func noToken(_ body: String) async throws {
        let client = try await fixture.loggedIn()
        gateway.change { $0.answers["/oic_rest/rest/mobile/access"] = .json(200, body) }
        let error = await #expect(throws: ClientError.self) { try await get(client, "/items") }
        #expect(error?.code == .malformedResponse)
        #expect(client.webgates.isEmpty)
    }
}
