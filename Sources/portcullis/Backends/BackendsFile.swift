import Foundation
import Glibc
import Reactor

/// Why a file of the configuration was not changed.
struct FileChangeError: Error {
    let message: String
}

/// `backends.json` of a configuration directory while one command changes it.
struct BackendsFile {
    static let name = "backends.json"

    /// Where its text is: at the end of a symbolic link, which stays one.
    private let path: String
    /// The file whose owner and mode the new text gets.
    private let model: String
    private let exists: Bool
    /// Held until the end of the command, so that two of them do not overwrite each other's backend.
    private let lock: FileHandle

    init(in directory: String) throws(FileChangeError) {
        guard let lock = FileHandle(forReadingAtPath: directory), flock(lock.fileDescriptor, LOCK_EX) == 0 else {
            throw FileChangeError(message: "the directory \(directory) cannot be read")
        }
        self.lock = lock
        let url = URL(filePath: directory).appending(path: BackendsFile.name)
        path = url.resolvingSymlinksInPath().path(percentEncoded: false)
        exists = FileManager.default.fileExists(atPath: path)
        model = exists ? path : directory + "/gateway.json"
    }

    /// The text as it is; an empty array where there is no file yet.
    func read() throws(FileChangeError) -> [UInt8] {
        guard exists else { return Array("[]\n".utf8) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FileChangeError(message: "\(path) cannot be read")
        }
        return Array(data)
    }

    /// Puts the text in the place of the old one, at once. Owner and mode stay, or a gateway that runs as somebody else
    /// could no longer read its configuration; a new file is that of `gateway.json`, without what others may do.
    func replace(with text: [UInt8]) throws(FileChangeError) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: model),
            let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        else { throw FileChangeError(message: "\(model) cannot be looked at") }
        do throws(KernelError) {
            let draft = try FileDraft(of: path)
            try draft.write(text)
            try draft.hand(to: owner, group: group, mode: exists ? mode : mode & 0o770)
            try draft.replace()
        } catch {
            throw FileChangeError(message: "\(path) cannot be written: \(error.text)")
        }
    }
}
