import Glibc
import Synchronization
import TokenStorage

/// A channel to a Redis server over a blocking unix socket, one command at a time: the scripts are tested with it, and
/// nothing else.
package final class SocketChannel: RedisChannel {
    private struct Connection {
        var descriptor: Int32
        var reader = RESPReader()
    }

    private let connection: Mutex<Connection>

    package init(path: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: the path is shorter than the field, which is zero behind it; pointers are used during the calls only.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            precondition(path.utf8.count < field.count)
            for (index, byte) in path.utf8.enumerated() { unsafe field[index] = byte }
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, length) }
        }
        precondition(result == 0, "connect: \(errno)")
        connection = Mutex(Connection(descriptor: descriptor))
    }

    deinit { connection.withLock { _ = close($0.descriptor) } }

    package func send(
        _ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    ) {
        let replies = connection.withLock { connection in
            commands.map { command in
                var bytes: [UInt8] = []
                RESPCommand.append(command, to: &bytes)
                return SocketChannel.exchange(bytes, &connection)
            }
        }
        then(replies)
    }

    /// One command alone.
    @discardableResult
    package func ask(_ words: String...) -> Result<RESPValue, StoreFailure> {
        var bytes: [UInt8] = []
        RESPCommand.append(words.map { Array($0.utf8) }, to: &bytes)
        return connection.withLock { SocketChannel.exchange(bytes, &$0) }
    }

    private static func exchange(_ bytes: [UInt8], _ connection: inout Connection) -> Result<RESPValue, StoreFailure> {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            // SAFETY: the array outlives the call.
            let n = unsafe Glibc.send(connection.descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard n > 0 else { return .failure(.unavailable) }
            sent += n
        }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            do throws(RESPFault) {
                if let reply = try connection.reader.next() { return .success(reply) }
            } catch {
                return .failure(.malformed)
            }
            // SAFETY: the buffer outlives the call and has room for its count.
            let n = unsafe recv(connection.descriptor, &buffer, buffer.count, 0)
            guard n > 0 else { return .failure(.unavailable) }
            let received = Array(buffer[..<n])
            connection.reader.append(received.span)
        }
    }
}
