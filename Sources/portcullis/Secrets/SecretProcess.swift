import Declaration
import Reactor

/// Runs the programs that print secrets, in the directory of the configuration, with the gateway's environment and
/// without its descriptors.
struct SecretProcess {
    let directory: String

    /// The most that a program may print.
    private static let limit = 64 << 10

    /// What the program prints, without the last line end. Waits until it has ended, or its time is over.
    func run(_ call: SecretProgram.Call) -> SecretAnswer {
        let outcome: ChildProgram.Outcome
        do throws(ChildProgram.Failure) {
            outcome = try ChildProgram.run(
                call.command, in: directory, milliseconds: call.timeoutMilliseconds, limit: SecretProcess.limit)
        } catch {
            return switch error {
            case .notStarted(let cause): .unreadable("cannot be started: \(cause.text)")
            case .late: .unreadable("has not ended after \(call.timeoutMilliseconds) ms")
            }
        }
        guard outcome.signal == 0, outcome.status == 0 else {
            let end = outcome.signal == 0 ? "exit status \(outcome.status)" : "signal \(outcome.signal)"
            return .unreadable("has failed (\(end))" + SecretProcess.complaint(outcome.errors))
        }
        var bytes = outcome.output
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
}
