import CLinux

/// A file that is written next to its destination and then renamed: readers see the old or the whole new text, and only
/// the owner can read the draft. An unfinished draft is removed.
package struct AtomicFile: ~Copyable {
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

    /// Replaces a file.
    /// - Parameter mode: by default only the owner may read it.
    package static func replace(_ path: String, with text: [UInt8], mode: UInt32 = 0o600) throws(KernelError) {
        let draft = try AtomicFile(of: path)
        try draft.write(text)
        try draft.allow(mode)
        try draft.replace()
    }

    /// Removes the draft of an earlier process with the id of this one, such as 1 in containers, that was killed while it
    /// wrote. Only for a path that others do not write meanwhile.
    package static func removeLeftover(of path: String) {
        // SAFETY: the text outlives the call.
        _ = unsafe clinux_unlink("\(path).\(ProcessLimits.processID)")
    }

    deinit {
        // SAFETY: the text outlives the call. After `replace` there is nothing left to remove.
        _ = unsafe clinux_unlink(draft)
    }

    package func write(_ bytes: [UInt8]) throws(KernelError) {
        try descriptor.write(bytes)
    }

    /// Changes owner, group and mode.
    package func hand(to owner: UInt32, group: UInt32, mode: UInt32) throws(KernelError) {
        _ = try Kernel.check(clinux_set_owner(descriptor.number, owner, group))
        try allow(mode)
    }

    /// Changes the mode.
    package func allow(_ mode: UInt32) throws(KernelError) {
        _ = try Kernel.check(clinux_set_mode(descriptor.number, mode))
    }

    /// Replaces the destination.
    package consuming func replace() throws(KernelError) {
        _ = try Kernel.check(clinux_sync(descriptor.number))
        // SAFETY: both texts outlive the call.
        _ = try Kernel.check(unsafe clinux_rename(draft, path))
    }

    /// Creates the destination unless it exists; returns whether it was created.
    package consuming func place() throws(KernelError) -> Bool {
        _ = try Kernel.check(clinux_sync(descriptor.number))
        // SAFETY: both texts outlive the call.
        let result = unsafe clinux_link(draft, path)
        if result == -EEXIST { return false }
        _ = try Kernel.check(result)
        return true
    }
}
