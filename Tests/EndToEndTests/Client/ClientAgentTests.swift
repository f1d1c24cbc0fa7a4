import Foundation
import Glibc
import Testing

/// `portcullis client agent` and `--via-agent` (AGT-04) at the running gateway.
@Suite struct ClientAgentTests {
    private let fixture: MobileFixture
    private let agentHome: ClientHome
    private let clientHome: ClientHome
    private var socket: String { "\(agentHome.path)/agent/socket" }

    init() throws {
        fixture = try MobileFixture { settings in
            settings["serviceDomains"] = """
                {"Circle": {"mobile": true, "applications": {
                  "agent": {"backend": "inventory/1.0", "sso": {"participate": true, "agentPriority": 1}},
                  "client": {"backend": "inventory/1.0", "sso": {"participate": true, "agentPriority": null}},
                  "loner": {"backend": "inventory/1.0"}}}}
                """
        }
        agentHome = try ClientHome()
        clientHome = try ClientHome()
        try agentHome.write(profile("agent"))
        try clientHome.write(profile("client"))
    }

    private func profile(_ name: String, domain: String = "Circle") throws -> String {
        ClientHome.inventory(
            try fixture.gateway.url, more: #", "serviceDomain": "\#(domain)", "appName": "\#(name)""#)
    }

    private var items: String { get throws { "\(try fixture.gateway.url)/inventory/items" } }

    /// Starts the agent, and waits until it listens.
    private func agent(_ names: String, _ more: String...) throws -> Program {
        let program = try Program(
            GatewayProcess.binary, ["client", "agent", "--app", names, "--socket", socket] + more,
            environment: ["PORTCULLIS_CLIENT_HOME": agentHome.path])
        let isReady: Bool? = program.wait(.errors) { $0.contains { $0.hasPrefix("the agent listens") } ? true : nil }
        try #require(isReady == true, "\(program.lines(.errors))")
        return program
    }

    private func request(
        _ home: ClientHome? = nil
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try (home ?? clientHome).run("request", try items, "--via-agent", "--socket", socket)
    }

    private func log(_ program: Program, _ text: String) -> Bool {
        program.wait(.errors) { $0.contains { $0.contains(text) } ? true : nil } ?? false
    }

    @Test("a second program needs no password while the agent's login lasts")
    func singleSignOn() throws {
        // AGT-02: by itself it does not get in.
        let alone = try clientHome.run("login", "--user", "joe", input: "Welcome1\n")
        #expect(alone.ending == .exit(1))
        let agent = try agent("client")
        let early = try request()
        #expect(early.ending == .exit(1))
        #expect(early.errors.contains("the agent has no login"), "\(early.errors)")
        // A login counts at once.
        let login = try agentHome.run("login", "--user", "joe", input: "Welcome1\n")
        try #require(login.ending == .exit(0), "\(login.errors)")
        let first = try request()
        #expect(first.ending == .exit(0) && first.output == "/inventory/items", "\(first.errors)")
        #expect(try fixture.gateway.lastRequest("/inventory/items").only("X-Gateway-User") == "joe")
        #expect(log(agent, "given a token: client at \(try items)"))
        let call = try clientHome.run("call", "/inventory/items", "--via-agent", "--socket", socket)
        #expect(call.output == "/inventory/items", "\(call.errors)")
        // Nothing was kept, and so does a logout count.
        let shown = try clientHome.run("token", "show")
        #expect(shown.ending == .exit(1) && shown.errors.contains("no login is stored"))
        #expect(try agentHome.run("logout").ending == .exit(0))
        #expect(try request().errors.contains("the agent has no login"))
        // OMS-10, OMS-17: nor does a program see tokens in what the agent says.
        #expect(!agent.lines(.errors).joined().contains("ut.v1"))
        agent.signal(SIGTERM)
        #expect(agent.waitForEnd() == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: socket))
        #expect(try request().errors.contains("no agent answers at"))
    }

    @Test("the agent refuses applications outside its circle or domain")
    func refusals() throws {
        _ = try agentHome.run("login", "--user", "joe", input: "Welcome1\n")
        let agent = try agent("client,loner")
        let other = try ClientHome(profile("reserve"))
        #expect(try request(other).errors.contains("the agent does not serve this application"))
        #expect(log(agent, "refused, unknown_application: reserve"))
        let loner = try ClientHome(profile("loner"))
        #expect(try request(loner).errors.contains("the gateway gives this application no token"))
        #expect(log(agent, "refused, refused: loner"))
        let foreign = try ClientHome(profile("client", domain: "Other"))
        #expect(try request(foreign).errors.contains("another gateway or service domain"))
        #expect(fixture.gateway.upstream.requests("/inventory/items").isEmpty)
        #expect(try request().ending == .exit(0))
    }

    @Test("only one agent runs; it expires, and replaces a dead one")
    func lifetime() throws {
        _ = try agentHome.run("login", "--user", "joe", input: "Welcome1\n")
        let first = try agent("client")
        let second = try agentHome.run("agent", "--app", "client", "--socket", socket)
        #expect(second.ending == .exit(1) && second.errors.contains("an agent listens at"), "\(second.errors)")
        first.signal(SIGKILL)
        _ = first.waitForEnd()
        #expect(FileManager.default.fileExists(atPath: socket))
        let third = try agent("client", "--for", "1")
        #expect(third.waitForEnd() == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("other users cannot access the socket")
    func place() throws {
        let agent = try agent("client")
        for (path, mode) in [(socket, 0o600), ("\(agentHome.path)/agent", 0o700)] {
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(found as? Int == mode, "\(path)")
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: "\(agentHome.path)/agent")
        #expect(try request().errors.contains("no agent answers at"))
        agent.signal(SIGTERM)
        _ = agent.waitForEnd()
        let open = try agentHome.run("agent", "--app", "client", "--socket", socket)
        #expect(open.ending == .exit(1) && open.errors.contains("chmod 700"), "\(open.errors)")
    }

    @Test(
        "a usage error is exit status 2",
        arguments: [
            ["agent"], ["agent", "--app", ""], ["agent", "--app", "a", "--for", "0"],
            ["request", "http://x/", "--via-agent", "--no-auth"],
            ["call", "/x", "--via-agent", "--token", "t"],
        ])
    func usage(_ arguments: [String]) throws {
        let result = try CommandLine.run(["client"] + arguments + ["--home", clientHome.path])
        #expect(result.ending == .exit(2), "\(result)")
    }
}
