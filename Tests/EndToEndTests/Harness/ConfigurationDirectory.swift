import Foundation
import TestSupport
import Testing

/// A configuration directory of its own for one test, removed with it.
final class ConfigurationDirectory: Sendable {
    let path: String
    /// What the directory goes with.
    private let keeper: any Sendable

    /// A temporary directory with these files; the names are file names, the values their text.
    init(_ files: [String: String] = [:]) throws {
        let directory = try TemporaryDirectory()
        path = directory.path
        keeper = directory
        for (name, text) in files { try write(name, text) }
    }

    /// A directory in another one, which is kept as long as this.
    init(_ name: String, in parent: ConfigurationDirectory) {
        path = parent.path + "/" + name
        keeper = parent
    }

    /// Writes or replaces a file, as an editor does that saves by renaming.
    func write(_ name: String, _ text: String) throws {
        let url = URL(fileURLWithPath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// Writes a file that can be started, and answers its path. Another process does so: what this one writes is open for
    /// writing, for a moment, in what a test beside starts meanwhile, and such a file cannot be (execve(2), ETXTBSY).
    func writeProgram(_ name: String, _ text: String) throws -> String {
        try write(name + ".text", text)
        let program = path + "/" + name
        let result = try Program.run("/usr/bin/install", ["-m", "700", program + ".text", program])
        try #require(result.ending == .exit(0), "\(result.errors)")
        try remove(name + ".text")
        return program
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    func read(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }
}
