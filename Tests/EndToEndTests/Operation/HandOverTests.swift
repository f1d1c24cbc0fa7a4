import Foundation
import Glibc
import Testing

/// Issue B: SIGUSR2 replaces the running process by a successor, and no client loses a request.
@Suite(.tags(.engine)) struct HandOverTests {
    private static func fixture(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> (Fixture, HandedOver) {
        let fixture = try Fixture(change)
        return (fixture, HandedOver(fixture.gateway))
    }

    /// Clients with a thread each. Some keep their connection as long as the gateway does, others open one for each
    /// request; any other outcome of a request than its answer is a failure.
    private final class Load: Sendable {
        private struct Counts: Sendable {
            var done = 0
            var failures: [String] = []
            var running = 0
            var isOver = false
        }

        private let counts = Monitor(Counts())

        init(port: UInt16, path: String, keeping: Int, opening: Int) {
            counts.withLock { $0.running = keeping + opening }
            for number in 0..<(keeping + opening) {
                Thread.detachNewThread { [counts] in
                    var connection: RawConnection?
                    while !counts.current.isOver {
                        do {
                            let current = try connection ?? RawConnection(port: port)
                            let response = try current.exchange("GET", path)
                            let stays = number < keeping && response.only("Connection")?.lowercased() != "close"
                            connection = stays ? current : nil
                            counts.withLock {
                                $0.done += 1
                                if response.status != 200 { $0.failures.append("status \(response.status)") }
                            }
                        } catch {
                            connection = nil
                            counts.withLock { $0.failures.append("\(error)") }
                        }
                    }
                    counts.withLock { $0.running -= 1 }
                }
            }
        }

        func waitForMore(_ count: Int) {
            let goal = counts.current.done + count
            _ = counts.wait { $0.done >= goal || !$0.failures.isEmpty ? true : nil }
        }

        func stop() -> (done: Int, failures: [String]) {
            counts.withLock { $0.isOver = true }
            _ = counts.wait { $0.running == 0 ? true : nil }
            return (counts.current.done, counts.current.failures)
        }
    }

    @Test("hand-overs under load lose no request and no connection, and the old processes exit")
    func underLoad() throws {
        let (fixture, processes) = try Self.fixture()
        let first = fixture.gateway.program.processIdentifier
        let load = Load(port: try fixture.gateway.port(), path: "/open/load", keeping: 8, opening: 3)
        for _ in 0..<3 {
            load.waitForMore(100)
            try processes.next()
        }
        load.waitForMore(100)
        // All its clients have gone over by the answer to their next request.
        #expect(fixture.gateway.program.hasEndedItself())
        let (done, failures) = load.stop()
        #expect(failures.isEmpty, "\(failures.prefix(5))")
        #expect(fixture.upstream.requests("/open/load").count == done)

        #expect(processes.current != first)
        #expect(fixture.gateway.events("ready").last?["pid"].integer == Int(processes.current))
        let ready = try fixture.gateway.request("GET", "/readyz", listener: "admin")
        #expect(ready.status == 200 && ready.text == "ready\n")
        try processes.stop()
        #expect(throws: SocketError.refused) { try fixture.connect() }
    }

    /// A load generator that counts each error of a socket.
    @Test(
        "wrk sees no socket errors during hand-overs",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/wrk")))
    func underWrk() throws {
        let (fixture, processes) = try Self.fixture { $0["log"] = #"{"access": "off"}"# }
        let url = "http://127.0.0.1:\(try fixture.gateway.port())/open/wrk"
        let wrk = try Program("/usr/bin/wrk", ["-t2", "-c24", "-d4s", "--timeout", "10s", url])
        fixture.upstream.waitForRequests(200, "/open/wrk")
        try processes.next()
        fixture.upstream.waitForRequests(fixture.upstream.requests("/open/wrk").count + 200, "/open/wrk")
        try processes.next()
        #expect(wrk.isRunning, "both were under load")
        #expect(wrk.waitForEnd() == .exit(0))
        let report = wrk.lines(.output).joined(separator: "\n")
        #expect(report.contains("requests in"), "\(report)")
        #expect(!report.contains("errors") && !report.contains("Non-2xx"), "\(report)")
        try processes.stop()
    }

    @Test("an idle connection gets one more answer with close; a request in progress is finished")
    func oldConnections() throws {
        let (fixture, processes) = try Self.fixture()
        let gate = Gate()
        fixture.upstream.on("/open/held") { _ in [.wait(gate), .reply(body: "held")] }
        let (idle, fresh, busy) = (try fixture.connect(), try fixture.connect(), try fixture.connect())
        #expect(try idle.exchange("GET", "/open/x").only("Connection") == nil)
        try busy.send(RawConnection.request("GET", "/open/held"))
        fixture.upstream.waitForRequests(1, "/open/held")
        try processes.next()
        try #require(fixture.gateway.waitForEvent("draining") != nil)

        for connection in [idle, fresh] {
            #expect(try connection.exchangesUntilClosing("/open/x") != nil)
            #expect(connection.isClosed())
        }
        #expect(fixture.gateway.program.isRunning)
        gate.open()
        #expect(try busy.readResponse().text == "held")
        #expect(try busy.exchangesUntilClosing("/open/x") != nil)
        #expect(fixture.gateway.program.hasEndedItself())
        try processes.stop()
    }

    @Test("SIGTERM ends an old process's wait for its idle connections")
    func oldProcessToldToEnd() throws {
        let (fixture, processes) = try Self.fixture()
        let idle = try fixture.connect()
        #expect(try idle.exchange("GET", "/open/x").status == 200)
        try processes.next()
        try #require(fixture.gateway.waitForEvent("draining") != nil)
        #expect(idle.isSilent)
        fixture.gateway.program.signal(SIGTERM)
        #expect(idle.isClosed())
        #expect(fixture.gateway.program.hasEndedItself())
        #expect(try fixture.request("GET", "/open/x").status == 200)
        try processes.stop()
    }

    @Test("a successor with an invalid configuration exits, and the old process continues")
    func brokenConfiguration() throws {
        let (fixture, processes) = try Self.fixture()
        let good = try fixture.gateway.configuration.read("gateway.json")
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/open/x").status == 200)
        for round in 0..<2 {
            try fixture.gateway.configuration.write("gateway.json", #"{"listeners": 7}"#)
            fixture.gateway.program.signal(SIGUSR2)
            let failed = try #require(fixture.gateway.waitForEvent("handover_failed", skipping: round))
            #expect(failed["reason"].string == "the successor ended with status 1 before it served")
            let kept = try connection.exchange("GET", "/open/x")
            #expect(kept.status == 200 && kept.only("Connection") == nil)
            #expect(try fixture.request("GET", "/open/x").status == 200)
        }
        #expect(fixture.gateway.program.isRunning)
        // A listener that cannot be had is a reason as well.
        let taken = try TCPSocket.listen()
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings["listeners"] = FixtureSettings.list([
            #"{"name": "public", "address": "127.0.0.1", "port": 0}"#,
            #"{"name": "more", "address": "127.0.0.1", "port": \#(taken.port)}"#,
        ])
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        fixture.gateway.program.signal(SIGUSR2)
        _ = try #require(fixture.gateway.waitForEvent("handover_failed", skipping: 2))
        #expect(try fixture.request("GET", "/open/x").status == 200)

        try fixture.gateway.configuration.write("gateway.json", good)
        try processes.next()
        #expect(try connection.exchangesUntilClosing("/open/x") != nil)
        #expect(fixture.gateway.program.hasEndedItself())
        #expect(try fixture.request("GET", "/open/x").status == 200)
        try processes.stop()
    }

    @Test("a different number of workers serves all sockets; listeners are added and removed")
    func otherListeners() throws {
        let (fixture, processes) = try Self.fixture()
        let publicPort = try fixture.gateway.port()
        func change(workers: Int, _ listeners: String...) throws {
            var settings = FixtureSettings(upstream: fixture.upstream.url)
            settings["workers"] = "\(workers)"
            settings["listeners"] = FixtureSettings.list(
                [#"{"name": "public", "address": "127.0.0.1", "port": 0}"#] + listeners)
            try fixture.gateway.configuration.write("gateway.json", settings.text)
            let ended = fixture.gateway.events("stopped").count
            try processes.next()
            _ = try #require(fixture.gateway.waitForEvent("stopped", skipping: ended))
            // The kernel shares connections out between all the sockets.
            for _ in 0..<32 { #expect(try fixture.request("GET", "/open/x").status == 200) }
        }
        try change(workers: 3, #"{"name": "more", "address": "127.0.0.1", "port": 0}"#)
        _ = fixture.gateway.waitForEvent("listening") { $0["listener"].string == "more" }
        let events = fixture.gateway.events("listening")
        #expect(events.filter { $0["address"].string == "127.0.0.1:\(publicPort)" }.count == 2)
        let more = try #require(events.last { $0["listener"].string == "more" }?["address"].string)
        let morePort = try #require(more.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(try RawConnection.once(port: morePort, "GET", "/open/x").status == 200)

        try change(workers: 1)
        #expect(throws: SocketError.refused) { try RawConnection(port: morePort) }
        try change(workers: 4)
        try processes.stop()
    }

    /// A gateway whose successors wait before they start until a test writes to the pipe `gate`: they go by the name
    /// of the script.
    private static func withGate(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> GatewayProcess {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        change(&settings)
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let gate = directory.path + "/gate"
        let script = try directory.writeProgram(
            "launch",
            """
            #!/bin/bash
            test -z "$PORTCULLIS_READY" || read -r < "\(gate)"
            exec -a "$0" "\(GatewayProcess.binary)" "$@"

            """)
        // SAFETY: the text outlives the call.
        try #require(unsafe mkfifo(gate, 0o600) == 0)
        return try GatewayProcess(directory, binary: script)
    }

    @Test("another SIGUSR2 while a successor starts is ignored")
    func onlyOneAtATime() throws {
        let gateway = try Self.withGate()
        let processes = HandedOver(gateway)
        gateway.program.signal(SIGUSR2)
        _ = try #require(gateway.waitForEvent("handing_over"))
        gateway.program.signal(SIGUSR2)
        let ignored = try #require(gateway.waitForEvent("handover_ignored"))
        #expect(ignored["reason"].string == "a successor is starting")
        #expect(try gateway.request("GET", "/readyz", listener: "admin").status == 200)
        let gate = try #require(FileHandle(forWritingAtPath: gateway.configuration.path + "/gate"))
        try gate.write(contentsOf: Data("\n".utf8))
        try processes.wait()
        #expect(gateway.program.hasEndedItself())
        #expect(gateway.events("handing_over").count == 1)
        try processes.stop()
    }

    @Test("a revocation in memory while a successor starts aborts the hand-over")
    func revokedMeanwhile() throws {
        let gateway = try Self.withGate { $0["store"] = #"{"kind": "memory"}"# }
        let processes = HandedOver(gateway)
        gateway.program.signal(SIGUSR2)
        _ = try #require(gateway.waitForEvent("handing_over"))
        let revoked = try gateway.request(
            "POST", "/admin/revocations", [.bearer("admin-secret")], body: #"{"subject": "joe"}"#, listener: "admin")
        #expect(revoked.status == 204)
        let gate = try #require(FileHandle(forWritingAtPath: gateway.configuration.path + "/gate"))
        try gate.write(contentsOf: Data("\n".utf8))
        let failed = try #require(gateway.waitForEvent("handover_failed"))
        #expect(failed["reason"].string?.contains("would accept revoked tokens again") == true, "\(failed)")
        #expect(gateway.events("handed_over").isEmpty)
        // It serves, and revokes, as before.
        let again = try gateway.request(
            "POST", "/admin/revocations", [.bearer("admin-secret")], body: #"{"subject": "ann"}"#, listener: "admin")
        #expect(again.status == 204)
        try processes.stop()
    }

    @Test("SIGTERM while a successor starts ends both")
    func endedMeanwhile() throws {
        let gateway = try Self.withGate()
        gateway.program.signal(SIGUSR2)
        _ = try #require(gateway.waitForEvent("handing_over"))
        gateway.program.signal(SIGTERM)
        #expect(gateway.program.waitForEnd() == .exit(0))
        #expect(gateway.events("handed_over").isEmpty)
        #expect(throws: SocketError.refused) { try gateway.connect() }
    }

    /// sd_notify(3): the service is ready, hands its work on, and ends.
    @Test("the service manager learns the new main process")
    func serviceManager() throws {
        let manager = try NotifySocket()
        let fixture = try Fixture(environment: ["NOTIFY_SOCKET": manager.path])
        let processes = HandedOver(fixture.gateway)
        #expect(try manager.next() == "READY=1")
        fixture.gateway.program.signal(SIGHUP)
        #expect(try manager.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(try manager.next() == "READY=1")
        try processes.next()
        #expect(try manager.next().hasPrefix("RELOADING=1\n"))
        #expect(try manager.next() == "READY=1\nMAINPID=\(processes.current)")
        try processes.stop()
        #expect(try manager.next() == "STOPPING=1")
    }
}

/// The service manager's end of a notification socket.
private final class NotifySocket: Sendable {
    let path: String
    private let directory: ConfigurationDirectory
    private let descriptor: Int32

    init() throws {
        directory = try ConfigurationDirectory()
        path = directory.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // SAFETY: the pointers are to locals and used during the calls only; the path fits, or the test ends here.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            precondition(bytes.count < room.count)
            unsafe room.copyBytes(from: bytes)
        }
        let (number, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_un>.size))
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, size) }
        }
        guard result == 0 else { throw SocketError("bind") }
    }

    deinit { _ = close(descriptor) }

    /// The next message.
    func next(_ deadline: Deadline = .usual) throws -> String {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: one entry, a local.
        guard unsafe poll(&entry, 1, deadline.milliseconds) == 1 else { throw SocketError.timedOut("notification") }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the array has room for what is asked for.
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw SocketError("recv") }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
