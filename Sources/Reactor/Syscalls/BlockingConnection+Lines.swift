import Bytes
import Glibc

/// A line protocol between programs of one machine.
extension BlockingConnection {
    /// Sends a text without line feeds, followed by a line feed.
    package borrowing func send(line: String) throws(KernelError) {
        let chunk = Chunk(capacity: line.utf8.count + 1)
        chunk.append(Array(line.utf8))
        chunk.append(ASCII.lineFeed)
        try send(chunk)
    }

    /// Receives a line; bytes after it are ignored.
    ///
    /// - Parameters:
    ///   - longest: limit of a line in bytes; `EMSGSIZE` beyond it.
    ///   - milliseconds: time limit of the whole line; `ETIMEDOUT` beyond it, plus at most one time-out of the
    ///     connection.
    /// - Throws: also `ECONNRESET` if the connection ends before the line.
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
