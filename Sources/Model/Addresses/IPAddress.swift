import Bytes

/// An IPv4 or IPv6 address without a port, in two words, so that comparing and hashing are cheap.
///
/// An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) equals the IPv4 address: a client must not have two
/// addresses, of which only one is trusted or counted.
package struct IPAddress: Hashable, Sendable {
    /// The 128 bits in host order; IPv4 in its mapped form `::ffff:a.b.c.d`.
    package let high: UInt64
    package let low: UInt64

    private static let mapped: UInt64 = 0xffff_0000_0000

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// 127.0.0.1
    package static let loopback = IPAddress(v4: 0x7f00_0001)

    /// An IPv4 address as a number.
    package init(v4 bits: UInt32) {
        high = 0
        low = IPAddress.mapped | UInt64(bits)
    }

    /// - Parameter octets: in network order; for IPv4 the first four.
    package init(octets: SIMD16<UInt8>, isIPv6: Bool) {
        func word(_ range: Range<Int>) -> UInt64 {
            var word: UInt64 = 0
            for i in range { word = word << 8 | UInt64(octets[i]) }
            return word
        }
        if isIPv6 {
            self.init(high: word(0..<8), low: word(8..<16))
        } else {
            self.init(v4: UInt32(word(0..<4)))
        }
    }

    package var isIPv6: Bool { high != 0 || low >> 32 != 0xffff }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : low >> 24 & 0xff == 127 }

    /// 0.0.0.0 or ::, which for a listener mean all addresses of the machine.
    package var isUnspecified: Bool { high == 0 && (low == 0 || low == IPAddress.mapped) }

    /// The octets in network order; for IPv4 the first four.
    package var octets: SIMD16<UInt8> {
        var octets = SIMD16<UInt8>.zero
        if isIPv6 {
            for i in 0..<8 {
                octets[i] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * i))
                octets[i + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * i))
            }
        } else {
            for i in 0..<4 { octets[i] = UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * i)) }
        }
        return octets
    }

    /// The unit of limits for one client: an IPv4 address, or the /64 of an IPv6 address, in which clients choose
    /// addresses freely (RFC 4291 section 2.5.1, RFC 8981).
    package var subscriber: IPAddress { isIPv6 ? IPAddress(high: high, low: 0) : self }

    /// The same as bytes.
    package var subscriberBytes: [UInt8] {
        let octets = subscriber.octets
        return (0..<16).map { octets[$0] }
    }
}

extension IPAddress {
    /// A literal in strict form: dotted decimal without leading zeros, or RFC 4291 section 2.2 without a zone.
    package init?(text: Span<UInt8>) {
        if AddressText.isIPv4(text) {
            self.init(v4: IPAddress.v4(text))
        } else if AddressText.isIPv6(text) {
            self = IPAddress.v6(text)
        } else {
            return nil
        }
    }

    /// The same for a text.
    package init?(_ text: String) { self.init(text: text.utf8.span) }

    /// - Parameter text: a valid IPv4 address.
    private static func v4(_ text: Span<UInt8>) -> UInt32 {
        var bits: UInt32 = 0
        var part: UInt32 = 0
        for i in text.indices {
            if text[i] == ASCII.dot {
                bits = bits << 8 | part
                part = 0
            } else {
                part = part &* 10 &+ UInt32(text[i] &- 48)
            }
        }
        return bits << 8 | part
    }

    /// - Parameter text: a valid IPv6 address.
    private static func v6(_ text: Span<UInt8>) -> IPAddress {
        // Groups in front of the "::" and behind it, each as a number of 128 bits.
        var (front, back): (UInt128, UInt128) = (0, 0)
        var frontGroups = 0
        var compressed = false
        func take(_ group: UInt128, bits: Int) {
            if compressed {
                back = back << UInt128(bits) | group
            } else {
                front = front << UInt128(bits) | group
                frontGroups &+= bits / 16
            }
        }
        var position = 0
        while position < text.count {
            if text[position] == ASCII.colon {
                if position &+ 1 < text.count, text[position &+ 1] == ASCII.colon { compressed = true }
                position &+= 1
                continue
            }
            let start = position
            var group: UInt128 = 0
            while position < text.count, let digit = ASCII.hexadecimalValue(text[position]) {
                group = group << 4 | UInt128(digit)
                position &+= 1
            }
            if position < text.count, text[position] == ASCII.dot {
                take(UInt128(v4(text.extracting(start..<text.count))), bits: 32)
                break
            }
            take(group, bits: 16)
        }
        let bits = front << UInt128(128 - 16 * frontGroups) | back
        return IPAddress(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }
}

extension IPAddress {
    /// Appends the address in the form of `X-Forwarded-For` and logs: IPv6 by RFC 5952, without brackets.
    package func append(to chunk: Chunk) {
        chunk.ensureFree(40)
        guard isIPv6 else {
            for shift in stride(from: UInt64(24), through: 0, by: -8) {
                chunk.append(decimal: Int((low >> shift) & 255))
                if shift > 0 { chunk.append(ASCII.dot) }
            }
            return
        }
        let zeros = longestZeros
        var index = 0
        while index < 8 {
            if index == Int(zeros.start), zeros.count > 1 {
                chunk.append("::")
                index &+= Int(zeros.count)
                continue
            }
            if index > 0, index != zeros.end || zeros.count < 2 { chunk.append(ASCII.colon) }
            chunk.append(hexadecimal: group(index))
            index &+= 1
        }
    }

    private func group(_ index: Int) -> Int {
        let word = index < 4 ? high : low
        return Int((word >> UInt64(48 - 16 * (index & 3))) & 0xffff)
    }

    /// The longest run of zero groups, the first of equal ones (RFC 5952 section 4.2.3).
    private var longestZeros: ByteRange {
        var longest = ByteRange.empty
        var start = 0
        for index in 0...8 {
            if index < 8, group(index) == 0 { continue }
            if index - start > Int(longest.count) { longest = ByteRange(start: start, count: index - start) }
            start = index + 1
        }
        return longest
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text, off the hot path.
    package var description: String {
        let chunk = Chunk(capacity: 48)
        append(to: chunk)
        return String(copying: chunk.readable)
    }

    /// The same in IPv6 notation, also for an IPv4 address.
    package var textAsIPv6: String {
        guard !isIPv6 else { return description }
        return "::ffff:\(String(low >> 16 & 0xffff, radix: 16)):\(String(low & 0xffff, radix: 16))"
    }

    /// The host of a URL: IPv6 in brackets (RFC 3986 section 3.2.2).
    package var urlHost: String { isIPv6 ? "[\(self)]" : description }
}
