import Bytes

/// Writes heads of HTTP/1 messages into a chunk, which grows when it must.
///
/// Values are written as they are: they come from a parsed head or from literals. Text of any other source goes through
/// `appendUntrusted`, which refuses what would end the line.
package enum HeadWriter {
    /// `HTTP/1.1 200 OK` with its CRLF; a status without a registered reason gets none.
    package static func appendStatusLine(_ status: Int, to chunk: Chunk) {
        appendStatusLine(status, phrase: StatusReason.text(status), to: chunk)
    }

    /// The same with a reason phrase of our own.
    package static func appendStatusLine(_ status: Int, phrase: StaticString, to chunk: Chunk) {
        precondition(status >= 100 && status < 600)
        chunk.ensureFree(16 &+ phrase.utf8CodeUnitCount)
        chunk.append("HTTP/1.1 ")
        chunk.append(decimal: status)
        chunk.append(ASCII.space)
        chunk.append(phrase)
        chunk.append("\r\n")
    }

    /// The same with the reason phrase of an upstream.
    package static func appendStatusLine(_ status: Int, phrase: Span<UInt8>, to chunk: Chunk) {
        precondition(status >= 100 && status < 600)
        chunk.ensureFree(16 &+ phrase.count)
        chunk.append("HTTP/1.1 ")
        chunk.append(decimal: status)
        chunk.append(ASCII.space)
        chunk.append(phrase)
        chunk.append("\r\n")
    }

    /// `GET /path?query HTTP/1.1` with its CRLF.
    package static func appendRequestLine(
        method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>?, to chunk: Chunk
    ) {
        chunk.ensureFree(method.count &+ path.count &+ (query?.count ?? 0) &+ 16)
        chunk.append(method)
        chunk.append(ASCII.space)
        chunk.append(path)
        if let query {
            chunk.append(63)
            chunk.append(query)
        }
        chunk.append(" HTTP/1.1\r\n")
    }

    /// A field line.
    package static func appendField(_ name: StaticString, _ value: Span<UInt8>, to chunk: Chunk) {
        chunk.ensureFree(name.utf8CodeUnitCount &+ value.count &+ 4)
        chunk.append(name)
        chunk.append(": ")
        chunk.append(value)
        chunk.append("\r\n")
    }

    package static func appendField(_ name: StaticString, _ value: StaticString, to chunk: Chunk) {
        chunk.ensureFree(name.utf8CodeUnitCount &+ value.utf8CodeUnitCount &+ 4)
        chunk.append(name)
        chunk.append(": ")
        chunk.append(value)
        chunk.append("\r\n")
    }

    package static func appendField(_ name: StaticString, decimal value: Int, to chunk: Chunk) {
        chunk.ensureFree(name.utf8CodeUnitCount &+ 24)
        chunk.append(name)
        chunk.append(": ")
        chunk.append(decimal: value)
        chunk.append("\r\n")
    }

    /// A field line with the name as it was received or configured.
    package static func appendField(_ name: Span<UInt8>, _ value: Span<UInt8>, to chunk: Chunk) {
        chunk.ensureFree(name.count &+ value.count &+ 4)
        chunk.append(name)
        chunk.append(": ")
        chunk.append(value)
        chunk.append("\r\n")
    }

    /// A field line of text that no parser has seen, such as a subject out of a token. Answers false, and writes
    /// nothing, for a name that is no token or a value that would end the line.
    package static func appendUntrusted(_ name: Span<UInt8>, _ value: Span<UInt8>, to chunk: Chunk) -> Bool {
        guard FieldSyntax.isToken(name), FieldSyntax.isValue(value) else { return false }
        appendField(name, value, to: chunk)
        return true
    }

    /// The field lines of a head: what stands between its first line and the empty one.
    @_lifetime(copy head)
    package static func fieldLines(_ head: Span<UInt8>) -> Span<UInt8> {
        var start = 0
        while start < head.count, head[start] != ASCII.lineFeed { start &+= 1 }
        return head.extracting(min(start &+ 1, head.count)..<max(start &+ 1, head.count &- 2))
    }

    /// The empty line after the last field.
    package static func appendEnd(to chunk: Chunk) {
        chunk.ensureFree(2)
        chunk.append("\r\n")
    }

    /// The size line ahead of `count` bytes of a chunked body; `appendChunkEnd` goes behind them. A size of 0 would end
    /// the body: `appendLastChunk` does that.
    package static func appendChunkSize(_ count: Int, to chunk: Chunk) {
        precondition(count > 0)
        chunk.ensureFree(18)
        chunk.append(hexadecimal: count)
        chunk.append("\r\n")
    }

    package static func appendChunkEnd(to chunk: Chunk) { appendEnd(to: chunk) }

    /// The last chunk; trailer fields and `appendEnd` follow it.
    package static func appendLastChunk(to chunk: Chunk) {
        chunk.ensureFree(3)
        chunk.append("0\r\n")
    }
}
