import Bytes

/// URIs of resources, which servers read by the rules for URLs: what they normalise could fall under another rule than the one
/// that was judged (RFC 3986 section 6.2, WHATWG URL section 4.4).
enum ResourceURI {
    /// Whether all servers read it as it is: visible ASCII, scheme and host in lower case, no dot segments, empty segments or
    /// fragment, and nothing encoded that means the same without.
    static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != ASCII.backslash && $0 != UInt8(ascii: "#") })
        else {
            return false
        }
        guard let scheme = text.firstRange(of: "://") else {
            return isPlainPath(text) && isLowercase(text.prefix { $0 != ":" })
        }
        let rest = text[scheme.upperBound...]
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        return isLowercase(text[..<scheme.lowerBound]) && isLowercase(host)
            && isPlainPath(String(rest.dropFirst(host.count)))
    }

    private static func isLowercase(_ text: Substring) -> Bool { !text.utf8.contains { (0x41...0x5A).contains($0) } }

    private static func isPlainPath(_ text: String) -> Bool {
        let path = text.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        // Empty ones at both ends are the slash in front and one behind.
        guard !segments.contains(where: { $0 == "." || $0 == ".." }), !segments.dropFirst().dropLast().contains("")
        else {
            return false
        }
        return text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            guard part.utf8.count >= 2, let byte = UInt8(part.prefix(2), radix: 16) else { return false }
            return byte >= 0x80 || !isAmbiguous(byte)
        }
    }

    /// Whether a byte means the same encoded and not, or ends a part of a URI once it is decoded.
    private static func isAmbiguous(_ byte: UInt8) -> Bool {
        byte < ASCII.space || byte == 0x7F || ASCII.isLetter(byte) || ASCII.isDigit(byte)
            || "-._~/\\%?#".utf8.contains(byte)
    }
}
