import Foundation
import Glibc
import Testing

/// The part of the harness that starts programs, tried on small shell scripts in the place of the gateway.
@Suite struct ProcessHarnessTests {
    /// A stand-in for the binary that runs the text as a shell script.
    private static func standIn(_ script: String) throws -> (directory: ConfigurationDirectory, path: String) {
        let directory = try ConfigurationDirectory()
        return (directory, try directory.writeProgram("stand-in", "#!/bin/sh\n" + script))
    }

    @Test("a program runs to its end")
    func runsToTheEnd() throws {
        let result = try Program.run(
            "/bin/sh", ["-c", "cat; echo \"$GREETING\" >&2; exit 3"], environment: ["GREETING": "hello"],
            input: "one\ntwo")
        #expect(result.ending == .exit(3))
        #expect(result.output == "one\ntwo")
        #expect(result.errors == "hello")
    }

    @Test("a gateway's ports are found, and it stops")
    func findsPortsAndStops() throws {
        let upstream = try StubUpstream()
        let (directory, path) = try Self.standIn(
            """
            trap 'echo "{\\"event\\":\\"stopped\\"}" >&2; exit 0' TERM
            trap 'echo "{\\"event\\":\\"reloaded\\",\\"configuration\\":2}" >&2' HUP
            echo "{\\"event\\":\\"listening\\",\\"listener\\":\\"public\\",\\"address\\":\\"127.0.0.1:\(upstream.port)\\"}" >&2
            echo "{\\"event\\":\\"listening\\",\\"listener\\":\\"admin\\",\\"address\\":\\"127.0.0.1:\(upstream.port)\\"}" >&2
            echo "{\\"arguments\\":\\"$*\\"}"
            while :; do sleep 0.05; done
            """)
        let gateway = try GatewayProcess(directory, binary: path)
        #expect(try gateway.port() == upstream.port)
        #expect(try gateway.request("GET", "/x").text == "/x")
        let access = gateway.waitForAccess { $0["arguments"].exists }
        #expect(access?["arguments"].string == "serve --config \(directory.path)")
        #expect(try gateway.program.memory("VmRSS") > 0)
        #expect(try gateway.program.openDescriptors() >= 3)
        gateway.program.signal(SIGHUP)
        #expect(gateway.waitForEvent("reloaded")?["configuration"].integer == 2)
        #expect(try gateway.stop() == .exit(0))
        #expect(gateway.events("stopped").count == 1)
        #expect(!gateway.program.isRunning)
    }

    @Test("a failed start reports its reason")
    func saysWhyItDidNotStart() throws {
        let (directory, path) = try Self.standIn("echo 'gateway.json:1: error: nothing here' >&2; exit 1")
        let failure = #expect(throws: GatewayProcess.Failure.self) { try GatewayProcess(directory, binary: path) }
        #expect(failure?.description.contains("nothing here") == true)
    }

    @Test("processes that a test leaves running are ended")
    func endsWhatATestLeavesBehind() throws {
        var program: Program? = try Program("/bin/sleep", ["600"])
        let identifier = try #require(program?.processIdentifier)
        #expect(kill(identifier, 0) == 0)
        program = nil
        let deadline = Deadline.usual
        while kill(identifier, 0) == 0 && !deadline.isPast { sched_yield() }
        #expect(kill(identifier, 0) != 0)
    }

    @Test("configuration directories are removed")
    func configurationDirectoriesAreRemoved() throws {
        var directory: ConfigurationDirectory? = try ConfigurationDirectory(["a.json": "{}", "state/b": "x"])
        let path = try #require(directory?.path)
        #expect(try directory?.read("state/b") == "x")
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
