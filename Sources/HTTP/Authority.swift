import Bytes

/// `host [ ":" port ]` as `Host` and absolute-form targets carry it (RFC 9110 section 4.2, RFC 3986 section 3.2).
package enum Authority {
    /// Whether the text is a host name or an address with an optional port.
    ///
    /// Narrower than RFC 3986: of a name, letters, digits and `-._~` alone. User information, escapes, commas and the
    /// like have no good use there, and some have been used to make two hops see two hosts.
    package static func isValid(_ text: Span<UInt8>) -> Bool {
        var position = 0
        if !text.isEmpty, text[0] == 91 {
            while position < text.count, text[position] != 93 { position &+= 1 }
            guard position < text.count, isIPv6(text.extracting(1..<position)) else { return false }
            position &+= 1
        } else {
            while position < text.count, isName(text[position]) { position &+= 1 }
            guard position > 0 else { return false }
        }
        if position == text.count { return true }
        return text[position] == ASCII.colon && isPort(text.extracting((position &+ 1)..<text.count))
    }

    private static func isName(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 45 || byte == 46 || byte == 95 || byte == 126
    }

    /// Digits up to 65535; none at all is allowed (RFC 3986 section 3.2.3).
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 5 else { return false }
        var port = 0
        for i in text.indices {
            guard ASCII.isDigit(text[i]) else { return false }
            port = port &* 10 &+ Int(text[i] &- 48)
        }
        return port <= 65_535
    }

    /// An IPv6 address without zone (RFC 3986 section 3.2.2).
    package static func isIPv6(_ text: Span<UInt8>) -> Bool {
        var groups = 0
        var compressed = false
        var position = 0
        let count = text.count
        while position < count {
            if text[position] == ASCII.colon {
                // A colon in a group's place: only as part of the one "::".
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
    static func isIPv4(_ text: Span<UInt8>) -> Bool {
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
