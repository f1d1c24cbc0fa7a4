extension [UInt8] {
    /// A copy of the bytes, which may outlive the receive buffer.
    package init(copying bytes: Span<UInt8>) {
        // SAFETY: the array copies the buffer while the span is alive.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: as above.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// The text of bytes that are ASCII or only displayed.
    package init(copying bytes: Span<UInt8>) {
        // SAFETY: the text copies the buffer while the span is alive.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
