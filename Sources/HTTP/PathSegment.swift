import Bytes

/// A name as one segment of a path (RFC 3986 section 3.3).
package enum PathSegment {
    /// The percent-decoded segment; nil if it is malformed, not UTF-8, not stream-safe, or has control characters.
    package static func decode(_ segment: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var i = 0
        while i < segment.count {
            var byte = segment[i]
            if byte == ASCII.percent {
                guard let decoded = ASCII.percentDecoded(segment, at: i) else { return nil }
                byte = decoded
                i += 2
            }
            guard byte >= 0x20, byte != 0x7F else { return nil }
            bytes.append(byte)
            i += 1
        }
        return String(streamSafe: bytes)
    }

    /// The decoded segments of a path after a prefix; nil for another prefix, or if a segment is empty or cannot be
    /// decoded.
    ///
    /// - Parameter path: a canonical path, whose remaining escapes are not delimiters.
    package static func decode(_ path: String, behind prefix: String) -> [String]? {
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        let segments = Array(path.utf8.dropFirst(prefix.utf8.count))
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
        let parts = segments.compactMap { decode(Array($0).span) }
        return parts.count == segments.count && parts.allSatisfy { !$0.isEmpty } ? parts : nil
    }

    /// The segment of a name: all but unreserved characters are encoded.
    package static func encode(_ name: String) -> String { FormEncoding.encode(name) }
}
