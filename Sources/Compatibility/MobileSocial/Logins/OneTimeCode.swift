import Crypto

/// Time-based one-time codes (RFC 6238): six digits, SHA-1, a new one every thirty seconds.
package enum OneTimeCode {
    package static let stepSeconds: Int64 = 30
    static let digits = 6

    /// The code of a time step (RFC 4226 section 5.3).
    package static func code(of secret: [UInt8], step: Int64) -> String {
        let counter = stride(from: Int64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: step >> $0) }
        let mac = DigestAlgorithm.sha1.hmac(key: secret.span, counter.span)
        let offset = Int(mac[mac.count - 1] & 15)
        var number = 0
        for byte in mac[offset..<(offset + 4)] { number = number << 8 | Int(byte) }
        var rest = (number & 0x7fff_ffff) % 1_000_000
        var text: [UInt8] = []
        for _ in 0..<digits {
            text.append(UInt8(48 + rest % 10))
            rest /= 10
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// The time step of a code: the current one or a neighbour, since clocks differ (RFC 6238 section 5.2).
    package static func step(of code: String, secret: [UInt8], now: Int64) -> Int64? {
        let given = Array(code.utf8)
        var found: Int64?
        // No early exit, for constant time.
        for step in (now / stepSeconds - 1)...(now / stepSeconds + 1) {
            let expected = Array(OneTimeCode.code(of: secret, step: step).utf8)
            if constantTimeEqual(expected.span, given.span) { found = step }
        }
        return found
    }
}
