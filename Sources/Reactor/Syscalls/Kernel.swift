import Bytes
import CLinux

/// An `errno` value.
package struct KernelError: Error, Equatable, Sendable {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// The description of the error.
    package var text: String {
        if code == CLINUX_NOT_REGULAR { return "Not a regular file" }
        // SAFETY: strerror answers a NUL-terminated text that is copied at once.
        return unsafe String(cString: strerror(code))
    }

    package static let outOfMemory = KernelError(ENOMEM)

    package var isAddressInUse: Bool { code == EADDRINUSE }
    package var isTimeout: Bool { code == ETIMEDOUT }
    /// Whether a file or directory does not exist.
    package var isMissingPath: Bool { code == ENOENT || code == ENOTDIR }
    /// Out of file descriptors, in this process or in all.
    var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM }
}

/// The system calls of the event loop.
enum Kernel {
    static func check(_ result: Int32) throws(KernelError) -> Int32 {
        if result < 0 { throw KernelError(-result) }
        return result
    }

    /// Receives into the free part of a chunk. Returns a count, 0 at the end, or -errno.
    static func receive(_ descriptor: Int32, into chunk: Chunk) -> Int {
        // SAFETY: `fill` hands out its free part for the time of the call.
        unsafe chunk.fill { unsafe Int(clinux_receive(descriptor, $0, $1)) }
    }

    /// Sends a chunk and consumes the sent bytes. Returns a count or -errno.
    static func send(_ descriptor: Int32, _ chunk: Chunk) -> Int {
        // SAFETY: the chunk outlives the call.
        let sent = unsafe Int(clinux_send(descriptor, chunk.readablePointer, chunk.count))
        if sent > 0 { chunk.consume(sent) }
        return sent
    }

    /// Sends two chunks in one call and consumes the sent bytes. Returns a count or -errno.
    static func send(_ descriptor: Int32, _ first: Chunk, _ second: Chunk) -> Int {
        // SAFETY: both chunks outlive the call, and the kernel only reads.
        var vector = unsafe (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.readablePointer), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.readablePointer), iov_len: second.count)
        )
        let sent = unsafe withUnsafeMutableBytes(of: &vector) { bytes in
            unsafe Int(clinux_send_vector(descriptor, bytes.baseAddress!.assumingMemoryBound(to: iovec.self), 2))
        }
        if sent > 0 {
            let ofFirst = min(sent, first.count)
            first.consume(ofFirst)
            second.consume(sent - ofFirst)
        }
        return sent
    }

    static func accept(_ descriptor: Int32) -> (descriptor: Int32, peer: SocketAddress) {
        var storage = sockaddr_storage()
        // SAFETY: accept4 writes within the storage.
        let result = unsafe clinux_accept(descriptor, &storage)
        return (result, SocketAddress(storage))
    }

    static func localAddress(_ descriptor: Int32) -> SocketAddress {
        var storage = sockaddr_storage()
        // SAFETY: getsockname writes within the storage.
        _ = unsafe clinux_local_address(descriptor, &storage)
        return SocketAddress(storage)
    }

    static func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        var (storage, length) = address.storage
        // SAFETY: the storage outlives the call, which only reads it.
        return unsafe clinux_connect(descriptor, &storage, length)
    }

    static func bind(_ descriptor: Int32, _ address: SocketAddress) throws(KernelError) {
        var (storage, length) = address.storage
        // SAFETY: as above.
        _ = try check(unsafe clinux_bind(descriptor, &storage, length))
    }

    /// Nanoseconds of the monotonic clock.
    static var monotonicNanoseconds: UInt64 { clinux_monotonic_nanoseconds() }
    /// Nanoseconds since 1970.
    static var wallNanoseconds: Int64 { clinux_wall_nanoseconds() }
}
