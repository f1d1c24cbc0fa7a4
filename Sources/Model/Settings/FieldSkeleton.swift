import Bytes

/// Names of fields as upstreams compare them that map or drop separators, as CGI, WSGI, PHP and lenient frameworks do: the
/// letters in lower case and digits, without any `HTTP_` prefixes.
package enum FieldSkeleton {
    package static func of(_ name: String) -> [UInt8] {
        name.utf8.filter { ASCII.isLetter($0) || ASCII.isDigit($0) }.map { $0 | 32 }
    }

    /// Whether an upstream may take the name for the one with this skeleton. Allocates nothing.
    package static func matches(_ name: Span<UInt8>, _ skeleton: [UInt8]) -> Bool {
        var (place, count) = (0, 0)
        while name.count - place > 4, isPrefix(name, at: place) { place += 5 }
        for i in place..<name.count where ASCII.isLetter(name[i]) || ASCII.isDigit(name[i]) {
            guard count < skeleton.count, skeleton[count] == name[i] | 32 else { return false }
            count += 1
        }
        return count == skeleton.count
    }

    /// `HTTP` and a separator.
    private static func isPrefix(_ name: Span<UInt8>, at start: Int) -> Bool {
        let end = name[start + 4]
        return bytesEqualIgnoringCase(name.extracting(start..<start + 4), "http".utf8.span)
            && !ASCII.isLetter(end) && !ASCII.isDigit(end)
    }
}
