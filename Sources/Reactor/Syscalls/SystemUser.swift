import Glibc

/// A user of the machine.
package struct SystemUser {
    package let user: UInt32
    package let group: UInt32

    /// Nil for no such user.
    package init?(named name: String) {
        // SAFETY: the entry is read before another one is asked for, and commands ask from one thread.
        guard let entry = unsafe getpwnam(name) else { return nil }
        user = unsafe entry.pointee.pw_uid
        group = unsafe entry.pointee.pw_gid
    }

    /// The home directory of the user of this process, where there is one.
    package static var home: String? {
        // SAFETY: as above; the text is copied at once.
        guard let entry = unsafe getpwuid(geteuid()), let path = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe String(cString: path)
    }
}
