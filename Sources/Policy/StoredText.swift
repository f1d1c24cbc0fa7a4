import Bytes

extension Array where Element == UInt8 {
    /// A copy of the bytes, for what must outlive the receive buffer.
    init(copying bytes: Span<UInt8>) {
        self.init()
        reserveCapacity(bytes.count)
        for i in bytes.indices { append(bytes[i]) }
    }
}

extension String {
    /// The text of some bytes, which are known to be ASCII or are shown to people.
    init(copying bytes: Span<UInt8>) { self.init(decoding: [UInt8](copying: bytes), as: UTF8.self) }
}

/// Whether stored text and text of a request are the same bytes.
func equal(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqual(stored.span, text) }

/// The same but for the case of ASCII letters.
func equalIgnoringCase(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqualIgnoringCase(stored.span, text) }
