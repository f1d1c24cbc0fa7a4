/// Groups of four Base64 digits, which encode three bytes each (RFC 4648 section 4).
enum Base64Groups {
    /// Decodes all complete groups.
    ///
    /// Fast, since tokens of unauthenticated callers have hundreds of digits: one load, one store and no bounds check
    /// for each group.
    /// - Parameter values: the value of each digit by its character; other characters have a bit above the lowest six.
    /// - Returns: the bytes, with room for an incomplete last group, and the union of the bits of all values.
    static func decode(_ text: Span<UInt8>, _ values: [UInt8]) -> (bytes: [UInt8], seen: UInt8) {
        precondition(values.count == 256)
        var seen: UInt32 = 0
        // SAFETY: a value is looked up by one byte, of which there are 256. A group of four digits is within the text, and
        // is stored as its three bytes and one extra byte, which the next store overwrites: the capacity includes one byte
        // more than all digits need. The count is that of the stored bytes.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count &* 6 / 8 &+ 1) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(buffer)
            unsafe values.withUnsafeBufferPointer { values in
                unsafe text.withUnsafeBytes { digits in
                    var i = 0
                    while i &+ 4 <= digits.count {
                        let word = unsafe UInt32(littleEndian: digits.loadUnaligned(fromByteOffset: i, as: UInt32.self))
                        let a = unsafe UInt32(values[Int(word & 255)])
                        let b = unsafe UInt32(values[Int(word >> 8 & 255)])
                        let c = unsafe UInt32(values[Int(word >> 16 & 255)])
                        let d = unsafe UInt32(values[Int(word >> 24)])
                        seen |= a | b | c | d
                        let group = a << 26 | b << 20 | c << 14 | d << 8
                        unsafe output.storeBytes(of: group.bigEndian, toByteOffset: count, as: UInt32.self)
                        i &+= 4
                        count &+= 3
                    }
                }
            }
        }
        return (bytes, UInt8(seen))
    }
}
