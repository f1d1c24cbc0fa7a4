import Foundation
import TestSupport

/// A program started by a test: its output by line as it comes, signals, and how it ended.
final class Program: Sendable {
    enum Stream: Sendable { case output, errors }

    /// How a program ended: its exit status, or the signal that ended it.
    enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)

        init(_ ending: ChildProcess.Ending) {
            switch ending {
            case .exit(let status): self = .exit(status)
            case .signal(let number): self = .signal(number)
            }
        }
    }

    private struct State: Sendable {
        var output: [String] = []
        var errors: [String] = []
        var openStreams = 2
        var ending: Ending?
    }

    private let state = Monitor(State())
    private let process: ChildProcess

    var processIdentifier: Int32 { process.identifier }

    /// Starts the program. `environment` is added to the test's own. It reads `input`, or has `socket` in its place.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        socket: TCPSocket? = nil, directory: String? = nil
    ) throws {
        let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
        let state = state
        process = try ChildProcess(
            executable, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: directory, input: socket?.handle ?? stdin.fileHandleForReading,
            output: output.fileHandleForWriting, errors: errors.fileHandleForWriting,
            onEnd: { ending in state.withLock { $0.ending = Ending(ending) } })
        for theirs in [stdin.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForWriting] {
            try theirs.close()
        }
        Self.collect(output.fileHandleForReading, .output, state)
        Self.collect(errors.fileHandleForReading, .errors, state)
        if let input { try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try stdin.fileHandleForWriting.close()
    }

    /// A program must not outlive its test.
    deinit {
        process.send(SIGKILL)
    }

    /// Runs the program to its end; answers how it ended and what it wrote.
    static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        directory: String? = nil, _ deadline: Deadline = .after(.seconds(60))
    ) throws -> (ending: Ending, output: String, errors: String) {
        let program = try Program(
            executable, arguments, environment: environment, input: input, directory: directory)
        guard let ending = program.waitForEnd(deadline) else { throw SocketError.timedOut(executable) }
        return (ending, program.lines(.output).joined(separator: "\n"), program.lines(.errors).joined(separator: "\n"))
    }

    func signal(_ number: Int32) { process.send(number) }

    var isRunning: Bool { state.current.ending == nil }

    /// The lines written so far, without their ends.
    func lines(_ stream: Stream) -> [String] {
        let state = state.current
        return stream == .output ? state.output : state.errors
    }

    /// Waits for the end of the program and of its output; nil when it is still running at the deadline.
    func waitForEnd(_ deadline: Deadline = .usual) -> Ending? {
        state.wait(deadline) { $0.openStreams == 0 ? $0.ending : nil }
    }

    /// Waits for the end of the program itself, and answers whether it ended in order. Others that it has started may
    /// still write.
    func hasEndedItself(_ deadline: Deadline = .usual) -> Bool {
        if case .exit = state.wait(deadline, for: { $0.ending }) { true } else { false }
    }

    /// Waits until `body` answers something for the lines of the stream; nil if it does not before the deadline or the
    /// end of the program.
    func wait<Result>(_ stream: Stream, _ deadline: Deadline = .usual, for body: ([String]) -> Result?) -> Result? {
        let found: Result?? = state.wait(deadline) { state in
            if let result = body(stream == .output ? state.output : state.errors) { return .some(result) }
            return state.ending != nil && state.openStreams == 0 ? .some(nil) : nil
        }
        return found ?? nil
    }

    /// The value in kB of a line of `/proc/PID/status`, such as `VmRSS` or `VmHWM`.
    func memory(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
    }

    /// How many descriptors the program has open.
    func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
    }

    private static func collect(_ handle: FileHandle, _ stream: Stream, _ state: Monitor<State>) {
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let more = handle.availableData
                rest += more
                var lines: [String] = []
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = rest[(end + 1)...]
                }
                if more.isEmpty && !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
                state.withLock { state in
                    if stream == .output { state.output += lines } else { state.errors += lines }
                    if more.isEmpty { state.openStreams -= 1 }
                }
                if more.isEmpty { return }
            }
        }
    }
}
