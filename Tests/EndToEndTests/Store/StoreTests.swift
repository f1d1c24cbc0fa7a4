import Foundation
import Glibc
import Testing

/// The durable store behind the real binary: restarts, kills, processes that share it (DEC-10, CACHE-07).
@Suite struct StoreTests {
    private func revoke(_ gateway: GatewayProcess, _ body: String) throws -> Int {
        try gateway.request("POST", "/admin/revocations", [.bearer("admin-secret")], body: body, listener: "admin")
            .status
    }

    private func status(_ gateway: GatewayProcess, _ token: String) throws -> Int {
        try gateway.request("GET", "/inventory/me", [.bearer(token)]).status
    }

    @Test("the deny list survives kill -9, a restart and a hand-over", arguments: [SIGKILL, SIGTERM])
    func restarts(_ signal: Int32) throws {
        let fixture = try Fixture()
        let directory = fixture.gateway.configuration
        let (joe, ann, bob) = (try fixture.token("joe"), try fixture.token("ann"), try fixture.token("bob"))
        let id = try #require(JSONWebToken(joe).claims["jti"].string)
        #expect(try revoke(fixture.gateway, #"{"jti":"\#(id)"}"#) == 204)
        #expect(try revoke(fixture.gateway, #"{"subject":"ann"}"#) == 204)
        fixture.gateway.program.signal(signal)
        _ = fixture.gateway.program.waitForEnd()
        let second = try GatewayProcess(directory)
        let processes = HandedOver(second)
        for _ in 0..<2 {
            // From the first answer on: the list is known before the gateway listens.
            #expect(try status(second, joe) == 401)
            #expect(try status(second, ann) == 401)
            #expect(try status(second, bob) == 200)
            try processes.next()
        }
        try processes.stop()
    }

    @Test("a token revoked in one process is 401 in the other within a second")
    func twoProcesses() throws {
        let fixture = try Fixture()
        let directory = fixture.gateway.configuration
        let second = try GatewayProcess(directory)
        for user in ["joe", "ann", "bob"] {
            let token = try fixture.token(user)
            #expect(try status(second, token) == 200)
            #expect(try revoke(fixture.gateway, #"{"subject":"\#(user)"}"#) == 204)
            let revoked = ContinuousClock.now
            #expect(try status(fixture.gateway, token) == 401, "here at once")
            while try status(second, token) != 401, ContinuousClock.now - revoked < .seconds(20) {}
            #expect(ContinuousClock.now - revoked < .seconds(1))
        }
        try second.stop()
    }

    @Test("the memory store is lost with the process, and check warns of it")
    func memory() throws {
        let fixture = try Fixture { $0["store"] = #"{"kind": "memory"}"# }
        let directory = fixture.gateway.configuration
        let joe = try fixture.token("joe")
        #expect(try revoke(fixture.gateway, #"{"subject":"joe"}"#) == 204)
        #expect(try status(fixture.gateway, joe) == 401)
        try fixture.gateway.stop()
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/state/tokens.sqlite"))
        let second = try GatewayProcess(directory)
        #expect(try status(second, joe) == 200)
        let check = try CommandLine.run("check", directory.path)
        #expect(check.errors.contains("warning: /store/kind: "))
    }

    @Test("a hand-over that would lose revocations is refused with the reason")
    func memoryHandOver() throws {
        let fixture = try Fixture { $0["store"] = #"{"kind": "memory"}"# }
        let joe = try fixture.token("joe")
        let processes = HandedOver(fixture.gateway)
        #expect(try revoke(fixture.gateway, #"{"subject":"joe"}"#) == 204)
        fixture.gateway.program.signal(SIGUSR2)
        let ignored = try #require(fixture.gateway.waitForEvent("handover_ignored"))
        #expect(ignored["reason"].string?.contains("would accept revoked tokens again") == true, "\(ignored)")
        #expect(fixture.gateway.events("handing_over").isEmpty)
        #expect(try status(fixture.gateway, joe) == 401)
        try processes.stop()
    }

    @Test("a file that is not a token store is refused at start, and not changed")
    func foreignFile() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["store"] = #"{"path": "notes.txt"}"#
        let notes = String(repeating: "not a database\n", count: 100)
        let directory = try ConfigurationDirectory(["gateway.json": settings.text, "notes.txt": notes])
        let result = try CommandLine.run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(GatewayProcess.findings(in: result.errors).contains("error: /store/path: "))
        #expect(result.errors.contains("notes.txt is no SQLite database"), "\(result.errors)")
        #expect(try directory.read("notes.txt") == notes)
    }

    @Test("a changed store takes effect at the next start")
    func reload() throws {
        let fixture = try Fixture()
        let joe = try fixture.token("joe")
        #expect(try revoke(fixture.gateway, #"{"subject":"joe"}"#) == 204)
        try fixture.reload { $0["store"] = #"{"kind": "memory"}"# }
        let ignored = try #require(fixture.gateway.waitForEvent("reload_ignored"))
        #expect(ignored["section"].string == "store")
        #expect(ignored["keys"].strings.contains("store.kind"))
        #expect(try status(fixture.gateway, joe) == 401)
    }

    @Test("kill -9 loses no acknowledged revocation")
    func killed() throws {
        let fixture = try Fixture()
        let directory = fixture.gateway.configuration
        var tokens: [String] = []
        for _ in 0...40 { tokens.append(try fixture.token("joe")) }
        for token in tokens { #expect(try status(fixture.gateway, token) == 200) }
        var gateway = fixture.gateway
        var acknowledged: [String] = []
        for round in 0..<5 {
            let admin = try gateway.connect("admin")
            let victims = tokens[(round * 8)..<(round * 8 + 8)]
            // It dies at another moment behind another answer each time.
            let (program, delay, answered) = (gateway.program, Double(round) * 0.001, Monitor(0))
            Thread.detachNewThread {
                _ = answered.wait { $0 > round ? true : nil }
                Thread.sleep(forTimeInterval: delay)
                program.signal(SIGKILL)
            }
            for token in victims {
                let id = try #require(JSONWebToken(token).claims["jti"].string)
                let reply = try? admin.exchange(
                    "POST", "/admin/revocations", [.bearer("admin-secret")], body: #"{"jti":"\#(id)"}"#)
                guard let reply else { break }
                #expect(reply.status == 204)
                acknowledged.append(token)
                answered.withLock { $0 += 1 }
            }
            _ = gateway.program.waitForEnd()
            gateway = try GatewayProcess(directory)
            for token in acknowledged { #expect(try status(gateway, token) == 401) }
        }
        #expect(acknowledged.count > 5)
        #expect(try status(gateway, tokens[40]) == 200, "nobody has asked for that")
    }
}
