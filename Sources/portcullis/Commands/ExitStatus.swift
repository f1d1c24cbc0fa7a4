import Declaration
import Model
import Reactor

/// How a command ends: 0 success, 1 failure or invalid configuration, 2 usage error.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    /// A comparison could not be made, or not as a whole.
    case undecided = 3

    /// Prints what went wrong.
    static func failure(_ message: String) -> ExitStatus {
        Terminal.printError("portcullis: \(message)")
        return .failed
    }

    /// Prints what is wrong with the arguments.
    static func misuse(_ message: String) -> ExitStatus {
        Terminal.printError("portcullis: \(message)")
        return .usage
    }

    /// Calls the system, and prints what failed.
    /// - Parameter what: such as `cannot write FILE`.
    static func system<Value>(
        _ what: @autoclosure () -> String, _ body: @autoclosure () throws(KernelError) -> Value
    ) throws(ExitStatus) -> Value {
        do throws(KernelError) {
            return try body()
        } catch {
            throw .failure("\(what()): \(error.text)")
        }
    }

    static func notAnAdminListener(_ status: Int) -> ExitStatus {
        failure("no admin listener of a gateway answers there: status \(status)")
    }
}

/// Standard output and error, as text.
enum Terminal {
    static func print(_ text: String) { StandardStream.output.write(Array((text + "\n").utf8)) }
    /// Prints a diagnostic of a configuration, its severity in colour.
    static func printError(_ finding: Diagnostic) {
        let style = finding.severity == .error ? TextStyle.red : .yellow
        let word = "\(finding.severity.rawValue): "
        let shown = style.applied(to: word, if: StandardStream.errors.hasColour)
        printError(finding.description.replacing(word, with: shown, maxReplacements: 1))
    }
    static func printError(_ text: String) { StandardStream.errors.write(Array((text + "\n").utf8)) }
}

extension FileText {
    /// Reads a file that an argument names.
    /// - Throws: `.failed` after printing what is wrong.
    static func named(_ path: String) throws(ExitStatus) -> [UInt8] {
        do throws(UnreadableFile) {
            return try read(path, acceptsPipes: true)
        } catch {
            throw .failure(error.text)
        }
    }

    /// Hands over each line of a file that an argument names, or of standard input for `-`, and shows the progress.
    /// - Throws: `.undecided` after printing what is wrong.
    static func eachLine(of path: String, _ body: ([UInt8]) -> Void) throws(ExitStatus) {
        var progress = ProgressLine("lines read")
        var count = 0
        progress.show(count)
        do throws(KernelError) {
            try FileSystem.readLines(path == "-" ? "/dev/stdin" : path) { line in
                body(line)
                count += 1
                progress.show(count)
            }
        } catch {
            progress.end()
            Terminal.printError("portcullis: \(path) cannot be read: \(error.text)")
            throw .undecided
        }
        progress.end()
    }

    /// The whole file, with `-` for standard input.
    static func given(_ path: String) throws(ExitStatus) -> [UInt8] {
        path == "-" ? StandardStream.input() : try named(path)
    }
}
