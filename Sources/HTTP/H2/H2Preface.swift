/// The connection preface of HTTP/2 clients (RFC 9113 section 3.4).
package enum H2Preface {
    package enum Match: Sendable {
        /// Not a preface.
        case different
        /// The beginning of a preface.
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
