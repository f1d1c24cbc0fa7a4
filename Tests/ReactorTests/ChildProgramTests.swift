import Foundation
import Reactor
import TestSupport
import Testing

@Suite struct ChildProgramTests {
    private func run(
        _ shell: String, in directory: String = "/", milliseconds: Int64 = 30_000
    ) throws -> ChildProgram.Outcome {
        try ChildProgram.run(["/bin/sh", "-c", shell], in: directory, milliseconds: milliseconds, limit: 100_000)
    }

    @Test("output, errors and end come apart")
    func outcome() throws {
        let outcome = try run("echo out; echo err >&2; exit 200")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "out\n")
        #expect(String(decoding: outcome.errors, as: UTF8.self) == "err\n")
        #expect(outcome.status == 200 && outcome.signal == 0)
        let killed = try run("kill -9 $$")
        #expect(killed.status == 0 && killed.signal == SIGKILL)
    }

    @Test("both streams are read at once, and no more than the limit and one byte is kept")
    func limit() throws {
        let outcome = try run("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2")
        #expect(outcome.output.count == 100_001 && outcome.errors.count == 100_001 && outcome.status == 0)
    }

    @Test("the end is awaited after the streams were closed")
    func closedStreams() throws {
        #expect(try run("exec >&- 2>&-; sleep 0.2; exit 7").status == 7)
    }

    @Test("a program has its directory, the environment, no input and no descriptor of ours")
    func surroundings() throws {
        let directory = try TemporaryDirectory()
        let kept = unsafe open("/dev/null", O_RDONLY)
        defer { close(kept) }
        let outcome = try run("pwd -P; cat; ls /proc/$$/fd; echo $HOME", in: directory.path)
        let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.first == FileSystem.resolved(directory.path))
        #expect(lines.dropFirst().prefix { Int($0) != nil } == ["0", "1", "2"])
        #expect(lines.last == ProcessInfo.processInfo.environment["HOME"])
    }

    @Test("one that has left its process group is killed, too")
    func otherGroup() throws {
        let script = "import os, time; os.setpgid(0, os.getpgid(os.getppid())); time.sleep(600)"
        let start = ContinuousClock.now
        do {
            _ = try run("exec python3 -c '\(script)'", milliseconds: 2000)
            Issue.record("it has ended")
        } catch ChildProgram.Failure.late {}
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("one that takes too long is killed, at its streams or after them", arguments: ["", "exec >&- 2>&-;"])
    func late(_ first: String) throws {
        let start = ContinuousClock.now
        do {
            _ = try run("\(first) sleep 600", milliseconds: 200)
            Issue.record("it has ended")
        } catch ChildProgram.Failure.late {}
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("what does not start says why", arguments: [("/nowhere/vault", ENOENT), ("/etc/passwd", EACCES)])
    func notStarted(_ path: String, _ code: Int32) {
        do throws(ChildProgram.Failure) {
            _ = try ChildProgram.run([path], in: "/", milliseconds: 1000, limit: 10)
            Issue.record("it has started")
        } catch {
            guard case .notStarted(let cause) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(cause.code == code)
        }
    }
}
