import Bytes

/// What every HTTP/2 client says first (RFC 9113 section 3.4).
package enum H2Preface {
    package enum Match: Sendable {
        /// Something else.
        case different
        /// The same so far.
        case beginning
        case whole
    }

    private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    static let length = 24

    /// Compares the first bytes of a connection.
    package static func match(_ bytes: Span<UInt8>) -> Match {
        let length = text.utf8CodeUnitCount
        for i in 0..<min(length, bytes.count) where bytes[i] != text.span[i] { return .different }
        return bytes.count < length ? .beginning : .whole
    }
}
