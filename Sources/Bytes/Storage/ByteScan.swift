/// Scans of eight bytes at a time.
package enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Offset of the first control character (below 0x20, or 0x7f) at or after `start`; the count if there is none.
    package static func firstControl(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: the view borrows the span and is only read, within its bounds.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var position = start
        // Most values are short. Longer ones, such as tokens, are scanned in larger steps.
        var wide = start &+ 64
        while position &+ 8 <= count {
            if position >= wide {
                position = skipText(in: bytes, from: position)
                wide = .max
                if position &+ 8 > count { break }
            }
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            // A byte below 0x20 borrows into its high bit; one above 0x7f has that bit already and is masked out. A
            // borrow can only mark bytes after the first one falsely.
            let low = (word &- ones &* 0x20) & ~word
            let delete = word ^ (ones &* 0x7f)
            let hits = (low | ((delete &- ones) & ~delete)) & highs
            if hits != 0 { return position &+ hits.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < count {
            let byte = bytes[position]
            if byte < 0x20 || byte == 0x7f { return position }
            position &+= 1
        }
        return count
    }

    /// Skips 64 bytes at a time without control characters.
    private static func skipText(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: as above.
        let raw = unsafe bytes.bytes
        var position = start
        while position &+ 64 <= raw.byteCount {
            let words = unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD8<UInt64>.self)
            // Eight words at a time, each tested as in `firstControl`; only the high bits of all of them are looked at.
            let low = (words &- ones &* 0x20) & ~words
            let delete = words ^ (ones &* 0x7f)
            let hits = low | ((delete &- ones) & ~delete)
            let four = hits.lowHalf | hits.highHalf
            let two = four.lowHalf | four.highHalf
            if (two[0] | two[1]) & highs != 0 { break }
            position &+= 64
        }
        return position
    }

    /// Offset of the first byte at or after `start` that is not a letter, digit or hyphen, as in nearly all field
    /// names; the count if there is none.
    package static func firstBesideName(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: as above.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var position = start
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Seven bits of each byte: no sum overflows into the next byte, and its high bit tells whether a bound is
            // reached.
            let low = word & ~highs
            let lower = low | ones &* 0x20
            let letter = (lower &+ ones &* 0x1f) & ~(lower &+ ones &* 0x05)
            let digit = (low &+ ones &* 0x50) & ~(low &+ ones &* 0x46)
            let hyphen = ~((low ^ ones &* 0x2d) &+ ones &* 0x7f)
            let others = (word | ~(letter | digit | hyphen)) & highs
            if others != 0 { return position &+ others.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < count {
            let byte = bytes[position]
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2d else { return position }
            position &+= 1
        }
        return count
    }

    /// Offset of the first such byte at or after `start`, which is at most the end; the count if there is none.
    package static func first(_ byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: as above.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        let pattern = ones &* UInt64(byte)
        var position = start
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            // A matching byte becomes zero; a borrow can again only mark bytes after the first one falsely.
            let rest = word ^ pattern
            let hits = (rest &- ones) & ~rest & highs
            if hits != 0 { return position &+ hits.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < count, bytes[position] != byte { position &+= 1 }
        return position
    }

    /// Offset of the first byte at or after `start` that a JSON string must escape (RFC 8259 section 7): a quote, a
    /// backslash or a control character below 0x20; the count if there is none.
    package static func firstEscaped(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: as above.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var position = start
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* UInt64(ASCII.quote))
            let backslash = word ^ (ones &* UInt64(ASCII.backslash))
            // As in `firstControl`, borrows only mark bytes after the first one falsely.
            let low = (word &- ones &* 0x20) & ~word
            let hits = (low | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
            if hits != 0 { return position &+ hits.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < count {
            let byte = bytes[position]
            if byte == ASCII.quote || byte == ASCII.backslash || byte < 0x20 { return position }
            position &+= 1
        }
        return count
    }
}
