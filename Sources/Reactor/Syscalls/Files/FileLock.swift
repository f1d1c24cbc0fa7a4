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

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Locks a directory.
    /// - Returns: nil if another process holds it all the time.
    package static func onDirectory(_ path: String, milliseconds: Int64) throws(KernelError) -> FileLock? {
        let end = Clock.monotonicMilliseconds + milliseconds
        // SAFETY: the text outlives the call.
        let descriptor = Descriptor(try Kernel.check(unsafe clinux_open_reading(try FileSystem.checked(path))))
        while true {
            let result = clinux_try_lock(descriptor.number)
            if result == 0 { return FileLock(descriptor) }
            guard result == -EWOULDBLOCK || result == -EINTR else { throw KernelError(-result) }
            if Clock.monotonicMilliseconds > end { return nil }
            usleep(20_000)
        }
    }

    package consuming func release() {}
}
