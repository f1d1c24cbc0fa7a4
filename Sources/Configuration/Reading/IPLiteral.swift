import Bytes

/// An IP address written as one: `192.0.2.1` or `2001:db8::1`, without brackets, zone or port.
package struct IPLiteral: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// Reads dotted decimal or the text form of RFC 4291 section 2.2; nil for anything else.
    package init?(_ text: String) {
        guard let bytes = text.contains(":") ? IPLiteral.version6(text) : IPLiteral.version4(text[...]) else {
            return nil
        }
        self.bytes = bytes
    }

    /// An address of 4 or 16 bytes in network order.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    private init(version4 bytes: [UInt8]) { self.bytes = bytes }

    /// 127.0.0.1
    static let loopback = IPLiteral(version4: [127, 0, 0, 1])

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The IPv4 address that ::ffff:0:0/96 has inside.
    var mapped: IPLiteral? {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 255, bytes[11] == 255 else {
            return nil
        }
        return IPLiteral(bytes: Array(bytes[12...]))
    }

    /// Strict: four numbers without leading zeros, which some readers take for octal.
    private static func version4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let digits = Array(part.utf8)
            guard let number = Decimal.parse(digits.span), number < 256, digits.count == 1 || digits[0] != 48 else {
                return nil
            }
            bytes.append(UInt8(number))
        }
        return bytes
    }

    private static func version6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        switch halves.count {
        case 1:
            guard let bytes = groups(halves[0]), bytes.count == 16 else { return nil }
            return bytes
        case 2:
            guard let head = halves[0].isEmpty ? [] : groups(halves[0], last: false),
                let tail = halves[1].isEmpty ? [] : groups(halves[1]), head.count + tail.count <= 14
            else { return nil }
            return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
        default:
            return nil
        }
    }

    /// Groups of hexadecimal digits; the last may be dotted decimal.
    private static func groups(_ text: Substring, last: Bool = true) -> [UInt8]? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (i, part) in parts.enumerated() {
            if last, i == parts.count - 1, part.contains(".") {
                guard let tail = version4(part) else { return nil }
                bytes += tail
                continue
            }
            guard (1...4).contains(part.utf8.count) else { return nil }
            var group: UInt16 = 0
            for character in part.utf8 {
                guard let digit = ASCII.hexadecimalValue(character) else { return nil }
                group = group << 4 | UInt16(digit)
            }
            bytes += [UInt8(group >> 8), UInt8(group & 255)]
        }
        return bytes
    }
}

extension IPLiteral: CustomStringConvertible {
    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        // RFC 5952: the longest run of two or more zero groups becomes "::".
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(1, best.count) { best = start..<end }
            start = max(end, start + 1)
        }
        let text = groups.map { String($0, radix: 16) }
        if best.isEmpty { return text.joined(separator: ":") }
        return text[..<best.lowerBound].joined(separator: ":") + "::" + text[best.upperBound...].joined(separator: ":")
    }
}
