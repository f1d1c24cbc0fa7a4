import Bytes
import Glibc

/// Lines, for programs of one machine that tell each other something.
extension BlockingConnection {
    /// Sends the text, which has no line feed, and one behind it.
    package borrowing func send(line: String) throws(KernelError) {
        let chunk = Chunk(capacity: line.utf8.count + 1)
        chunk.append(Array(line.utf8))
        chunk.append(ASCII.lineFeed)
        try send(chunk)
    }

    /// Receives a line; what comes behind it is not looked at.
    ///
    /// - Parameters:
    ///   - longest: bytes of a line, `EMSGSIZE` for more.
    ///   - milliseconds: for all of it, `ETIMEDOUT` for more. Whoever sends byte by byte gains nothing but one time-out of
    ///     the connection.
    /// - Throws: `ECONNRESET`, too, where the connection ends before the line.
    package borrowing func receiveLine(longest: Int, milliseconds: Int64) throws(KernelError) -> [UInt8] {
        let end = Clock.monotonicMilliseconds + milliseconds
        let chunk = Chunk(capacity: longest + 1)
        var line: [UInt8] = []
        while true {
            guard try receive(into: chunk) > 0 else { throw KernelError(ECONNRESET) }
            let received = chunk.readable
            for i in received.indices {
                if received[i] == ASCII.lineFeed { return line }
                line.append(received[i])
            }
            chunk.consume(chunk.count)
            if line.count > longest { throw KernelError(EMSGSIZE) }
            if Clock.monotonicMilliseconds > end { throw KernelError(ETIMEDOUT) }
        }
    }
}
