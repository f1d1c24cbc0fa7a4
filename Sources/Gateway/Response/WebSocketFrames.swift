import Bytes

/// Tracks frame boundaries in one direction of a WebSocket (RFC 6455 section 5.2), so that the gateway can insert its
/// own close frame. Parses headers only.
struct WebSocketFrames {
    static let closeOpcode: UInt8 = 8
    /// Maximum length of the reason in a close frame, in bytes.
    private static let longestReason = 123

    private var headerCount = 0
    private var opcode: UInt8 = 0
    /// Length of the current header; known after its second byte.
    private var headerLength = 2
    /// Number of header bytes with the extended payload length.
    private var lengthBytes = 0
    private var payload: UInt64 = 0
    /// Remaining bytes of the current payload.
    private var remaining: UInt64 = 0
    private var isClosed = false

    /// Whether another frame may follow here.
    var takesFrame: Bool { headerCount == 0 && remaining == 0 && !isClosed }

    /// Processes the next bytes of the stream.
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

    /// Appends a server's close frame (RFC 6455 section 5.5.1).
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
