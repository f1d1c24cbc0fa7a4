import Bytes

/// A `redirect_uri` that tokens may be posted to once a white list has it (SSO-02): an absolute URL in visible ASCII
/// that a browser, an application and this gateway read in the same way.
package struct RedirectTarget: Sendable, Equatable {
    /// Longest one that is looked at, in bytes.
    package static let maximumLength = 1024
    /// As it was received, which is how it is used.
    package let text: String
    let origin: SerializedOrigin
    /// Where the origin ends.
    private let originEnd: Int
    /// Without the query.
    private let pathEnd: Int

    /// Nil for anything that is not one absolute URL with `://`, without user information and fragment, or whose path
    /// could be read in more than one way.
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

    /// What the policy of a page calls the place that its form may be sent to (CSP 3 section 2.3.1), as narrow as it goes.
    package var formAction: String {
        let bytes = Array(text.utf8)
        let scheme = String(decoding: bytes[origin.scheme.range], as: UTF8.self)
        // No source expression has an IPv6 literal, and those of other schemes have no hosts that mean anything.
        guard !origin.isAddress, ["http", "https"].contains(where: { $0.utf8.elementsEqual(scheme.lowercased().utf8) })
        else { return "\(scheme):" }
        var source = bytes[..<originEnd]
        let path = bytes[originEnd..<pathEnd]
        if path.count > 1 {
            for byte in path {
                // These two end a source expression; both sides are decoded before they are compared.
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
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// What stands in URLs (RFC 3986 section 2), without the `#` of a fragment. Browsers take `\` for `/`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > ASCII.space && byte < 0x7F && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// No piece leads upwards, with parameters behind it neither, and none has a dot, a separator or a percent sign in
    /// escapes: some servers decode these first, or twice.
    private static func isUnambiguous(_ segment: ArraySlice<UInt8>) -> Bool {
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
