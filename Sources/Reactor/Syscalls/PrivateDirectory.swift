import CLinux
import Glibc

/// A directory that only its owner reaches into, so that the names in it are nobody else's.
package enum PrivateDirectory {
    /// - Throws: `ENOENT` where there is none, `EPERM` where it is another user's or a link, or open to others.
    package static func check(_ path: String) throws(KernelError) {
        var (owner, mode): (UInt32, UInt32) = (0, 0)
        // SAFETY: the text and both numbers outlive the call.
        let result = unsafe clinux_directory(path, &owner, &mode)
        if result == -ENOTDIR { throw KernelError(EPERM) }
        _ = try Kernel.check(result)
        guard owner == clinux_user(), mode & 0o077 == 0 else { throw KernelError(EPERM) }
    }
}
