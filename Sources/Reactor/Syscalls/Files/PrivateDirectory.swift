import CLinux

/// A directory that only its owner can access, so that no other user can create files in it.
package enum PrivateDirectory {
    /// - Throws: `ENOENT` if it does not exist, `EPERM` if it is a link, belongs to another user, or is accessible to
    ///   others.
    package static func check(_ path: String) throws(KernelError) {
        let status = try FileStatus(path, followsLinks: false)
        guard status.kind == .directory, status.owner == clinux_user(), status.mode & 0o077 == 0 else {
            throw KernelError(EPERM)
        }
    }
}
