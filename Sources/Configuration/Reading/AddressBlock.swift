/// A block of addresses: `10.0.0.0/8`, or one address.
package struct AddressBlock: Hashable, Sendable {
    /// The first address.
    package let base: IPLiteral
    /// How many leading bits belong to the block.
    package let prefixLength: Int

    /// Whether an address of 4 or 16 bytes in network order belongs to the block.
    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == base.bytes.count else { return false }
        return AddressBlock.masked(address, prefixLength) == base.bytes
    }

    /// The address with all bits after the prefix cleared.
    static func masked(_ bytes: [UInt8], _ prefixLength: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let bits = min(8, max(0, prefixLength - index * 8))
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> bits)
        }
    }
}
