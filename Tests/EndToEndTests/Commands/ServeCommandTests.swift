import Foundation
import Glibc
import Testing

/// Starting the gateway and the sample upstream, and when they refuse to.
@Suite struct ServeCommandTests {
    private func settings(_ port: UInt16 = 0) -> FixtureSettings {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": \#(port)}]"#
        return settings
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    @Test("serve does not listen or write anything with an invalid configuration")
    func invalid() throws {
        var settings = settings()
        settings["webgates"] = #"[{"name": "a:b", "level": 2}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(GatewayProcess.findings(in: result.errors).contains("error: /webgates/0/name: "))
        #expect(result.errors.split(separator: "\n").allSatisfy { JSONText(String($0))["event"].exists })
        #expect(!result.errors.contains("listening"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/state"))
        #expect(try CommandLine.run("serve", "--config", "/nonexistent").ending == .exit(1))
    }

    @Test("serve refuses a port that is in use by any process", arguments: ["another program", "a gateway"])
    func portInUse(_ holder: String) throws {
        let upstream = try StubUpstream()
        let gateway = try GatewayProcess(["gateway.json": settings().text])
        let port = try holder == "a gateway" ? gateway.port() : upstream.port
        let directory = try ConfigurationDirectory(["gateway.json": settings(port).text])
        let second = try CommandLine.run("serve", "--config", directory.path)
        #expect(second.ending == .exit(1))
        // In one event, behind which there is nothing.
        let events = second.errors.split(separator: "\n").map { JSONText(String($0)) }
        let told = events.filter { $0["event"].string == "start_failed" }
        let failure = "cannot listen on 127.0.0.1:\(port): Address already in use"
        let detail = told.first?["detail"].string ?? ""
        #expect(told.count == 1 && detail.hasPrefix("the listener \"public\" \(failure); another "))
        #expect(detail.contains("another program") == (holder == "another program"))
        #expect(events.last?["event"].string == "start_failed")
        #expect(try gateway.request("GET", "/nothing").status == 404)
        // The port is free again with the end of its holder.
        guard holder == "a gateway" else { return }
        try gateway.stop()
        let next = try GatewayProcess(directory)
        #expect(try next.port() == port)
    }

    @Test("serve reports a log file that cannot be opened with status 1")
    func logFile() throws {
        var settings = settings()
        settings["log"] = #"{"access": "file:/nonexistent/access.log"}"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(
            result.errors.contains(
                "the access log /nonexistent/access.log cannot be opened: No such file or directory"))
    }

    @Test("key files are private, and a restart accepts earlier tokens")
    func keyFiles() throws {
        let fixture = try Fixture()
        let directory = fixture.gateway.configuration
        let token = try fixture.token("joe")
        #expect(try mode(directory.path + "/state") == 0o700)
        let all = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state").sorted()
        let files = all.filter { !$0.hasPrefix("tokens.sqlite") }
        #expect(files == ["challenge.key", "signing.pem", "store.key"])
        for file in all { #expect(try mode(directory.path + "/state/" + file) == 0o600, "\(file)") }
        let keys = try files.map { try directory.read("state/" + $0) }
        #expect(try fixture.gateway.stop() == .exit(0))
        let second = try GatewayProcess(directory)
        #expect(try second.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        #expect(try files.map { try directory.read("state/" + $0) } == keys)
    }

    @Test("an unwritable key file is status 1 with its location in the configuration")
    func keyFileUnwritable() throws {
        var settings = settings()
        settings["tokenService"] = #"{"keyFile": "/proc/portcullis/signing.pem"}"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(
            GatewayProcess.findings(in: result.errors).contains("error: /tokenService/keyFile: "), "\(result.errors)")
    }

    // MARK: echo

    /// The sample upstream on a port that the kernel chose.
    private func echo(_ arguments: String...) throws -> (program: Program, port: UInt16) {
        let program = try Program(GatewayProcess.binary, ["echo", "--listen", "127.0.0.1:0"] + arguments)
        let port = program.wait(.errors) { lines in
            lines.lazy.map { JSONText($0) }.first { $0["event"].string == "listening" }
                .flatMap { $0["address"].string?.split(separator: ":").last }.flatMap { UInt16($0) }
        }
        return (program, try #require(port))
    }

    @Test("echo returns what it received, counts, and ends on SIGTERM")
    func echoTells() throws {
        let (program, port) = try echo("--threads", "2")
        let reply = try RawConnection.once(
            port: port, "POST", "/a/b?c=d&e", ["X-Twice: 1", "X-Twice: 2"], body: "hello")
        #expect(reply.status == 200)
        #expect(reply.only("Content-Type") == "application/json")
        let told = JSONText(reply.text)
        #expect(told.names == ["bodyLength", "headers", "method", "path", "query", "requests"])
        #expect(told["method"].string == "POST")
        #expect(told["path"].string == "/a/b")
        #expect(told["query"].string == "c=d&e")
        #expect(told["bodyLength"].integer == 5)
        #expect(
            told["headers"].list.map(\.strings).filter { $0[0] == "X-Twice" } == [["X-Twice", "1"], ["X-Twice", "2"]])
        #expect(told["requests"].integer == 1)
        #expect(reply.text.contains(#""requests":1}"#))
        // Connections fall to either thread; there is one count. All answers have the same length.
        let lengths = try (0..<10).map { _ in try RawConnection.once(port: port, "GET", "/").body.count }
        #expect(Set(lengths).count == 1)
        for _ in 0..<2 { #expect(try RawConnection.once(port: port, "GET", "/_echo/count").text == "11\n") }
        program.signal(SIGTERM)
        #expect(program.waitForEnd() == .exit(0))
    }

    @Test("echo applies a requested delay, length and status")
    func echoObeys() throws {
        let (program, port) = try echo()
        let connection = try RawConnection(port: port)
        let start = ContinuousClock.now
        #expect(try connection.exchange("GET", "/?delay=300").status == 200)
        #expect(start.duration(to: .now) >= .milliseconds(300))
        let large = try connection.exchange("GET", "/?bytes=1000000")
        #expect(large.body.count == 1_000_000)
        #expect(try connection.exchange("GET", "/?bytes=0").body.isEmpty)
        #expect(try connection.exchange("GET", "/?status=503").status == 503)
        #expect(try connection.exchange("GET", "/?status=99").status == 200)
        #expect(try connection.exchange("HEAD", "/?bytes=10").only("Content-Length") == "10")
        let second = try CommandLine.run("echo", "--listen", "127.0.0.1:\(port)")
        #expect(second.ending == .exit(1))
        #expect(second.errors.contains("127.0.0.1:\(port): Address already in use"))
        #expect(program.isRunning)
    }
}
