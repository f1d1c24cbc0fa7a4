import Bytes

/// Writes heads of HTTP/1 messages into a chunk, which grows as needed.
///
/// Values come from a parsed head or from literals and are written unchanged. Text of other sources goes through
/// `appendUntrusted`, which refuses text that would end the line.
package enum HeadWriter {
    /// `HTTP/1.1 200 OK` with CRLF; without a reason phrase for an unregistered status.
    package static func appendStatusLine(_ status: Int, to chunk: Chunk) {
        appendStatusLine(status, phrase: StatusReason.text(status), to: chunk)
    }

    /// The same with a given reason phrase.
    package static func appendStatusLine(_ status: Int, phrase: StaticString, to chunk: Chunk) {
        appendStatusLine(status, phrase: phrase.span, to: chunk)
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

    /// A field line.
    package static func appendField(_ name: StaticString, _ value: Span<UInt8>, to chunk: Chunk) {
        appendField(name.span, value, to: chunk)
    }

    package static func appendField(_ name: StaticString, _ value: StaticString, to chunk: Chunk) {
        appendField(name.span, value.span, to: chunk)
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

    /// A field line of unparsed text, such as the subject of a token. Returns false and writes nothing for an invalid
    /// name or value.
    package static func appendUntrusted(_ name: Span<UInt8>, _ value: Span<UInt8>, to chunk: Chunk) -> Bool {
        guard FieldSyntax.isToken(name), FieldSyntax.isValue(value) else { return false }
        appendField(name, value, to: chunk)
        return true
    }

    /// The field lines of a head, between its first line and the empty line.
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
}
