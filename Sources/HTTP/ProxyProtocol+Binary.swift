import Model

/// Version 2, the binary form (section 2.2).
extension ProxyProtocol {
    private static let signature: InlineArray<12, UInt8> = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let fixedLength = 16

    /// Values of the byte for address family and transport.
    private enum Family {
        static let unspecified: UInt8 = 0x00
        static let tcpOverIPv4: UInt8 = 0x11
        static let tcpOverIPv6: UInt8 = 0x21
        static let unixStream: UInt8 = 0x31
    }

    static func parseBinary(_ bytes: Span<UInt8>) -> Outcome {
        for i in 0..<min(signature.count, bytes.count) where bytes[i] != signature[i] { return .invalid }
        // Detects errors as early as possible: version and command, then the length.
        if bytes.count > 12, bytes[12] != 0x20, bytes[12] != 0x21 { return .invalid }
        guard bytes.count >= fixedLength else { return .needMore }
        let length = fixedLength + number(bytes, at: 14)
        guard length <= longestHeader else { return .invalid }
        guard bytes.count >= length else { return .needMore }
        let header = bytes.extracting(first: length)
        // LOCAL: the rest, including the family, is skipped.
        if header[12] == 0x20 { return .local(length: length) }
        return readProxied(header)
    }

    /// The addresses of a PROXY command. Datagram transports are refused.
    private static func readProxied(_ header: Span<UInt8>) -> Outcome {
        let addresses: Int
        switch header[13] {
        case Family.unspecified: addresses = 0
        case Family.tcpOverIPv4: addresses = 12
        case Family.tcpOverIPv6: addresses = 36
        case Family.unixStream: addresses = 216
        default: return .invalid
        }
        guard header.count >= fixedLength + addresses, checkVectors(header, from: fixedLength + addresses) else {
            return .invalid
        }
        switch header[13] {
        case Family.tcpOverIPv4: return proxied(header, width: 4)
        case Family.tcpOverIPv6: return proxied(header, width: 16)
        default: return .local(length: header.count)
        }
    }

    /// Source and destination addresses of `width` octets each, then their ports.
    private static func proxied(_ header: Span<UInt8>, width: Int) -> Outcome {
        func address(at offset: Int) -> IPAddress {
            var octets = SIMD16<UInt8>.zero
            for i in 0..<width { octets[i] = header[offset + i] }
            return IPAddress(octets: octets, isIPv6: width == 16)
        }
        let ports = fixedLength + 2 * width
        return .proxied(
            length: header.count,
            source: Endpoint(address: address(at: fixedLength), port: UInt16(number(header, at: ports))),
            destination: Endpoint(
                address: address(at: fixedLength + width), port: UInt16(number(header, at: ports + 2))))
    }

    /// Whether the type-length-values fill the rest of the header exactly, with a correct checksum, if present (section
    /// 2.2.4). Other values are ignored.
    private static func checkVectors(_ header: Span<UInt8>, from start: Int) -> Bool {
        var position = start
        var checksum: Int?
        while position < header.count {
            guard position + 3 <= header.count else { return false }
            let value = position + 3
            let next = value + number(header, at: position + 1)
            guard next <= header.count else { return false }
            if header[position] == 0x03 {
                guard checksum == nil, next - value == 4 else { return false }
                checksum = value
            }
            position = next
        }
        guard let checksum else { return true }
        let stated = UInt32(number(header, at: checksum)) << 16 | UInt32(number(header, at: checksum + 2))
        return crc32c(header, zeroed: checksum..<checksum + 4) == stated
    }

    /// Two bytes in network order.
    private static func number(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    /// CRC32C (RFC 3720 appendix B.4) of a header with a part of it as zeros.
    static func crc32c(_ bytes: Span<UInt8>, zeroed: Range<Int>) -> UInt32 {
        var crc = UInt32.max
        for i in bytes.indices {
            crc ^= zeroed.contains(i) ? 0 : UInt32(bytes[i])
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82f6_3b78 }
        }
        return ~crc
    }
}
