import CLinux

/// A file written beside the one it is to become: readers see the old text or the whole new one, and until it is in its
/// place nobody but the owner sees anything. What is not put in place is removed.
package struct FileDraft: ~Copyable {
    private let path: String
    private let draft: String
    private let descriptor: Descriptor

    /// An empty file with mode 0600 in the directory of `path`.
    package init(of path: String) throws(KernelError) {
        let draft = "\(path).\(ProcessLimits.processID)"
        // SAFETY: the text outlives the call.
        descriptor = Descriptor(try Kernel.check(unsafe clinux_create_private(draft)))
        self.path = path
        self.draft = draft
    }

    deinit {
        // SAFETY: the text outlives the call. After `replace` there is nothing left to remove.
        _ = unsafe clinux_unlink(draft)
    }

    package func write(_ bytes: [UInt8]) throws(KernelError) {
        var start = 0
        while start < bytes.count {
            // SAFETY: the array outlives the call, and `start` lies within it.
            let n = unsafe bytes.withUnsafeBytes {
                unsafe clinux_write(descriptor.number, $0.baseAddress! + start, $0.count - start)
            }
            if n == -Int64(EINTR) { continue }
            if n < 0 { throw KernelError(Int32(-n)) }
            start += Int(n)
        }
    }

    /// Gives the file to somebody else, who then may do what the mode says.
    package func hand(to owner: UInt32, group: UInt32, mode: UInt32) throws(KernelError) {
        _ = try Kernel.check(clinux_set_owner(descriptor.number, owner, group))
        try allow(mode)
    }

    /// Others may do what the mode says.
    package func allow(_ mode: UInt32) throws(KernelError) {
        _ = try Kernel.check(clinux_set_mode(descriptor.number, mode))
    }

    /// Puts it in the place of whatever is there.
    package consuming func replace() throws(KernelError) {
        _ = try Kernel.check(clinux_sync(descriptor.number))
        // SAFETY: both texts outlive the call.
        _ = try Kernel.check(unsafe clinux_rename(draft, path))
    }

    /// Puts it in its place unless there is a file already; answers whether it did.
    package consuming func place() throws(KernelError) -> Bool {
        _ = try Kernel.check(clinux_sync(descriptor.number))
        // SAFETY: both texts outlive the call.
        let result = unsafe clinux_link(draft, path)
        if result == -EEXIST { return false }
        _ = try Kernel.check(result)
        return true
    }
}
