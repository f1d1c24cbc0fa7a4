import Glibc

/// The other side of a connection under test, on 127.0.0.1: a plain socket that is moved by hand and never waits.
package final class Peer {
    private var descriptor: Int32
    /// Everything received so far.
    package private(set) var received: [UInt8] = []
    /// The other side has sent its last byte.
    package private(set) var ended = false
    /// The connection was reset.
    package private(set) var wasReset = false

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    deinit { close() }

    /// A connection to a port of this machine. The kernel completes it without the listener's help.
    package init(port: UInt16, receiveBuffer: Int32? = nil) {
        descriptor = Peer.stream()
        if let receiveBuffer { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        let number = descriptor
        let result = unsafe Peer.withLoopback(port: port) { unsafe connect(number, $0, $1) }
        precondition(result == 0, "connect: \(errno)")
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        // SAFETY: the pointer is to a local and used during the call only.
        let result = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        precondition(result == 0)
    }

    /// The text received so far, after taking what has come.
    package var text: String {
        receive()
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether the other side has closed, in whichever way, after taking what has come.
    package var isOver: Bool {
        receive()
        return ended || wasReset
    }

    /// Waits until the other side has closed, in whichever way, and takes what came before that; false after ten seconds.
    ///
    /// An end that was called for may come a moment later: a program that another test is starting has a copy of every
    /// descriptor until it runs, and only with the last copy a connection is closed.
    package func waitForEnd() -> Bool {
        var time = timespec()
        // SAFETY: the pointers, here and below, are to locals and used during the call only.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let deadline = time.tv_sec + 10
        while !isOver, time.tv_sec < deadline {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&request, 1, 1000)
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        }
        return isOver
    }

    /// Forgets what was received.
    package func forget() { received = [] }

    /// Takes what has come, at most `limit` bytes of it.
    package func receive(atMost limit: Int = .max) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var taken = 0
        while taken < limit, !ended, !wasReset, descriptor >= 0 {
            let wanted = min(buffer.count, limit - taken)
            // SAFETY: the buffer outlives the call and has room for what is wanted.
            let n = unsafe recv(descriptor, &buffer, wanted, 0)
            if n > 0 {
                received += buffer[..<n]
                taken += n
            } else if n == 0 {
                ended = true
            } else if errno == ECONNRESET || errno == EPIPE {
                wasReset = true
            } else {
                return
            }
        }
    }

    /// Sends what the kernel takes; answers how much that was.
    @discardableResult package func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let n = unsafe bytes.withUnsafeBytes {
                // SAFETY: the array outlives the call, and the count stays within it.
                unsafe Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if n <= 0 { break }
            sent += n
        }
        return sent
    }

    @discardableResult package func send(_ text: String) -> Int { send(Array(text.utf8)) }

    package func shutdownSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    package func close() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes with a reset instead of an end.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        // SAFETY: the pointer is to a local and used during the call only.
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    fileprivate static func stream() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "socket: \(errno)")
        return descriptor
    }

    /// Calls with the address of a port of 127.0.0.1.
    @unsafe
    fileprivate static func withLoopback(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the pointer is to a local and used during the call only.
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}

/// A port of 127.0.0.1 that is the test's and closed: connections to it are refused, as long as this lives.
package final class RefusingPort {
    fileprivate let descriptor: Int32
    package let number: UInt16

    package init() {
        descriptor = Peer.stream()
        let number = descriptor
        precondition(unsafe Peer.withLoopback(port: 0) { unsafe bind(number, $0, $1) } == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the pointers are to locals and used during the call only.
        let result = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(number, $0, &length) }
        }
        precondition(result == 0)
        self.number = UInt16(bigEndian: address.sin_port)
    }

    deinit { _ = close(descriptor) }
}

/// A listening port of 127.0.0.1 for connections that the code under test makes.
package final class PeerListener {
    private let bound = RefusingPort()
    package var port: UInt16 { bound.number }

    /// - Parameter backlog: how many connections the kernel completes before they are accepted, less one.
    package init(backlog: Int32 = 64) {
        precondition(listen(bound.descriptor, backlog) == 0)
        _ = fcntl(bound.descriptor, F_SETFL, O_NONBLOCK)
    }

    /// The next connection, if there is one.
    package func accept() -> Peer? {
        // SAFETY: null pointers ask for no address.
        let accepted = unsafe Glibc.accept(bound.descriptor, nil as UnsafeMutablePointer<sockaddr>?, nil)
        return accepted >= 0 ? Peer(accepted) : nil
    }
}
