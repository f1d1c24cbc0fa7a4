import Bytes
import Model

/// One element of `Forwarded` (RFC 7239 section 4), written by one hop. The values are ranges of the head's buffer,
/// without quotes.
struct ForwardedElement {
    private(set) var node: ByteRange?
    private(set) var scheme: ByteRange?
    private(set) var host: ByteRange?

    /// Nil if the element is malformed or repeats a parameter.
    init?(_ element: ByteRange, _ bytes: Span<UInt8>) {
        var position = Int(element.start)
        while true {
            let start = position
            while position < element.end, FieldSyntax.isToken(bytes[position]) { position &+= 1 }
            guard position > start, position < element.end, bytes[position] == UInt8(ascii: "=") else { return nil }
            let name = bytes.extracting(start..<position)
            guard let value = ForwardedElement.value(from: position &+ 1, to: element.end, bytes),
                take(name, value.range)
            else { return nil }
            position = value.end
            if position == element.end { return }
            guard bytes[position] == UInt8(ascii: ";") else { return nil }
            position &+= 1
        }
    }

    private mutating func take(_ name: Span<UInt8>, _ value: ByteRange) -> Bool {
        func set(_ place: inout ByteRange?) -> Bool {
            guard place == nil else { return false }
            place = value
            return true
        }
        if matches(name, "for") { return set(&node) }
        if matches(name, "proto") { return set(&scheme) }
        if matches(name, "host") { return set(&host) }
        return true
    }

    /// A token or a quoted string. Escapes are refused, since no value that is read here needs them.
    private static func value(from start: Int, to end: Int, _ bytes: Span<UInt8>) -> (range: ByteRange, end: Int)? {
        var position = start
        guard position < end, bytes[position] == ASCII.quote else {
            while position < end, FieldSyntax.isToken(bytes[position]) { position &+= 1 }
            return position == start ? nil : (ByteRange(start: start, count: position &- start), position)
        }
        position &+= 1
        while position < end, bytes[position] != ASCII.quote {
            guard bytes[position] != ASCII.backslash else { return nil }
            position &+= 1
        }
        guard position < end else { return nil }
        return (ByteRange(start: start &+ 1, count: position &- start &- 1), position &+ 1)
    }

    /// The address of a node with an optional port: `192.0.2.1`, `192.0.2.1:47011`, `[2001:db8::1]:47011`, and the bare
    /// IPv6 address of `X-Forwarded-For`. Nil for `unknown`, a name (RFC 7239 section 6) and everything else.
    static func node(_ text: Span<UInt8>) -> IPAddress? {
        guard !text.isEmpty else { return nil }
        if text[0] == UInt8(ascii: "[") {
            var end = 1
            while end < text.count, text[end] != UInt8(ascii: "]") { end &+= 1 }
            guard end < text.count, isPort(text.extracting((end &+ 1)...)) else { return nil }
            let literal = text.extracting(1..<end)
            return AddressText.isIPv6(literal) ? IPAddress(text: literal) : nil
        }
        var colon = 0
        while colon < text.count, text[colon] != ASCII.colon { colon &+= 1 }
        // A bare IPv6 address has no port, which would be ambiguous with its last group.
        if colon < text.count, AddressText.isIPv4(text.extracting(0..<colon)) {
            return isPort(text.extracting(colon...)) ? IPAddress(text: text.extracting(0..<colon)) : nil
        }
        return IPAddress(text: text)
    }

    /// Nothing, or a colon and a number, whose value is ignored.
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return true }
        guard text[0] == ASCII.colon, text.count > 1, text.count <= 6 else { return false }
        for i in 1..<text.count where !ASCII.isDigit(text[i]) { return false }
        return true
    }
}
