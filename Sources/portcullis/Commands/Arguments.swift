import Configuration
import Foundation

/// How a command ends: 0 done, 1 failed or invalid, 2 used wrongly.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
}

/// Standard output and error, as text.
enum Terminal {
    static func print(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
    static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

extension FileText {
    /// A file that a command was told of.
    /// - Throws: `.failed` after saying what is wrong.
    static func named(_ path: String) throws(ExitStatus) -> [UInt8] {
        do throws(UnreadableFile) {
            return try read(path)
        } catch {
            Terminal.complain("portcullis: \(error.text)")
            throw .failed
        }
    }

    /// The same, and `-` for standard input.
    static func given(_ path: String) throws(ExitStatus) -> [UInt8] {
        path == "-" ? Array(FileHandle.standardInput.readDataToEndOfFile()) : try named(path)
    }
}

/// The arguments of one command: options with values, flags, and the rest; all behind `--` is rest.
struct Arguments {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    private(set) var positional: [String] = []

    /// - Parameters:
    ///   - options: names that take a value, with their dashes; a value follows, or stands behind `=`.
    ///   - flags: names that take none.
    /// - Throws: `.usage` after saying what is wrong.
    init(_ arguments: some Sequence<String>, options: Set<String>, flags known: Set<String>) throws(ExitStatus) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            // Names may begin with a dash, as random ids do.
            if argument == "--" {
                positional += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if options.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw Arguments.complaint("\(parts[0]) needs a value")
                }
                // `--config "$DIR"` with a variable that is not set is not the directory that one stands in.
                guard !value.isEmpty || parts[0] != "--config" else { throw Arguments.complaint("--config is empty") }
                guard values.updateValue(value, forKey: parts[0]) == nil else {
                    throw Arguments.complaint("\(parts[0]) is given twice")
                }
            } else if known.contains(argument) {
                flags.insert(argument)
            } else {
                let near = Suggestion.nearest(to: parts[0], among: options.union(known).sorted())
                throw Arguments.complaint(
                    "unknown option \(argument)" + (near.map { "; did you mean \($0)?" } ?? ""))
            }
        }
    }

    subscript(_ option: String) -> String? { values[option] }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Says what is wrong with the arguments.
    static func complaint(_ text: String) -> ExitStatus {
        Terminal.complain("portcullis: \(text)")
        return .usage
    }
}
