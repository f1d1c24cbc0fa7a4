/// A field name as words, for case-insensitive comparison of eight bytes at a time.
package struct FieldName: Sendable {
    /// Maximum length of a name in bytes.
    package static let capacity = 40

    /// The name in lower case, the first of eight bytes in the lowest bits, padded with zeros.
    private var words = InlineArray<5, UInt64>(repeating: 0)
    private let count: Int

    /// The empty name.
    package init() { count = 0 }

    /// - Parameter name: at most `capacity` letters, digits and hyphens in any case.
    package init(_ name: Span<UInt8>) {
        precondition(name.count <= FieldName.capacity && ByteScan.firstBesideName(in: name, from: 0) == name.count)
        count = name.count
        for i in name.indices { words[i >> 3] |= UInt64(ASCII.lowercased(name[i])) << UInt64((i & 7) &* 8) }
    }

    /// Whether the text is this name, case-insensitively.
    package func matches(_ text: Span<UInt8>) -> Bool {
        guard text.count == count else { return false }
        // SAFETY: the view borrows the span and is only read, within its bounds.
        let raw = unsafe text.bytes
        var position = 0
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            guard FieldName.isSame(word, words[position >> 3]) else { return false }
            position &+= 8
        }
        guard position < count else { return true }
        var rest: UInt64 = 0
        if count >= 8 {
            // The last eight bytes, without those already compared.
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            rest = word >> UInt64((position &+ 8 &- count) &* 8)
        } else {
            for i in text.indices { rest |= UInt64(text[i]) << UInt64(i &* 8) }
        }
        return FieldName.isSame(rest, words[position >> 3])
    }

    /// Whether bytes differ only in the case of letters. Among the characters of names, only letters have bit 6, and
    /// case is bit 5.
    private static func isSame(_ text: UInt64, _ name: UInt64) -> Bool {
        (text ^ name) & ~((name & 0x4040_4040_4040_4040) >> 1) == 0
    }
}
