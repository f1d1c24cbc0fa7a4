import Foundation
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
        exists = FileManager.default.fileExists(atPath: path)
        let gateway = directory + "/gateway.json"
        model = exists ? path : FileManager.default.fileExists(atPath: gateway) ? gateway : gateway + "c"
    }

    /// A link is followed only to a regular file of the same owner, since a link of another user could redirect the write.
    private static func target(of path: String) throws(AdminFailure) -> String {
        let manager = FileManager.default
        guard let link = try? manager.attributesOfItem(atPath: path) else { return path }
        guard link[.type] as? FileAttributeType == .typeSymbolicLink else {
            guard link[.type] as? FileAttributeType == .typeRegular else {
                throw .cannotWrite("\(path) is no plain file")
            }
            return path
        }
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let file = try? manager.attributesOfItem(atPath: target),
            file[.type] as? FileAttributeType == .typeRegular,
            file[.ownerAccountID] as? NSNumber == link[.ownerAccountID] as? NSNumber
        else { throw .cannotWrite("\(path) is a link to something that is no plain file of the same owner") }
        return target
    }

    /// The text; nil if the file does not exist.
    func read() throws(AdminFailure) -> [UInt8]? {
        guard exists else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .cannotWrite("\(path) cannot be read")
        }
        return Array(data)
    }

    /// Replaces the text atomically. Keeps owner and mode, since the gateway may run as another user. A new file gets
    /// those of `gateway.json`, without access for others.
    func replace(with text: [UInt8]) throws(AdminFailure) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: model),
            let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        else { throw .cannotWrite("\(model) cannot be examined") }
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(text)
            try draft.hand(to: owner, group: group, mode: exists ? mode : mode & 0o770)
            try draft.replace()
        } catch {
            throw .cannotWrite("\(path) cannot be written: \(error.text)")
        }
    }
}

/// An exclusive lock of a configuration directory, across processes, until it is released.
struct DirectoryLock {
    private let handle: FileHandle

    private static let attempts = 500
    private static let pause: UInt32 = 20_000

    /// Waits for at most 10 s.
    init(_ directory: String) throws(AdminFailure) {
        guard let handle = FileHandle(forReadingAtPath: directory) else {
            throw .notFound("the directory \(directory) cannot be read")
        }
        var left = DirectoryLock.attempts
        while flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                throw .cannotWrite("the directory \(directory) cannot be locked: \(KernelError(code).text)")
            }
            left -= 1
            if left == 0 { throw .busy }
            usleep(DirectoryLock.pause)
        }
        self.handle = handle
    }
}
