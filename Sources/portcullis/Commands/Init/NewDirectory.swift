import Foundation
import Reactor

/// A configuration directory that a command makes.
enum NewDirectory {
    struct File {
        var name: String
        var text: String
        /// Whether only its owner may read it.
        var isSecret = false
    }

    /// Writes files, in their order, into a directory that is new or empty.
    /// - Throws: `.failed` after printing what is wrong.
    static func write(_ files: [File], to directory: String) throws(ExitStatus) {
        let manager = FileManager.default
        if let names = try? manager.contentsOfDirectory(atPath: directory) {
            guard names.isEmpty else { throw .failure("\(directory) is not empty; nothing was written") }
        } else {
            guard !manager.fileExists(atPath: directory) else {
                throw .failure("\(directory) is a file, or cannot be read; name a directory that is new or empty")
            }
            do {
                try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
            } catch {
                throw .failure("cannot create \(directory): \(error.localizedDescription)")
            }
        }
        for file in files { try write(file, to: "\(directory)/\(file.name)") }
    }

    private static func write(_ file: File, to path: String) throws(ExitStatus) {
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(Array(file.text.utf8))
            try draft.allow(file.isSecret ? 0o600 : 0o644)
            guard try draft.place() else { throw KernelError(EEXIST) }
        } catch {
            throw .failure("cannot write \(path): \(error.text)")
        }
    }
}
