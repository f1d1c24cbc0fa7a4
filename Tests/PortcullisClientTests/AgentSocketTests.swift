import ClientStore
import Foundation
import Reactor
import Synchronization
import Testing

@testable import PortcullisClient

/// The agent's socket (AGT-04): whose it is, how long a line may be, and how long one may wait.
@Suite struct AgentSocketTests {
    private let fixture: Fixture
    private var path: String { "\(fixture.directory)/agent/socket" }

    init() throws { fixture = try Fixture() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private final class Visit: Sendable {
        private let ended = Mutex(false)
        var isOver: Bool { ended.withLock { $0 } }
        func end() { ended.withLock { $0 = true } }
    }

    /// Runs the agent for as long as `body` needs.
    private func serving(_ client: GatewayClient, _ body: () async throws -> Void) async throws {
        let server = try AgentServer(path: path)
        let path = path
        #expect(try mode(path) == 0o600 && mode(AgentSocket.directory(of: path)) == 0o700)
        // However long the test waits for its turn among the others.
        let visit = Visit()
        defer { visit.end() }
        Thread.detachNewThread {
            while !visit.isOver {
                try? server.run(
                    milliseconds: 100, SSOAgent(applications: ["Client"]),
                    client: { () throws(ClientError) in client }, report: { _ in })
            }
        }
        try await body()
        server.removeFile()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a token comes over the socket")
    func token() async throws {
        let agent = try await fixture.loggedIn()
        try await serving(agent) { () async throws in
            var profile = Fixture.profile
            profile.appName = "Client"
            let client = GatewayClient(
                profile: profile, store: CredentialStore(directory: fixture.directory + "-client"),
                transport: fixture.gateway, prompts: ClientPrompts(), agent: AgentSocket(path: path),
                now: { 1_000_000 })
            let items = ClientRequest("GET", ScriptedGateway.base + "/items")
            #expect(try await client.execute(items).status == 200)
            // A second agent does not take the place of the first.
            #expect(throws: ClientError.self) { try AgentServer(path: path) }
        }
    }

    @Test("lines that are too long, cut off or none at all keep no other client waiting")
    func hostile() async throws {
        let agent = try await fixture.loggedIn()
        try await serving(agent) { () async throws in
            let address = try #require(SocketAddress(unixPath: path))
            // More than are answered at a time come and go.
            for _ in 0...AgentServer.maximumRequests {
                let cut = try BlockingConnection(address, timeoutMilliseconds: 120_000)
                let long = try BlockingConnection(address, timeoutMilliseconds: 120_000)
                try? long.send(line: String(repeating: "a", count: SSORequest.longest + 1))
                #expect(throws: KernelError.self) { try long.receiveLine(longest: 100, milliseconds: 120_000) }
                _ = consume cut
            }
            let garbage = try BlockingConnection(address, timeoutMilliseconds: 120_000)
            try garbage.send(line: "\u{1}")
            let answer = try garbage.receiveLine(longest: 1000, milliseconds: 120_000)
            #expect(
                String(decoding: answer, as: UTF8.self).hasSuffix("?ssoresponse=true&state=&error=malformed_request"))
        }
    }

    @Test("a directory that is open to others has no agent in it, nor is one asked there")
    func open() async throws {
        let directory = AgentSocket.directory(of: path)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        let error = #expect(throws: ClientError.self) { try AgentServer(path: path) }
        #expect(error?.description.contains("chmod 700") == true)
        // Another user's agent, as far as permissions tell.
        let impostor = try BoundListener(try #require(SocketAddress(unixPath: path)), mode: 0o666)
        let refused = await #expect(throws: ClientError.self) { try await AgentSocket(path: path).ask("a://b?x") }
        #expect(refused?.code == .unreachable)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        #expect(throws: ClientError.self) { try AgentServer(path: path) }
        _ = consume impostor
    }

    @Test("no agent, and names that no socket can have")
    func absent() async throws {
        for path in [path, "/" + String(repeating: "a", count: 200), ""] {
            await #expect(throws: ClientError.self) { try await AgentSocket(path: path).ask("a://b?x") }
        }
        #expect(throws: ClientError.self) { try AgentServer(path: "/" + String(repeating: "a", count: 200)) }
    }
}
