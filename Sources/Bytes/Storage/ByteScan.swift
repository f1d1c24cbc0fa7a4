/// Scans that look at eight bytes at a time, for the long stretches of a head where nothing happens.
package enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Offset of the first control character (below 0x20, or 0x7f) at or after `start`; the count where there is none.
    package static func firstControl(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: the view borrows the span and is only read, within its bounds.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var position = start
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            // A byte below 0x20 borrows into its high bit; one above 0x7f has that bit already and is masked out. A borrow
            // can mark bytes behind the first one falsely, never one ahead of it.
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
}
