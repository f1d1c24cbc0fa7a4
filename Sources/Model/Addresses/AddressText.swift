import Bytes

/// Syntax of IP addresses.
package enum AddressText {
    /// An IPv6 address without zone (RFC 3986 section 3.2.2).
    package static func isIPv6(_ text: Span<UInt8>) -> Bool {
        var groups = 0
        var compressed = false
        var position = 0
        let count = text.count
        while position < count {
            if text[position] == ASCII.colon {
                // An empty group is only allowed as part of the one "::".
                guard !compressed else { return false }
                if groups == 0 {
                    guard position &+ 1 < count, text[position &+ 1] == ASCII.colon else { return false }
                    position &+= 1
                }
                compressed = true
                position &+= 1
                continue
            }
            let start = position
            while position < count, ASCII.hexadecimalValue(text[position]) != nil { position &+= 1 }
            if position < count, text[position] == ASCII.dot {
                guard isIPv4(text.extracting(start..<count)) else { return false }
                groups &+= 2
                position = count
                break
            }
            guard position > start, position &- start <= 4 else { return false }
            groups &+= 1
            if position == count { break }
            guard text[position] == ASCII.colon, position &+ 1 < count else { return false }
            position &+= 1
        }
        return compressed ? groups <= 7 : groups == 8
    }

    /// An IPv4 address in dotted decimal, without leading zeros.
    package static func isIPv4(_ text: Span<UInt8>) -> Bool {
        var parts = 0
        var position = 0
        while position < text.count {
            let start = position
            var value = 0
            while position < text.count, ASCII.isDigit(text[position]), position &- start < 4 {
                value = value &* 10 &+ Int(text[position] &- 48)
                position &+= 1
            }
            let digits = position &- start
            guard digits > 0, digits <= 3, value <= 255, digits == 1 || text[start] != 48 else { return false }
            parts &+= 1
            if position == text.count { break }
            guard text[position] == ASCII.dot, position &+ 1 < text.count else { return false }
            position &+= 1
        }
        return parts == 4
    }
}
