import Bytes

/// A network such as `10.0.0.0/8`, or a single address.
package struct IPAddressRange: Hashable, Sendable {
    private let base: UInt128
    private let mask: UInt128

    /// The network that an address belongs to.
    ///
    /// - Parameter prefixLength: 0 to 128; for IPv4 that of the mapped form, at least 96.
    package init(of address: IPAddress, prefixLength: Int) {
        mask = ~UInt128(0) << UInt128(128 - prefixLength)
        base = IPAddressRange.bits(address) & mask
    }

    /// The lowest address.
    package var first: IPAddress {
        IPAddress(high: UInt64(truncatingIfNeeded: base >> 64), low: UInt64(truncatingIfNeeded: base))
    }

    /// An address with an optional prefix length after a slash. Nil for other text, and for bits after the prefix:
    /// `10.0.0.1/8` is ambiguous.
    package init?(text: Span<UInt8>) {
        var slash = 0
        while slash < text.count, text[slash] != ASCII.slash { slash += 1 }
        guard let address = IPAddress(text: text.extracting(0..<slash)) else { return nil }
        // The width of the notation: that of IPv6 for a mapped address.
        let width = AddressText.isIPv4(text.extracting(0..<slash)) ? 32 : 128
        var prefix = width
        if slash < text.count {
            let digits = text.extracting((slash + 1)...)
            guard let length = Decimal.parse(digits), length <= width, digits.count == 1 || digits[0] != 48 else {
                return nil
            }
            prefix = length
        }
        self.init(of: address, prefixLength: 128 - width + prefix)
        guard first == address else { return nil }
    }

    /// The address behind the highest one; nil behind the last of all.
    package var next: IPAddress? {
        let (end, overflows) = (base | ~mask).addingReportingOverflow(1)
        if overflows { return nil }
        return IPAddress(high: UInt64(truncatingIfNeeded: end >> 64), low: UInt64(truncatingIfNeeded: end))
    }

    /// The same for a text.
    package init?(_ text: String) { self.init(text: text.utf8.span) }

    package func contains(_ address: IPAddress) -> Bool { IPAddressRange.bits(address) & mask == base }

    private static func bits(_ address: IPAddress) -> UInt128 { UInt128(address.high) << 64 | UInt128(address.low) }
}

extension IPAddressRange: CustomStringConvertible {
    /// As it is written in a configuration.
    package var description: String {
        let (width, length) = first.isIPv6 ? (128, mask.nonzeroBitCount) : (32, mask.nonzeroBitCount - 96)
        return length == width ? first.description : "\(first)/\(length)"
    }
}

extension [IPAddressRange] {
    /// Whether one of the ranges contains the address.
    package func contains(_ address: IPAddress) -> Bool {
        for i in indices where self[i].contains(address) { return true }
        return false
    }
}
