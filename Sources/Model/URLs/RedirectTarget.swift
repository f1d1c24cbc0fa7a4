import Bytes

/// A `redirect_uri` that tokens may be posted to if a whitelist allows it (SSO-02): an absolute, unambiguous URL in
/// visible ASCII.
package struct RedirectTarget: Sendable, Equatable {
    /// Maximum length in bytes.
    package static let maximumLength = 1024
    /// The unchanged text.
    package let text: String
    let origin: SerializedOrigin
    /// End of the origin.
    private let originEnd: Int
    /// Without the query.
    private let pathEnd: Int

    /// Nil unless it is an absolute URL with `://` and an unambiguous path, without user information and fragment.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= RedirectTarget.maximumLength, bytes.allSatisfy(RedirectTarget.isPlain),
            let schemeEnd = SerializedOrigin.endOfScheme(bytes.span),
            !URLScheme.contains(bytes[..<schemeEnd], in: URLScheme.active)
        else { return nil }
        let isEnd: (UInt8) -> Bool = { $0 == ASCII.slash || $0 == UInt8(ascii: "?") }
        let originEnd = bytes[(schemeEnd + 3)...].firstIndex(where: isEnd) ?? bytes.count
        guard let origin = try? SerializedOrigin(bytes.span.extracting(..<originEnd)) else { return nil }
        let pathEnd = bytes[originEnd...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        guard bytes[originEnd..<pathEnd].split(separator: ASCII.slash).allSatisfy(RedirectTarget.isUnambiguous) else {
            return nil
        }
        self.text = text
        self.origin = origin
        self.originEnd = originEnd
        self.pathEnd = pathEnd
    }

    /// The path in pieces: none for an origin alone, one empty piece for `/`.
    var segments: [ArraySlice<UInt8>] {
        let path = Array(text.utf8)[originEnd..<pathEnd]
        return path.isEmpty ? [] : path.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false)
    }

    /// The narrowest source expression for the target of a form (CSP 3 section 2.3.1).
    package var formAction: String {
        let bytes = Array(text.utf8)
        let scheme = String(decoding: bytes[origin.scheme.range], as: UTF8.self)
        // Source expressions cannot contain IPv6 literals, and hosts of other schemes have no meaning.
        guard !origin.isAddress, ["http", "https"].contains(where: { $0.isExactly(scheme.lowercased()) })
        else { return "\(scheme):" }
        var source = bytes[..<originEnd]
        let path = bytes[originEnd..<pathEnd]
        if path.count > 1 {
            for byte in path {
                // These two end a source expression; escapes are decoded for the comparison.
                switch byte {
                case UInt8(ascii: ";"): source += Array("%3B".utf8)
                case ASCII.comma: source += Array("%2C".utf8)
                default: source.append(byte)
                }
            }
        }
        return String(decoding: source, as: UTF8.self)
    }

    package static func == (left: RedirectTarget, right: RedirectTarget) -> Bool {
        left.text.isExactly(right.text)
    }

    /// Characters of URLs (RFC 3986 section 2) without `#`. Browsers read `\` as `/`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > ASCII.space && byte < 0x7F && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// No dot segments, with or without parameters, and no escaped dots, separators or percent signs, which some
    /// servers decode first or twice.
    static func isUnambiguous(_ segment: ArraySlice<UInt8>) -> Bool {
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return false }
        var position = segment.startIndex
        while position < segment.endIndex {
            guard segment[position] == ASCII.percent else {
                position += 1
                continue
            }
            guard position + 2 < segment.endIndex, let high = ASCII.hexadecimalValue(segment[position + 1]),
                let low = ASCII.hexadecimalValue(segment[position + 2])
            else { return false }
            let value = high << 4 | low
            if value < ASCII.space || "./\\%;".utf8.contains(value) || value == 0x7F { return false }
            position += 3
        }
        return true
    }
}
