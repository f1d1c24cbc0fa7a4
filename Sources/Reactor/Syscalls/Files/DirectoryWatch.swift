import CLinux

/// Reports changes of the entries of directories (inotify(7)). Changes that another machine makes on a network file system
/// are not reported.
package struct DirectoryWatch: ~Copyable, Sendable {
    private let descriptor: Descriptor

    package init() throws(KernelError) { descriptor = Descriptor(try Kernel.check(clinux_inotify())) }

    /// Watches a directory, unless it is already watched.
    package func add(_ directory: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_inotify_watch(descriptor.number, directory))
    }

    /// Waits for changes, and discards the pending ones.
    ///
    /// - Parameter milliseconds: the longest wait; negative for no limit.
    /// - Returns: whether anything has changed.
    package func wait(milliseconds: Int32 = -1) -> Bool {
        let ready = clinux_wait_readable(descriptor.number, milliseconds) > 0
        if ready { clinux_inotify_drain(descriptor.number) }
        return ready
    }
}

/// Identifies the state of a file: device and inode, size and times.
package struct FileState: Equatable, Sendable {
    private let device, inode, size: UInt64
    private let modified, changed: Int64

    /// The state of the file at this path, with symbolic links resolved; nil if missing or inaccessible.
    package init?(_ path: String) {
        var state = clinux_file_state()
        // SAFETY: both outlive the call.
        guard unsafe clinux_file_state(path, &state) == 0 else { return nil }
        device = state.device
        inode = state.inode
        size = state.size
        modified = state.modified
        changed = state.changed
    }
}
