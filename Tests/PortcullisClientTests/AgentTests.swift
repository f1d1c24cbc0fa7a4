import Bytes
import ClientStore
import Foundation
import Synchronization
import Testing

@testable import PortcullisClient

private let sample = SSORequest(
    application: "Client", serviceDomain: "Mobile", gateway: "https://gw.example.com:443",
    resource: "https://gw.example.com/items?a=b&c", context: "encquery%3Da%2B&b", state: "s-1")

/// The agent of single sign-on without sockets (AGT-04): the URLs, the clients that it serves, and what it gives away.
@Suite struct AgentTests {
    @Test("a request comes back as it went, with any content")
    func request() throws {
        let url = sample.url(to: "agentapp://sso")
        #expect(url.hasPrefix("agentapp://sso?ssorequest=true&application=Client&"))
        #expect(isSSORequest(url))
        #expect(try parseSSORequest(url) == sample)
    }

    @Test(
        "what is no request",
        arguments: [
            ("agentapp://sso?ssorequest=true&application=Client", true),
            ("agentapp://sso?x=1&ssorequest=true&application=Client", false),
            ("agentapp://sso?SSOREQUEST=true&application=Client", false), ("agentapp://sso", false), ("", false),
            ("agentapp://sso?oamconfig=true&host=h", false),
            (sample.url(to: "a://b") + "&state=other", true), (sample.url(to: "a://b") + "#x", true),
            (sample.url(to: "a://b") + "\r\n", true), (sample.url(to: "a://b") + "&x=%zz", true),
            (sample.url(to: "a://b") + "&x=" + String(repeating: "a", count: SSORequest.longest), true),
            (sample.url(to: "a://b").replacing("Client", with: ""), true),
        ] as [(String, Bool)])
    func malformed(_ url: String, _ isMarked: Bool) {
        #expect(isSSORequest(url) == isMarked)
        #expect(throws: ClientError.self) { try parseSSORequest(url) }
    }

    @Test("a response is one to its request alone")
    func response() throws {
        let grant = SSOGrant(token: "at%2Fa+b", level: 2, seconds: 60)
        let url = completeSSORequest(state: "s-1", with: .success(grant), callback: "client://back")
        #expect(url.hasPrefix("client://back?ssoresponse=true&state=s-1&"))
        #expect(try parseSSOResponse(url, to: sample) == grant)
        for wrong in [
            completeSSORequest(state: "s-2", with: .success(grant), callback: "client://back"),
            completeSSORequest(state: "", with: .success(grant), callback: "client://back"),
            completeSSORequest(state: "s-2", with: .failure(.refused), callback: "client://back"),
            completeSSORequest(state: "s-1", with: .success(SSOGrant(token: "")), callback: "client://back"),
            url + "&token=other", url.replacing("ssoresponse=true&", with: ""), "",
        ] {
            let error = #expect(throws: ClientError.self) { try parseSSOResponse(wrong, to: sample) }
            #expect(error?.code == .malformedResponse, "\(wrong)")
        }
        for refusal in SSORefusal.allCases {
            let url = completeSSORequest(state: "s-1", with: .failure(refusal), callback: "client://back")
            let error = #expect(throws: ClientError.self) { try parseSSOResponse(url, to: sample) }
            #expect(error?.description == refusal.text)
        }
    }

    // MARK: Agent and application

    /// The way to an agent in this process; it remembers what went over it.
    private final class Channel: SSOAgentChannel {
        let applications: Set<String>
        let client: GatewayClient
        let lines = Mutex<[String]>([])
        let change: @Sendable (String) -> String

        init(_ client: GatewayClient, _ applications: Set<String>, _ change: @escaping @Sendable (String) -> String) {
            (self.client, self.applications, self.change) = (client, applications, change)
        }

        func ask(_ request: String) async throws(ClientError) -> String {
            let agent = SSOAgent(applications: applications)
            let (response, record) = await agent.process(change(request)) { () throws(ClientError) in client }
            #expect(record.refusal.map { response.contains($0.rawValue) } ?? response.contains("token="))
            lines.withLock { $0 += [request, response] }
            return response
        }
    }

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func application(_ channel: Channel, _ change: (inout ClientProfile) -> Void = { _ in }) -> GatewayClient {
        var profile = Fixture.profile
        profile.appName = "Client"
        change(&profile)
        return GatewayClient(
            profile: profile, store: CredentialStore(directory: fixture.directory + "-client"),
            transport: fixture.gateway, prompts: ClientPrompts(), agent: channel, now: { 1_000_000 })
    }

    @Test("an application behind the agent needs no login, and keeps nothing")
    func viaAgent() async throws {
        let agent = try await fixture.loggedIn()
        let channel = Channel(agent, ["Client"]) { $0 }
        let client = application(channel)
        let request = ClientRequest("GET", ScriptedGateway.base + "/items")
        #expect(try await client.execute(request).status == 200)
        let access = try #require(fixture.gateway.requests.first { $0.url.hasSuffix("/access") })
        #expect(access.json["onBehalfOf"]?.string == "Client")
        #expect(access.json["clientId"]?.string == "DemoApp")
        // The second time the token is there, for as long as the client lives.
        fixture.gateway.forget()
        #expect(try await client.execute(request).status == 200)
        #expect(fixture.gateway.paths == ["/items"])
        #expect(!FileManager.default.fileExists(atPath: fixture.directory + "-client"))
        #expect(client.authenticationContext == nil)
        // The agent's own token stays with it.
        let own = try #require(agent.accessToken)
        #expect(channel.lines.withLock { $0.allSatisfy { !$0.contains(own) } && $0.count == 2 })
    }

    private static let refusals: [(SSORefusal, Set<String>, @Sendable (inout ClientProfile) -> Void)] = [
        (.unknownApplication, ["Other"], { _ in }), (.unknownApplication, [], { _ in }),
        (.unknownApplication, ["client"], { _ in }),
        (.wrongGateway, ["Client"], { $0.serviceDomain = "Other" }),
        (
            .wrongGateway, ["Client"],
            {
                $0.baseURL = "https://evil.example.net"; $0.hosts = [ScriptedGateway.base]
            }
        ),
    ]

    @Test("a client that the agent does not serve gets nothing, and the gateway hears nothing of it", arguments: 0..<5)
    func refused(_ index: Int) async throws {
        let (refusal, applications, change) = Self.refusals[index]
        let agent = try await fixture.loggedIn()
        let client = application(Channel(agent, applications) { $0 }, change)
        let response = try await client.execute(ClientRequest("GET", ScriptedGateway.base + "/items"))
        #expect(response.status == 401)
        #expect(response.problem?.description == refusal.text)
        #expect(fixture.gateway.paths == ["/items"])
    }

    @Test("a resource on a host that the agent does not know, or a line that is no request")
    func foreign() async throws {
        let agent = try await fixture.loggedIn()
        let elsewhere = Channel(agent, ["Client"]) {
            $0.replacing("resource=https%3A%2F%2Fgw.example.com", with: "resource=https%3A%2F%2Fevil.example.net")
        }
        let response = try await application(elsewhere).execute(
            ClientRequest("GET", ScriptedGateway.base + "/items"))
        #expect(response.problem?.description == SSORefusal.wrongGateway.text)
        let garbage = Channel(agent, ["Client"]) { _ in "GET / HTTP/1.1" }
        let other = try await application(garbage).execute(ClientRequest("GET", ScriptedGateway.base + "/items"))
        #expect(other.problem?.description == SSORefusal.malformedRequest.text)
    }

    @Test("without a login at the agent, with one that has ended, and with one that is too weak")
    func login() async throws {
        let items = ClientRequest("GET", ScriptedGateway.base + "/items")
        let stranger = application(Channel(fixture.client(), ["Client"]) { $0 })
        #expect(try await stranger.execute(items).problem?.code == .loginRequired)
        let agent = try await fixture.loggedIn()
        let weak = application(Channel(agent, ["Client"]) { $0 })
        let payroll = ClientRequest("GET", ScriptedGateway.base + "/payroll/run")
        #expect(try await weak.execute(payroll).problem?.code == .loginRequired)
        fixture.gateway.change { $0.userTokens = [:] }
        #expect(try await weak.execute(items).problem?.code == .loginRequired)
        fixture.gateway.change { $0.isReachable = false }
        let channel = Channel(agent, ["Client"]) { $0 }
        let answer = try await channel.ask(sample.url(to: "a://b"))
        #expect(throws: SSORefusal.unavailable.error) { try parseSSOResponse(answer, to: sample) }
    }
}
