/// A range of IP addresses in the notation of RFC 4632 section 3.1: `10.0.0.0/8`, `2001:db8::/32`, or one address.
///
/// IPv4 addresses that came through an IPv6 socket (`::ffff:10.0.0.1`) count as IPv4, in ranges as in addresses.
package struct AddressRange: Sendable, Equatable {
    private let network: SIMD16<UInt8>
    private let mask: SIMD16<UInt8>
    private let isIPv6: Bool
    /// How many leading bits an address shares with the range.
    package let prefixLength: Int

    /// Nil where the text is no range. Bits behind the prefix mean nothing.
    package init?(literal: String) {
        let parts = literal.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = SocketAddress(literal: String(parts[0]), port: 0) else { return nil }
        var length = address.isIPv6 ? 128 : 32
        if parts.count == 2 {
            guard let given = AddressRange.number(parts[1]), given <= length else { return nil }
            length = given
        }
        var (octets, isIPv6) = AddressRange.plain(address)
        // A range wider than all mapped addresses is one of IPv6.
        if address.isIPv6, !isIPv6 {
            if length >= 96 { length -= 96 } else { (octets, isIPv6) = (address.octets, true) }
        }
        var mask = SIMD16<UInt8>.zero
        for bit in 0..<length { mask[bit >> 3] |= 0x80 >> UInt8(bit & 7) }
        self.mask = mask
        self.isIPv6 = isIPv6
        network = octets & mask
        prefixLength = length
    }

    /// Whether the address is in the range; no unix socket is in any.
    package func contains(_ address: SocketAddress) -> Bool {
        guard !address.isUnix else { return false }
        let (octets, isIPv6) = AddressRange.plain(address)
        return isIPv6 == self.isIPv6 && octets & mask == network
    }

    /// The range holds every address of its family.
    package var isEverything: Bool { prefixLength == 0 }

    /// An address without the clothes of IPv6 that an IPv4 one may wear (RFC 4291 section 2.5.5.2).
    private static func plain(_ address: SocketAddress) -> (octets: SIMD16<UInt8>, isIPv6: Bool) {
        var octets = address.octets
        guard address.isIPv6 else { return (octets, false) }
        for i in 0..<10 where octets[i] != 0 { return (octets, true) }
        guard octets[10] == 0xff, octets[11] == 0xff else { return (octets, true) }
        for i in 0..<4 { octets[i] = octets[12 + i] }
        for i in 4..<16 { octets[i] = 0 }
        return (octets, false)
    }

    /// One to three digits without a leading zero.
    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text == "0" || text.utf8.first != 0x30 else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
