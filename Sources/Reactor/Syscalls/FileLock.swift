import CLinux
import Glibc

/// A file that one owner at a time holds, in whichever process and thread (flock(2)): held for as long as this value
/// lives. The file stays.
package struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits until nobody else holds the file. It is made, with mode 0600, where there is none.
    package init(_ path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        let descriptor = Descriptor(try Kernel.check(unsafe clinux_open_lock(path)))
        var result = clinux_lock(descriptor.number)
        while result == -EINTR { result = clinux_lock(descriptor.number) }
        _ = try Kernel.check(result)
        self.descriptor = descriptor
    }

    /// Lets the next one have it.
    package consuming func release() {}
}
