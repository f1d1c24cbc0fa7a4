import Bytes

/// Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2) as far as to know where one ends, so that
/// the gateway can say its own last word there. Looks at headers only.
struct WebSocketFrames {
    static let closeOpcode: UInt8 = 8
    /// The longest reason of a close frame, in bytes.
    private static let longestReason = 123

    private var headerCount = 0
    private var opcode: UInt8 = 0
    /// Length of the header that is being read; known from its second byte on.
    private var headerLength = 2
    /// How many bytes of the header tell the length of the payload, if its second byte does not.
    private var lengthBytes = 0
    private var payload: UInt64 = 0
    /// Bytes of the current payload that are still to come.
    private var remaining: UInt64 = 0
    private var isClosed = false

    /// Whether another frame may follow here.
    var takesFrame: Bool { headerCount == 0 && remaining == 0 && !isClosed }

    /// Takes note of the next bytes of the stream.
    mutating func advance(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count {
            if remaining > 0 {
                let skipped = min(remaining, UInt64(bytes.count - position))
                remaining -= skipped
                position += Int(skipped)
            } else {
                read(bytes[position])
                position += 1
            }
        }
    }

    private mutating func read(_ byte: UInt8) {
        if headerCount == 0 {
            opcode = byte & 15
        } else if headerCount == 1 {
            let length = byte & 127
            lengthBytes = length == 127 ? 8 : length == 126 ? 2 : 0
            payload = lengthBytes == 0 ? UInt64(length) : 0
            headerLength = 2 + lengthBytes + (byte & 128 == 0 ? 0 : 4)
        } else if headerCount < 2 + lengthBytes {
            payload = payload << 8 | UInt64(byte)
        }
        headerCount += 1
        guard headerCount >= 2, headerCount == headerLength else { return }
        headerCount = 0
        remaining = payload
        if opcode == WebSocketFrames.closeOpcode { isClosed = true }
    }

    /// Appends a close frame of a server (RFC 6455 section 5.5.1).
    static func appendClose(_ code: UInt16, reason: String, to chunk: Chunk) {
        let text = Array(reason.utf8.prefix(longestReason))
        chunk.ensureFree(4 + text.count)
        chunk.append(128 | closeOpcode)
        chunk.append(UInt8(2 + text.count))
        chunk.append(UInt8(code >> 8))
        chunk.append(UInt8(code & 255))
        chunk.append(text)
    }
}
