/// Incremental UTF-8 validation (RFC 3629 section 4): no overlong forms, no surrogates, nothing beyond U+10FFFF.
struct UTF8Check {
    private var remaining = 0
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xbf

    /// Whether the bytes so far end with a complete character.
    var isComplete: Bool { remaining == 0 }

    /// Takes the next byte; returns false for an invalid one.
    mutating func accepts(_ byte: UInt8) -> Bool {
        if remaining > 0 {
            guard byte >= lower, byte <= upper else { return false }
            remaining &-= 1
            lower = 0x80
            upper = 0xbf
            return true
        }
        switch byte {
        case 0..<0x80: return true
        case 0xc2...0xdf: remaining = 1
        case 0xe0...0xef:
            remaining = 2
            if byte == 0xe0 { lower = 0xa0 }
            if byte == 0xed { upper = 0x9f }
        case 0xf0...0xf4:
            remaining = 3
            if byte == 0xf0 { lower = 0x90 }
            if byte == 0xf4 { upper = 0x8f }
        default: return false
        }
        return true
    }
}
