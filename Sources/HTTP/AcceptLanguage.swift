import Bytes
import Model

/// The languages that a client prefers.
package enum AcceptLanguage {
    /// Text beyond these limits is ignored: bytes, and languages.
    private static let longest = 1024
    private static let most = 32

    /// The languages of `Accept-Language` (RFC 9110 section 12.5.4), most preferred first. The wildcard and languages with a
    /// quality of 0 are left out.
    package static func preferences(_ value: String) -> [LanguageTag] {
        let bytes = Array(value.utf8.prefix(longest))
        var list = FieldList(ByteRange(0..<bytes.count))
        var found: [(tag: LanguageTag, quality: Int)] = []
        while found.count < most, let element = list.next(bytes.span) {
            let text = bytes[Int(element.start)..<Int(element.end)]
            let name = text.prefix { $0 != UInt8(ascii: ";") && $0 != ASCII.space }
            let quality = AcceptField.quality(bytes.span.extracting(name.endIndex..<text.endIndex))
            guard quality > 0, let tag = LanguageTag(String(decoding: name, as: UTF8.self)) else { continue }
            found.append((tag, quality))
        }
        return found.enumerated()
            .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
            .map(\.element.tag)
    }

    /// The languages of `ui_locales` (OpenID Connect Core section 3.1.2.1): tags, separated by blanks, most preferred first.
    package static func locales(_ value: String) -> [LanguageTag] {
        value.utf8.prefix(longest).split(separator: ASCII.space).prefix(most).compactMap {
            LanguageTag(String(decoding: $0, as: UTF8.self))
        }
    }
}
