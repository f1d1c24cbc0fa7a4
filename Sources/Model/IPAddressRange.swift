import Bytes

/// A network such as `10.0.0.0/8`, or a single address.
package struct IPAddressRange: Hashable, Sendable {
    private let first: UInt128
    private let mask: UInt128

    /// An address, with the length of its prefix behind a slash where it is a network. Nil for anything else, bits
    /// behind the prefix included: whoever writes `10.0.0.1/8` means one or the other.
    package init?(text: Span<UInt8>) {
        var slash = 0
        while slash < text.count, text[slash] != ASCII.slash { slash += 1 }
        guard let address = IPAddress(text: text.extracting(0..<slash)) else { return nil }
        // The width that the text is written in: a mapped address has that of IPv6.
        let width = AddressText.isIPv4(text.extracting(0..<slash)) ? 32 : 128
        var prefix = width
        if slash < text.count {
            let digits = text.extracting((slash + 1)...)
            guard let length = Decimal.parse(digits), length <= width, digits.count == 1 || digits[0] != 48 else {
                return nil
            }
            prefix = length
        }
        mask = ~UInt128(0) << UInt128(width - prefix)
        first = IPAddressRange.bits(address)
        guard first & mask == first else { return nil }
    }

    /// The same of a text.
    package init?(_ text: String) { self.init(text: text.utf8.span) }

    package func contains(_ address: IPAddress) -> Bool { IPAddressRange.bits(address) & mask == first }

    private static func bits(_ address: IPAddress) -> UInt128 { UInt128(address.high) << 64 | UInt128(address.low) }
}

extension [IPAddressRange] {
    /// Whether one of the ranges has the address.
    package func contains(_ address: IPAddress) -> Bool {
        for i in indices where self[i].contains(address) { return true }
        return false
    }
}
