/// Digits of Base32 or Base64 on their way to be bytes again (RFC 4648 section 3).
struct DigitGroups {
    private var bytes: [UInt8] = []
    private let width: Int
    private var group: UInt32 = 0
    private var bits = 0

    /// - Parameters:
    ///   - width: bits of a digit.
    ///   - count: how many digits are to come.
    init(width: Int, count: Int) {
        self.width = width
        bytes.reserveCapacity(count &* width / 8)
    }

    mutating func append(_ digit: UInt8) {
        group = group << UInt32(width) | UInt32(digit)
        bits &+= width
        if bits >= 8 {
            bits &-= 8
            bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            group &= 1 << UInt32(bits) &- 1
        }
    }

    /// Nil where unused bits are set: every meaning has one text (section 3.5).
    consuming func finish() -> [UInt8]? { group == 0 ? bytes : nil }
}
