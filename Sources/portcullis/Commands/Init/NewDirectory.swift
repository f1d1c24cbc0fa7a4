import Glibc
import Reactor

/// A configuration directory that a command makes.
enum NewDirectory {
    struct File {
        var name: String
        var text: String
        /// Whether only its owner may read it.
        var isSecret = false
    }

    /// Who gets the files.
    struct Owner {
        /// The user of the systemd unit.
        private static let standard = "portcullis"

        /// Nil to keep the user of the process.
        private(set) var user: SystemUser?

        /// - Parameter name: nil for the user of the systemd unit, where root writes and there is one.
        /// - Throws: `.usage` after printing that there is no such user.
        init(_ name: String?) throws(ExitStatus) {
            guard let name = name ?? (geteuid() == 0 ? Owner.standard : nil) else { return }
            user = SystemUser(named: name)
            if user == nil, name != Owner.standard || geteuid() != 0 {
                throw .misuse("--owner is not a user of this machine: \(name)")
            }
        }
    }

    /// The folder of keys and store. Where the configuration is installed read-only, it is a link to a writable place.
    private static let state = "state"

    /// Writes files, in their order, into a directory that is new or empty, but for the folder of keys and store.
    /// - Throws: `.failed` after printing what is wrong.
    static func write(
        _ files: [File], to directory: String, _ owner: Owner? = nil
    ) throws(ExitStatus) {
        if let names = try? FileSystem.names(in: directory) {
            guard names.allSatisfy({ $0 == state }) else {
                throw .failure("\(directory) is not empty; nothing was written")
            }
        } else {
            guard !FileSystem.exists(directory) else {
                throw .failure("\(directory) is a file, or cannot be read; name a directory that is new or empty")
            }
            try ExitStatus.system("cannot create \(directory)", try FileSystem.makeDirectory(directory))
        }
        for file in files { try write(file, to: "\(directory)/\(file.name)", owner) }
        guard let user = owner?.user else { return }
        // The gateway makes its keys and store there.
        try ExitStatus.system(
            "\(directory) cannot be given to its owner",
            try FileSystem.setOwner(user.user, group: user.group, of: directory))
    }

    private static func write(_ file: File, to path: String, _ owner: Owner?) throws(ExitStatus) {
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(Array(file.text.utf8))
            if let user = owner?.user {
                try draft.hand(to: user.user, group: user.group, mode: file.isSecret ? 0o600 : 0o644)
            } else {
                try draft.allow(file.isSecret ? 0o600 : 0o644)
            }
            guard try draft.place() else { throw KernelError(EEXIST) }
        } catch {
            throw .failure("cannot write \(path): \(error.text)")
        }
    }
}
