import Foundation
import Testing

/// Issue B: where listeners are: unix sockets, sockets of systemd, IPv6.
@Suite(.tags(.engine)) struct ListenerAddressTests {
    private static let plain = #"{"name": "public", "address": "127.0.0.1", "port": 0}"#

    private static func start(
        _ listeners: [String], named names: [String], socket: TCPSocket? = nil, launcher: String? = nil
    ) throws -> (GatewayProcess, StubUpstream) {
        let upstream = try StubUpstream()
        var settings = FixtureSettings(upstream: upstream.url)
        settings["listeners"] = FixtureSettings.list(listeners)
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        guard let launcher else { return (try GatewayProcess(directory, listeners: names), upstream) }
        let script = try directory.writeProgram("launch", launcher)
        return (try GatewayProcess(directory, listeners: names, binary: script, socket: socket), upstream)
    }

    /// Status of an answer, or how curl ended.
    private static func curl(_ arguments: String...) throws -> String {
        let options = ["-s", "-g", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}"]
        let result = try Program.run("/usr/bin/curl", options + arguments)
        return result.ending == .exit(0) ? result.output : "\(result.ending)"
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a unix listener serves all workers, has its mode, and removes its file at exit")
    func unixSocket() throws {
        let (gateway, upstream) = try Self.start(
            [#"{"name": "local", "address": "unix:gateway.sock", "mode": "0600"}"#], named: ["local", "admin"])
        let path = gateway.configuration.path + "/gateway.sock"
        for _ in 0..<8 { #expect(try Self.curl("--unix-socket", path, "http://gw/open/x") == "200") }
        #expect(try Self.mode(path) == 0o600)
        #expect(upstream.requests("/open/x").count == 8)

        // Through a hand-over it stays where it is, with the mode that is wanted now.
        let text = try gateway.configuration.read("gateway.json").replacing("0600", with: "0660")
        try gateway.configuration.write("gateway.json", text)
        let processes = HandedOver(gateway)
        try processes.next()
        #expect(gateway.program.hasEndedItself())
        #expect(try Self.curl("--unix-socket", path, "http://gw/open/x") == "200")
        #expect(try Self.mode(path) == 0o660)
        try processes.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a stale socket file is replaced; that of a running process is not")
    func leftFile() throws {
        let listener = #"{"name": "local", "address": "unix:gateway.sock"}"#
        let (gateway, upstream) = try Self.start([listener], named: ["local", "admin"])
        let directory = gateway.configuration
        let second = try CommandLine.run("serve", "--config", directory.path)
        #expect(second.ending == .exit(1))
        #expect(second.errors.contains("cannot listen on unix:\(directory.path)/gateway.sock"))
        #expect(second.errors.contains("another gateway serves there"), "\(second.errors)")
        gateway.program.signal(SIGKILL)
        #expect(gateway.program.waitForEnd() == .signal(SIGKILL))
        #expect(FileManager.default.fileExists(atPath: directory.path + "/gateway.sock"))
        let third = try GatewayProcess(directory, listeners: ["local", "admin"])
        #expect(try Self.curl("--unix-socket", directory.path + "/gateway.sock", "http://gw/open/x") == "200")
        #expect(try third.stop() == .exit(0))
        #expect(!upstream.requests("/open/x").isEmpty)
    }

    @Test("a second gateway says that the first serves its port, and another program's is distinguished")
    func takenPort() throws {
        let (gateway, upstream) = try Self.start([Self.plain], named: ["public", "admin"])
        func start(on port: UInt16) throws -> (ending: Program.Ending, output: String, errors: String) {
            var settings = FixtureSettings(upstream: upstream.url)
            settings["listeners"] = #"[{"address": "127.0.0.1", "port": \#(port)}]"#
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            defer { withExtendedLifetime(directory) {} }
            return try CommandLine.run("serve", directory.path)
        }
        let second = try start(on: gateway.port("public"))
        #expect(second.ending == .exit(1))
        #expect(second.errors.contains("Address already in use; another gateway serves there"), "\(second.errors)")
        #expect(second.errors.contains("`portcullis reload`"))
        let third = try start(on: upstream.port)
        #expect(third.errors.contains("Address already in use; another program listens there"), "\(third.errors)")
        // The first was not disturbed, and its own successor takes its sockets over.
        let processes = HandedOver(gateway)
        try processes.next()
        #expect(gateway.program.hasEndedItself())
        #expect(try gateway.request("GET", "/open/x", listener: "public").status == 200)
        try processes.stop()
    }

    @Test("a change of the files of a running gateway says that a reload is needed")
    func changedBeside() throws {
        let listener = #"{"name": "local", "address": "unix:gateway.sock"}"#
        let (gateway, _) = try Self.start([listener], named: ["local", "admin"])
        let directory = gateway.configuration.path
        func add(_ name: String) throws -> String {
            let result = try CommandLine.run("roles", "add", name, "--config", directory)
            #expect(result.ending == .exit(0), "\(result.errors)")
            return result.errors
        }
        #expect(try add("First").contains("a gateway is running with this configuration; it applies the change after"))
        #expect(try CommandLine.run("roles", "list", "--config", directory).errors.isEmpty)
        #expect(try gateway.stop() == .exit(0))
        #expect(try add("Second").isEmpty)
    }

    @Test("an IPv6 listener accepts connections")
    func ipv6() throws {
        let (gateway, upstream) = try Self.start(
            [#"{"name": "six", "address": "::1", "port": 0}"#], named: ["six", "admin"])
        #expect(try Self.curl("http://[::1]:\(gateway.port("six"))/open/x") == "200")
        let processes = HandedOver(gateway)
        try processes.next()
        #expect(gateway.program.hasEndedItself())
        #expect(try Self.curl("http://[::1]:\(gateway.port("six"))/open/x") == "200")
        try processes.stop()
        #expect(upstream.requests("/open/x").count == 2)
    }

    /// What systemd does (sd_listen_fds(3)): the socket comes as the script's standard input.
    private static let launcher = """
        #!/bin/sh
        export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web
        exec "\(GatewayProcess.binary)" "$@" 3<&0 </dev/null

        """

    @Test("a systemd socket is found by name, serves all workers, and is passed to a successor")
    func inherited() throws {
        let socket = try TCPSocket.listen()
        // It has waited there since before the start.
        let early = try RawConnection(port: socket.port)
        try early.send(RawConnection.request("GET", "/open/x"))
        let (gateway, upstream) = try Self.start(
            [Self.plain, #"{"name": "front", "socket": "web"}"#], named: ["front", "admin"], socket: socket,
            launcher: Self.launcher)
        #expect(try early.readResponse().status == 200)
        #expect(try gateway.port("front") == socket.port)
        let processes = HandedOver(gateway)
        #expect(try early.exchange("GET", "/open/x").status == 200)
        try processes.next()
        let answers = try #require(try early.exchangesUntilClosing("/open/x"))
        #expect(gateway.program.hasEndedItself())
        for _ in 0..<8 { #expect(try gateway.request("GET", "/open/x", listener: "front").status == 200) }
        #expect(try gateway.request("GET", "/open/x").status == 200)
        #expect(upstream.requests("/open/x").count == answers + 11)
        try processes.stop()
    }

    @Test("a missing inherited socket is an error at start")
    func notHandedOver() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"[{"name": "front", "socket": "web"}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
        let result = try CommandLine.run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("no inherited socket is named web"))
    }
}
