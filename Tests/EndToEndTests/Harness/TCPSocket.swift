import Foundation
import Glibc

/// What went wrong on a socket, as far as tests tell it apart.
enum SocketError: Error, Equatable {
    /// The event waited for did not come in time.
    case timedOut(String)
    /// The peer reset the connection, or it was gone when bytes were sent.
    case reset
    case refused
    /// The stream ended in the middle of what was waited for.
    case ended(String)
    /// Any other errno, with the call it came from.
    case system(String, Int32)

    init(_ call: String, _ code: Int32 = errno) {
        switch code {
        case ECONNRESET, EPIPE: self = .reset
        case ECONNREFUSED: self = .refused
        default: self = .system(call, code)
        }
    }
}

/// A TCP socket on the loopback interface. Every call that may block has a deadline.
final class TCPSocket: Sendable {
    private let descriptor: Monitor<Int32>

    private init(_ descriptor: Int32) { self.descriptor = Monitor(descriptor) }

    deinit { close() }

    private static func make() throws -> TCPSocket {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        return TCPSocket(descriptor)
    }

    /// A socket that listens on a port of 127.0.0.1; port 0 lets the kernel choose.
    static func listen(port: UInt16 = 0, backlog: Int32 = 1024) throws -> TCPSocket {
        let socket = try make()
        let descriptor = socket.descriptor.current
        socket.setOption(SO_REUSEADDR, 1)
        guard unsafe withLoopback(port: port, { unsafe bind(descriptor, $0, $1) }) == 0 else {
            throw SocketError("bind")
        }
        guard Glibc.listen(descriptor, backlog) == 0 else { throw SocketError("listen") }
        return socket
    }

    /// A socket connected to a port of 127.0.0.1. `receiveBuffer` bytes are asked for before connecting, so that a
    /// small window is in force from the start. `source` is the address to come from, any of 127.0.0.0/8.
    static func connect(port: UInt16, receiveBuffer: Int32? = nil, source: UInt32? = nil) throws -> TCPSocket {
        let socket = try make()
        let descriptor = socket.descriptor.current
        if let receiveBuffer { socket.setOption(SO_RCVBUF, receiveBuffer) }
        if let source {
            guard unsafe withLoopback(source, port: 0, { unsafe bind(descriptor, $0, $1) }) == 0 else {
                throw SocketError("bind")
            }
        }
        guard unsafe withLoopback(port: port, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else {
            throw SocketError("connect")
        }
        return socket
    }

    /// The port this end is bound to.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor.current
        // SAFETY: the pointers are to locals and used during the call only.
        let result = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// The same descriptor, for a program that is started; the socket keeps it open.
    var handle: FileHandle { FileHandle(fileDescriptor: descriptor.current, closeOnDealloc: false) }

    /// The next connection; nil when the socket was closed or none came in time.
    func accept(_ deadline: Deadline) -> TCPSocket? {
        guard (try? wait(Int16(POLLIN), deadline, "accept")) != nil else { return nil }
        // SAFETY: null pointers ask for no address.
        let accepted = unsafe Glibc.accept(descriptor.current, nil as UnsafeMutablePointer<sockaddr>?, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return TCPSocket(accepted)
    }

    /// Sends all bytes.
    func send(_ bytes: some Collection<UInt8>, _ deadline: Deadline = .usual) throws {
        let all = Array(bytes)
        var sent = 0
        while sent < all.count {
            try wait(Int16(POLLOUT), deadline, "send")
            // SAFETY: the array outlives the call, and the count stays within it.
            let n = unsafe all.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor.current, $0.baseAddress! + sent, all.count - sent,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
                )
            }
            if n < 0 && errno == EAGAIN { continue }
            guard n >= 0 else { throw SocketError("send") }
            sent += n
        }
    }

    /// What arrives next, at most `limit` bytes; empty at the end of the stream.
    func receive(_ limit: Int = 65_536, _ deadline: Deadline = .usual) throws -> [UInt8] {
        try wait(Int16(POLLIN), deadline, "receive")
        let descriptor = descriptor.current
        return try unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            // SAFETY: the buffer has `limit` bytes; as many as were received become initialised.
            let n = unsafe recv(descriptor, buffer.baseAddress!, limit, 0)
            guard n >= 0 else { throw SocketError("receive") }
            count = n
        }
    }

    /// Says that nothing more will be sent; the other direction stays open.
    func finishSending() { _ = shutdown(descriptor.current, Int32(SHUT_WR)) }

    /// Wakes all threads that wait on this socket; the descriptor stays until `close`.
    func interrupt() { _ = shutdown(descriptor.current, Int32(SHUT_RDWR)) }

    func close() {
        let old = descriptor.withLock { value in
            defer { value = -1 }
            return value
        }
        if old >= 0 { _ = Glibc.close(old) }
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        // SAFETY: the pointer is to a local and used during the call only.
        unsafe setsockopt(
            descriptor.current, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    private func setOption(_ name: Int32, _ value: Int32) {
        var value = value
        // SAFETY: the pointer is to a local and used during the call only.
        unsafe setsockopt(descriptor.current, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func wait(_ events: Int16, _ deadline: Deadline, _ call: String) throws {
        var entry = pollfd(fd: descriptor.current, events: events, revents: 0)
        while true {
            // SAFETY: one entry, a local.
            let n = unsafe poll(&entry, 1, deadline.milliseconds)
            if n > 0 { return }
            if n < 0 && errno != EINTR { throw SocketError("poll") }
            if deadline.isPast { throw SocketError.timedOut(call) }
        }
    }

    private static func withLoopback(
        _ host: UInt32 = 0x7F00_0001, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        // SAFETY: the pointer is to a local and used during the call only.
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
