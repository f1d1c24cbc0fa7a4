import Foundation
import TestSupport
import Testing

/// A store whose file goes away, or whose disk is full, under the running gateway: it says so, and no revocation is lost.
@Suite struct StoreLossTests {
    private func revoke(_ gateway: GatewayProcess, _ token: String) throws -> Response {
        let id = try #require(JSONWebToken(token).claims["jti"].string)
        return try gateway.request(
            "POST", "/admin/revocations", [.bearer("admin-secret")], body: #"{"jti":"\#(id)"}"#, listener: "admin")
    }

    private func status(_ gateway: GatewayProcess, _ token: String) throws -> Int {
        try gateway.request("GET", "/inventory/me", [.bearer(token)]).status
    }

    private func readiness(_ gateway: GatewayProcess) throws -> Response {
        try gateway.request("GET", "/readyz?store", listener: "admin")
    }

    /// Asks until the answer has this status.
    private func waitForReadiness(_ gateway: GatewayProcess, _ status: Int) throws -> String {
        let deadline = Deadline.usual
        while true {
            let response = try readiness(gateway)
            if response.status == status || deadline.isPast {
                #expect(response.status == status)
                return response.text
            }
        }
    }

    private func killAndStart(_ gateway: GatewayProcess, _ directory: ConfigurationDirectory) throws -> GatewayProcess {
        gateway.program.signal(SIGKILL)
        _ = gateway.program.waitForEnd()
        return try GatewayProcess(directory)
    }

    @Test("a removed store file is recreated with all contents", arguments: ["", "-wal", "*"])
    func removed(_ suffix: String) throws {
        let fixture = try Fixture()
        let (gateway, directory) = (fixture.gateway, fixture.gateway.configuration)
        let (joe, ann, bob) = (try fixture.token("joe"), try fixture.token("ann"), try fixture.token("bob"))
        #expect(try revoke(gateway, joe).status == 204)
        let path = directory.path + "/state/tokens.sqlite"
        for suffix in suffix == "*" ? ["", "-wal", "-shm"] : [suffix] {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        #expect(try revoke(gateway, ann).status == 204)
        #expect(gateway.waitForEvent("store_file_lost")?["path"].string?.hasSuffix("/state/tokens.sqlite") == true)
        #expect(gateway.waitForEvent("store_file_restored")?["contents"].string == "complete")
        let next = try killAndStart(gateway, directory)
        #expect(try [joe, ann, bob].map { try status(next, $0) } == [401, 401, 200])
        try next.stop()
    }

    @Test("an overwritten store file is recreated with the deny list, and the other file kept")
    func overwritten() throws {
        let fixture = try Fixture()
        let (gateway, directory) = (fixture.gateway, fixture.gateway.configuration)
        let (joe, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        #expect(try revoke(gateway, joe).status == 204)
        let path = directory.path + "/state/tokens.sqlite"
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(String(repeating: "not a database\n", count: 1000).utf8))
        try file.close()
        // Without a request: the gateway asks its store all the time.
        #expect(gateway.waitForEvent("store_file_lost")?["reason"].string?.hasPrefix("overwritten") == true)
        #expect(gateway.waitForEvent("store_file_restored")?["contents"].string == "deny list")
        #expect(try revoke(gateway, ann).status == 204)
        let kept = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state")
        #expect(kept.contains { $0.hasPrefix("tokens.sqlite.lost-") })
        let next = try killAndStart(gateway, directory)
        #expect(try [joe, ann].map { try status(next, $0) } == [401, 401])
        try next.stop()
    }

    @Test("while the file cannot be recreated nothing is acknowledged, and monitoring shows it")
    func directoryIsGone() throws {
        let fixture = try Fixture()
        let (gateway, directory) = (fixture.gateway, fixture.gateway.configuration)
        let joe = try fixture.token("joe")
        let state = directory.path + "/state"
        try FileManager.default.moveItem(atPath: state, toPath: state + ".away")
        let refused = try revoke(gateway, joe)
        #expect(refused.status == 503 && refused.text.contains("refused by this process from now on"))
        #expect(gateway.waitForEvent("store_file_failed") != nil)
        #expect(gateway.waitForEvent("store_write_failed")?["reason"].string == "store_unavailable")
        let text = try waitForReadiness(gateway, 503)
        #expect(text.contains("store takes nothing: store_unavailable, 2 revocations wait"), "\(text)")
        #expect(try gateway.request("GET", "/readyz", listener: "admin").status == 200)
        #expect(try gateway.metrics().sum("portcullis_store_up") == 0)
        try FileManager.default.moveItem(atPath: state + ".away", toPath: state)
        #expect(gateway.waitForEvent("store_file_restored")?["contents"].string == "returned")
        #expect(gateway.waitForEvent("store_write_restored") != nil)
        _ = try waitForReadiness(gateway, 200)
        #expect(try gateway.metrics().sum("portcullis_store_up") == 1)
        let next = try killAndStart(gateway, directory)
        #expect(try status(next, joe) == 401, "what was answered with 503 was written later")
        try next.stop()
    }

    @Test("a full disk shows in readiness and metrics; writes refused with 503 are stored once there is space")
    func fullDisk() throws {
        let place = try TemporaryDirectory()
        let full = place.url.appending(path: "full").path
        let fixture = try Fixture(
            environment: [
                "LD_PRELOAD": GatewayProcess.preload(try FaultTests.library.get()), "PORTCULLIS_FULL": full,
            ])
        let (gateway, directory) = (fixture.gateway, fixture.gateway.configuration)
        let (joe, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        #expect(try readiness(gateway).status == 200)
        try Data().write(to: URL(filePath: full))
        for _ in 0..<3 {
            let refused = try revoke(gateway, joe)
            #expect(refused.status == 503 && refused.text.contains("store gets the change"), "\(refused.text)")
        }
        #expect(try status(gateway, joe) == 401, "it counts in this process")
        #expect(try status(gateway, ann) == 200, "what is known goes on")
        let text = try waitForReadiness(gateway, 503)
        #expect(text.contains("store takes nothing: store_full, 2 revocations wait"), "\(text)")
        #expect(try gateway.request("GET", "/readyz", listener: "admin").status == 200)
        let metrics = try gateway.metrics()
        #expect(metrics.sum("portcullis_store_up") == 0)
        #expect(metrics.sum("portcullis_store_unwritten_revocations") == 2, "the entry and its record")
        #expect(gateway.waitForEvent("store_write_failed")?["reason"].string == "store_full")
        try FileManager.default.removeItem(atPath: full)
        #expect(gateway.waitForEvent("store_write_restored") != nil)
        _ = try waitForReadiness(gateway, 200)
        #expect(try gateway.metrics().sum("portcullis_store_up") == 1)
        #expect(try gateway.metrics().sum("portcullis_store_unwritten_revocations") == 0)
        #expect(gateway.events("store_write_failed").count == 1)
        let next = try killAndStart(gateway, directory)
        #expect(try [joe, ann].map { try status(next, $0) } == [401, 200])
        try next.stop()
    }
}
