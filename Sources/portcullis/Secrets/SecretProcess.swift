import Configuration
import Dispatch
import Foundation
import Synchronization

/// Runs the programs that print secrets, in the directory of the configuration, with the gateway's environment and
/// without its descriptors.
struct SecretProcess {
    let directory: String

    /// The most that a program may print.
    private static let limit = 64 << 10

    /// What the program prints, without the last line end. Waits until it has ended, or its time is over.
    func run(_ call: SecretProgram.Call) -> SecretAnswer {
        let process = Process()
        let (output, complaints) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: call.command[0])
        process.arguments = Array(call.command.dropFirst())
        process.currentDirectoryURL = URL(filePath: directory, directoryHint: .isDirectory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaints
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do { try process.run() } catch { return .unreadable("cannot be started") }
        let reading = DispatchGroup()
        let printed = Collected(output.fileHandleForReading, in: reading)
        let complained = Collected(complaints.fileHandleForReading, in: reading)
        let deadline = DispatchTime.now() + .milliseconds(Int(clamping: call.timeoutMilliseconds))
        guard reading.wait(timeout: deadline) == .success, ended.wait(timeout: deadline) == .success else {
            // Its group, with what it has started. The program itself may have ended, and its id be that of another one.
            kill(-process.processIdentifier, SIGKILL)
            return .unreadable("has not ended after \(call.timeoutMilliseconds) ms")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let end = process.terminationReason == .exit ? "exit status" : "signal"
            return .unreadable(
                "has failed (\(end) \(process.terminationStatus))" + SecretProcess.complaint(complained.bytes))
        }
        var bytes = printed.bytes
        guard bytes.count <= SecretProcess.limit else { return .unreadable("prints more than 64 KiB") }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .unreadable("prints no UTF-8") }
        return .secret(text)
    }

    /// The first line that a program has written to its standard error, without what could disturb a terminal.
    private static func complaint(_ bytes: [UInt8]) -> String {
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(200), as: UTF8.self)
        let plain = String(line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return plain.isEmpty ? "" : ": \(plain)"
    }

    /// The first bytes of a pipe, read to its end on another thread, so that the program does not wait for a reader.
    private final class Collected: Sendable {
        private let collected = Mutex<[UInt8]>([])

        var bytes: [UInt8] { collected.withLock { $0 } }

        init(_ handle: FileHandle, in group: DispatchGroup) {
            DispatchQueue.global().async(group: group) { [self] in
                while let piece = try? handle.read(upToCount: 16 << 10), !piece.isEmpty {
                    collected.withLock { if $0.count <= SecretProcess.limit { $0 += piece } }
                }
            }
        }
    }
}
