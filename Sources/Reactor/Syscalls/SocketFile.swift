import CLinux
import Glibc

/// The file of a unix socket that this process has bound.
///
/// It stays when the socket is closed, so its owner removes it at its end, unless a successor listens on.
package struct SocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// The file at the address as it is now, right after binding or adopting; nil where there is none.
    package init?(_ address: SocketAddress) {
        guard let path = address.unixPath, let (device, inode) = try? SocketFile.identity(path) else { return nil }
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// Removes the file if it is still the same and nobody listens at it: another process may have put its own in the
    /// place, perhaps under the number of ours, or be our successor. To be called when the listeners are closed.
    package func remove() {
        guard let now = try? SocketFile.identity(path), now == (device, inode),
            let address = SocketAddress(unixPath: path), (try? SocketFile.isStale(address)) == true
        else { return }
        // SAFETY: the text outlives the call.
        _ = unsafe clinux_unlink(path)
    }

    /// Removes the file if it is still the same, by whoever listens at it and is about to end.
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

    /// Throws `EADDRINUSE` where somebody listens at the address, or where a file is that is no socket.
    static func checkFree(_ address: SocketAddress) throws(KernelError) { _ = try isStale(address) }

    /// Removes a file that a process has left behind.
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
        // Only a file that nobody listens at refuses; a full queue, or one that we may not reach, is somebody's.
        switch Kernel.connect(probe.number, address) {
        case -ECONNREFUSED: return true
        case -ENOENT: return false
        case -EACCES, -EPERM: throw KernelError(EACCES)
        default: throw KernelError(EADDRINUSE)
        }
    }
}
