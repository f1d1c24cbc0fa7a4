import Foundation
import Testing

/// The faults of FaultTests under TLS and HTTP/2: what is lost is lost cleanly, a broken record or frame is never taken for
/// an answer, and nothing is left behind.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter with h2; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil), .serialized)
struct SecureFaultTests {
    private struct Tally {
        let right: Int
        let lost: Int
        let wrong: Int
        let text: String
    }

    private let directory: ConfigurationDirectory
    private let upstream: StubUpstream

    init() throws {
        directory = try ConfigurationDirectory()
        upstream = try StubUpstream()
        FaultTests.script(upstream)
        try SecureFixture.makeCertificate("tls", "DNS:localhost,IP:127.0.0.1", in: directory)
        var settings = FixtureSettings(upstream: upstream.url)
        settings["listeners"] = SecureFixture.listeners("", ["tls"])
        settings["upstreams"] = #"{"stub": {"url": "\#(upstream.url)", "idleTimeout": "500ms"}}"#
        settings["limits"] = #"{"idleTimeout": "2s", "headerTimeout": "2s"}"#
        try directory.write("gateway.json", settings.text)
    }

    private func load(_ gateway: GatewayProcess, _ protocol: String, _ token: String, each count: Int) throws -> Tally {
        let script = Vectors.root.appending(path: "Tests/Interop/fault_load.py").path
        let result = try Program.run(
            ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? "",
            [
                script, `protocol`, "127.0.0.1:\(gateway.port("secure"))", "\(directory.path)/tls/cert.pem", token,
                String(count),
            ], .after(.seconds(180)))
        #expect(result.ending == .exit(0), "\(result.errors)")
        let tally = JSONText(result.output)
        return Tally(
            right: Int(tally["right"].integer ?? 0), lost: Int(tally["lost"].integer ?? 0),
            wrong: 8 * count - Int(tally["right"].integer ?? 0) - Int(tally["lost"].integer ?? 0), text: result.output)
    }

    /// Open descriptors once nothing is under way any more.
    private func settled(_ gateway: GatewayProcess) throws -> Int {
        #expect(upstream.waitForOpenConnections(0))
        let deadline = Deadline.usual
        var last = 0
        while true {
            let now = try gateway.program.openDescriptors()
            if now == last || deadline.isPast { return now }
            last = now
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    @Test(
        "GW-15: faults under TLS affect only the requests on their connection", arguments: ["h1", "h2"],
        ["benign", "destructive"])
    func faults(_ protocol: String, _ kind: String) throws {
        let log = directory.path + "/faults.log"
        let gateway = try GatewayProcess(
            directory, listeners: ["public", "secure", "old", "admin"],
            environment: [
                "LD_PRELOAD": GatewayProcess.preload(try FaultTests.library.get()), "PORTCULLIS_FAULTS": "1:\(kind)",
                "PORTCULLIS_FAULTS_LOG": log,
            ])
        let minted = try CommandLine.run(
            "token", "--config", directory.path, "--client", "inventory/1.0", "--user", "joe")
        _ = try load(gateway, `protocol`, minted.output, each: 30)
        let before = try settled(gateway)
        let warm = try gateway.program.memory("VmRSS")
        let tally = try load(gateway, `protocol`, minted.output, each: 100)
        #expect(tally.wrong == 0, "\(tally.text)")
        #expect(tally.right > (kind == "benign" ? 799 : 300), "\(tally.text)")
        #expect(try settled(gateway) <= before)
        #expect(try Sanitizer.isOn || gateway.program.memory("VmRSS") - warm < 16 << 10)
        #expect(try gateway.stop() == .exit(0))
        let report = try String(contentsOfFile: log, encoding: .utf8)
        #expect(report.contains(/short_read=[1-9].* again=[1-9].* interrupted=[1-9]/), "\(report)")
        upstream.stop()
    }
}
