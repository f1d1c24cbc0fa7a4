import CLinux
import Glibc

/// A directory that only its owner can access, so that no other user can create files in it.
package enum PrivateDirectory {
    /// - Throws: `ENOENT` if it does not exist, `EPERM` if it is a link, belongs to another user, or is accessible to
    ///   others.
    package static func check(_ path: String) throws(KernelError) {
        var (owner, mode): (UInt32, UInt32) = (0, 0)
        // SAFETY: the text and both numbers outlive the call.
        let result = unsafe clinux_directory(path, &owner, &mode)
        if result == -ENOTDIR { throw KernelError(EPERM) }
        _ = try Kernel.check(result)
        guard owner == clinux_user(), mode & 0o077 == 0 else { throw KernelError(EPERM) }
    }
}
