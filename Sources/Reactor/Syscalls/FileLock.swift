import CLinux
import Glibc

/// An exclusive lock on a file across processes and threads (flock(2)), held for the lifetime of this value. The file
/// remains.
package struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits for the lock. A missing file is created with mode 0600.
    package init(_ path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        let descriptor = Descriptor(try Kernel.check(unsafe clinux_open_lock(path)))
        var result = clinux_lock(descriptor.number)
        while result == -EINTR { result = clinux_lock(descriptor.number) }
        _ = try Kernel.check(result)
        self.descriptor = descriptor
    }

    package consuming func release() {}
}
