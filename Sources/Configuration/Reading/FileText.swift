import Foundation

/// Why a file cannot be read.
package struct UnreadableFile: Error {
    package let path: String
    /// The description of the system error.
    package let reason: String

    package var text: String { "\(path) cannot be read: \(reason)" }

    fileprivate init(_ path: String, _ error: any Error) {
        self.path = path
        reason =
            switch ((error as? CocoaError)?.underlying as? POSIXError)?.code {
            case .ENOENT: "No such file or directory"
            case .EACCES: "Permission denied"
            case .EPERM: "Operation not permitted"
            case .EISDIR: "Is a directory"
            case .ENOTDIR: "Not a directory"
            case .ELOOP: "Too many levels of symbolic links"
            case .ENAMETOOLONG: "File name too long"
            case .EIO: "Input/output error"
            case .EMFILE, .ENFILE: "Too many open files"
            case let code?: "error \(code.rawValue)"
            case nil: (error as? CocoaError)?.code == .fileReadNoSuchFile ? "No such file or directory" : "\(error)"
            }
    }
}

/// Files that are read whole.
package enum FileText {
    package static func read(_ path: String) throws(UnreadableFile) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw UnreadableFile(path, error)
        }
    }
}
