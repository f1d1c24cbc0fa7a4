import Bytes
import Crypto
import Foundation

/// One connection of a test with a real program: a session of ours over a blocking socket.
final class TLSPeer {
    let session: TLSSession
    private let descriptor: Int32
    private let received = Chunk(capacity: 65_536)
    private let wire = Chunk(capacity: 65_536)
    let plain = Chunk(capacity: 65_536)

    init(_ session: TLSSession, _ descriptor: Int32) {
        self.session = session
        self.descriptor = descriptor
        // A program that stays silent fails the test in place of blocking it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = session.start(replying: wire)
        flush()
    }

    deinit { close(descriptor) }

    /// Waits for bytes and gives them to the session; false at the end of the connection.
    func step() -> Bool {
        let count = unsafe received.fill { start, free in unsafe recv(descriptor, start, free, 0) }
        guard count > 0 else { return false }
        _ = session.receive(received, into: plain, replying: wire)
        flush()
        return true
    }

    /// Goes on until something holds; false where the connection ends before.
    func run(until isDone: () -> Bool) -> Bool {
        while !isDone() {
            if !step() { return isDone() }
        }
        return true
    }

    func send(_ text: String) {
        _ = session.send(.of(Array(text.utf8)), into: wire)
        flush()
    }

    func finish() {
        session.finish(into: wire)
        flush()
    }

    private func flush() {
        while !wire.isEmpty {
            // SAFETY: the readable bytes live until the chunk is changed, below.
            let count = unsafe Foundation.send(descriptor, wire.readablePointer, wire.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return wire.reset() }
            wire.consume(count)
        }
    }
}

/// TCP on the loopback interface, for tests against real programs.
enum Loopback {
    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress<Result>(
        _ value: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        // SAFETY: a socket address of the internet family is one of the general kind.
        unsafe withUnsafeMutablePointer(to: &value) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }

    /// A listening socket and the port that the kernel chose.
    static func listen() -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var own = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withAddress(&own) { unsafe bind(descriptor, $0, length) } == 0
        let isNamed = unsafe withAddress(&own) { unsafe getsockname(descriptor, $0, &length) } == 0
        precondition(isBound && isNamed && Foundation.listen(descriptor, 8) == 0, "no loopback interface")
        return (descriptor, UInt16(bigEndian: own.sin_port))
    }

    static func accept(_ descriptor: Int32) -> Int32 { Foundation.accept(descriptor, nil, nil) }

    static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var other = address(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withAddress(&other) { unsafe Foundation.connect(descriptor, $0, length) } == 0
        precondition(isConnected, "nobody listens on \(port)")
        return descriptor
    }
}
