extension Span<UInt8> {
    /// Whether the text begins with the byte order mark of UTF-8 or of UTF-16.
    package var startsWithByteOrderMark: Bool {
        guard count >= 2 else { return false }
        return switch (self[0], self[1]) {
        case (0xEF, 0xBB): count > 2 && self[2] == 0xBF
        case (0xFE, 0xFF), (0xFF, 0xFE): true
        default: false
        }
    }
}

extension [UInt8] {
    /// The text without the byte order mark that some editors write before UTF-8 (RFC 3629 section 6).
    package var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: [0xEF, 0xBB, 0xBF]) ? self[3...] : self[...] }
}
