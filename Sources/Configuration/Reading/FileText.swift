import Reactor

/// Why a file cannot be read.
package struct UnreadableFile: Error {
    package let path: String
    /// The description of the system error.
    package let reason: String

    package var text: String { "\(path) cannot be read: \(reason)" }
}

/// Files that are read whole.
package enum FileText {
    package static func read(_ path: String) throws(UnreadableFile) -> [UInt8] {
        do throws(KernelError) {
            return try FileSystem.read(path)
        } catch {
            throw UnreadableFile(path: path, reason: error.text)
        }
    }
}

/// The system's reason for an error of Foundation, whose own texts say that an operation could not be completed.
package enum SystemReason {
    package static func text(of error: any Error) -> String {
        let error = error as? CocoaError
        switch (error?.underlying as? POSIXError)?.code {
        case .ENOENT: return "No such file or directory"
        case .EACCES: return "Permission denied"
        case .EPERM: return "Operation not permitted"
        case .EEXIST: return "File exists"
        case .EISDIR: return "Is a directory"
        case .ENOTDIR: return "Not a directory"
        case .ELOOP: return "Too many levels of symbolic links"
        case .ENAMETOOLONG: return "File name too long"
        case .ENOSPC: return "No space left on device"
        case .EROFS: return "Read-only file system"
        case .EIO: return "Input/output error"
        case .EMFILE, .ENFILE: return "Too many open files"
        case let code?: return "error \(code.rawValue)"
        case nil: break
        }
        return switch error?.code {
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "No such file or directory"
        case .fileReadNoPermission?, .fileWriteNoPermission?: "Permission denied"
        case .fileWriteFileExists?: "File exists"
        case .fileWriteOutOfSpace?: "No space left on device"
        case .fileWriteVolumeReadOnly?: "Read-only file system"
        case let code?: "error \(code.rawValue) of the file system"
        case nil: "the system gives no reason"
        }
    }
}
