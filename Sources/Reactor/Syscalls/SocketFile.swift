import CLinux
import Glibc

/// The file of a unix socket that this process has bound.
///
/// The file remains when the socket is closed, so that its owner removes it at exit, unless a successor listens on it.
package struct SocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// The file at the address, right after binding or adopting; nil if there is none.
    package init?(_ address: SocketAddress) {
        guard let path = address.unixPath, let (device, inode) = try? SocketFile.identity(path) else { return nil }
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// Removes the file if it is still the same and no process listens on it: it may belong to another process, perhaps
    /// with a reused inode, or to a successor. Call after the listeners are closed.
    package func remove() {
        guard let now = try? SocketFile.identity(path), now == (device, inode),
            let address = SocketAddress(unixPath: path), (try? SocketFile.isStale(address)) == true
        else { return }
        // SAFETY: the text outlives the call.
        _ = unsafe clinux_unlink(path)
    }

    /// Removes the file if it is still the same, before its listener ends.
    package func removeOwn() {
        guard let now = try? SocketFile.identity(path), now == (device, inode) else { return }
        // SAFETY: the text outlives the call.
        _ = unsafe clinux_unlink(path)
    }

    private static func identity(_ path: String) throws(KernelError) -> (UInt64, UInt64) {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        // SAFETY: the text and both numbers outlive the call.
        _ = try Kernel.check(unsafe clinux_socket_file(path, &device, &inode))
        return (device, inode)
    }

    /// Throws `EADDRINUSE` if a process listens on the address, or if the file is not a socket.
    static func checkFree(_ address: SocketAddress) throws(KernelError) { _ = try isStale(address) }

    static func removeStale(_ address: SocketAddress) throws(KernelError) {
        guard try isStale(address), let path = address.unixPath else { return }
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_unlink(path))
    }

    private static func isStale(_ address: SocketAddress) throws(KernelError) -> Bool {
        guard let path = address.unixPath else { return false }
        do throws(KernelError) {
            _ = try identity(path)
        } catch {
            if error.code == ENOENT { return false }
            throw KernelError(error.code == ENOTSOCK ? EADDRINUSE : error.code)
        }
        let probe = Descriptor(try Kernel.check(clinux_stream_socket(AF_UNIX)))
        // Only a stale file refuses connections; a full queue or missing permissions mean that a process listens.
        switch Kernel.connect(probe.number, address) {
        case -ECONNREFUSED: return true
        case -ENOENT: return false
        case -EACCES, -EPERM: throw KernelError(EACCES)
        default: throw KernelError(EADDRINUSE)
        }
    }
}
