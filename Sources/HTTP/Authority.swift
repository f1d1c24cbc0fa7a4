import Bytes
import Model

/// `host [ ":" port ]` as `Host` and absolute-form targets carry it (RFC 9110 section 4.2, RFC 3986 section 3.2).
package enum Authority {
    /// Whether the text is a host name or an address with an optional port.
    ///
    /// Narrower than RFC 3986: names consist of letters, digits and `-._~`. User information, escapes, commas and the
    /// like have no legitimate use there, and some make two hops see different hosts.
    package static func isValid(_ text: Span<UInt8>) -> Bool {
        var position = 0
        if !text.isEmpty, text[0] == 91 {
            while position < text.count, text[position] != 93 { position &+= 1 }
            guard position < text.count, AddressText.isIPv6(text.extracting(1..<position)) else { return false }
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

    /// Digits up to 65535, or nothing (RFC 3986 section 3.2.3).
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 5 else { return false }
        var port = 0
        for i in text.indices {
            guard ASCII.isDigit(text[i]) else { return false }
            port = port &* 10 &+ Int(text[i] &- 48)
        }
        return port <= 65_535
    }
}
