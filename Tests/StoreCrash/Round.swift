import Foundation
import Synchronization
import TestSupport

/// Two victims that share the store, from their start until both are killed and all they have said is read.
final class Round: Sendable {
    private let lines = Mutex<[[String]]>([[], []])
    private let hasBegun = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - executable: this program.
    ///   - specification: of the store.
    ///   - delay: from the first line until the kill, in seconds; nil kills the victims while they start.
    ///   - server: is killed with them.
    func run(
        _ executable: String, _ specification: String, delay: Double?, server: RedisProcess?
    ) throws -> [String] {
        let ended = DispatchGroup()
        var processes: [ChildProcess] = []
        for number in 0..<2 {
            let pipe = Pipe()
            processes.append(
                try ChildProcess(
                    executable, ["victim", specification, String(number)], output: pipe.fileHandleForWriting,
                    errors: .standardError))
            try pipe.fileHandleForWriting.close()
            ended.enter()
            Thread.detachNewThread { [self] in
                collect(pipe.fileHandleForReading, number)
                ended.leave()
            }
        }
        if let delay {
            _ = hasBegun.wait(timeout: .now() + 10)
            Thread.sleep(forTimeInterval: delay)
        } else {
            Thread.sleep(forTimeInterval: Double.random(in: 0...0.03))
        }
        for process in processes { process.send(SIGKILL) }
        server?.crash()
        for process in processes { process.waitForEnd() }
        ended.wait()
        return lines.withLock { $0.flatMap { $0 } }
    }

    private func collect(_ handle: FileHandle, _ number: Int) {
        var rest = Data()
        while true {
            let more = handle.availableData
            // What is cut off at the end was not said.
            guard !more.isEmpty else { return }
            rest += more
            var found: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                found.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                rest = rest[(end + 1)...]
            }
            lines.withLock { $0[number] += found }
            hasBegun.signal()
        }
    }
}
