import Glibc
import Reactor

/// A configuration file during a change.
struct ConfigurationFile {
    /// The file itself, or the target of a symbolic link, which is kept.
    private let path: String
    /// The file whose owner and mode the new file gets.
    private let model: String
    private let exists: Bool

    /// - Parameter name: name of the file, which need not exist.
    init(_ name: String, in directory: String) throws(AdminFailure) {
        let named = directory + "/" + name
        path = try ConfigurationFile.target(of: named)
        exists = FileSystem.exists(path)
        let gateway = directory + "/gateway.json"
        model = exists ? path : FileSystem.exists(gateway) ? gateway : gateway + "c"
    }

    /// A link is followed only to a regular file of the same owner, since a link of another user could redirect the write.
    private static func target(of path: String) throws(AdminFailure) -> String {
        guard let link = try? FileStatus(path, followsLinks: false) else { return path }
        guard link.kind == .symbolicLink else {
            guard link.kind == .regular else { throw .cannotWrite("\(path) is not a regular file") }
            return path
        }
        let target = FileSystem.resolved(path)
        guard let file = try? FileStatus(target, followsLinks: false), file.kind == .regular, file.owner == link.owner
        else { throw .cannotWrite("\(path) is a link, but not to a regular file of the same owner") }
        return target
    }

    /// The text; nil if the file does not exist.
    func read() throws(AdminFailure) -> [UInt8]? {
        guard exists else { return nil }
        do throws(KernelError) { return try FileSystem.read(path) } catch {
            throw .cannotWrite("\(path) cannot be read: \(error.text)")
        }
    }

    /// Replaces the text atomically. Keeps owner and mode, since the gateway may run as another user. A new file gets
    /// those of `gateway.json`, without access for others.
    func replace(with text: [UInt8]) throws(AdminFailure) {
        let status: FileStatus
        do throws(KernelError) { status = try FileStatus(model) } catch {
            throw .cannotWrite("\(model) cannot be examined: \(error.text)")
        }
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(text)
            try draft.hand(
                to: status.owner, group: status.group, mode: exists ? status.mode : status.mode & 0o770)
            try draft.replace()
        } catch {
            throw .cannotWrite("\(path) cannot be written: \(error.text)")
        }
    }
}

/// An exclusive lock of a configuration directory, across processes, until it is released.
struct DirectoryLock: ~Copyable {
    private let lock: FileLock

    private static let longestMilliseconds: Int64 = 10_000

    init(_ directory: String) throws(AdminFailure) {
        let lock: FileLock?
        do throws(KernelError) {
            lock = try FileLock.onDirectory(directory, milliseconds: DirectoryLock.longestMilliseconds)
        } catch  where error.isMissingPath || error.code == EACCES {
            throw .notFound("the directory \(directory) cannot be read: \(error.text)")
        } catch {
            throw .cannotWrite("the directory \(directory) cannot be locked: \(error.text)")
        }
        guard let lock else { throw .busy }
        self.lock = lock
    }
}
