import Bytes
import Crypto

/// Entity tags, which tell one state of a resource from others (RFC 9110 section 8.8.3).
package enum EntityTag {
    /// The strong tag of a representation.
    package static func tag(of representation: [UInt8]) -> String {
        let digest = DigestAlgorithm.sha256.digest(representation.span)
        return "\"\(String(decoding: Base64.encode(digest.span, .url).prefix(22), as: UTF8.self))\""
    }

    /// Whether `If-None-Match` has the tag, by weak comparison (RFC 9110 section 13.1.2).
    package static func isKnown(_ tag: String, to field: String) -> Bool {
        contains(field) { ($0.starts(with: "W/".utf8) ? $0.dropFirst(2) : $0).elementsEqual(tag.utf8) }
    }

    /// Whether `If-Match` has the tag, by strong comparison (RFC 9110 section 13.1.1).
    package static func isWanted(_ tag: String, by field: String) -> Bool {
        contains(field) { $0.elementsEqual(tag.utf8) }
    }

    /// `*` is any.
    private static func contains(_ field: String, _ isIt: (Substring.UTF8View) -> Bool) -> Bool {
        field.utf8.split(separator: ASCII.comma).contains { part in
            var text = part.drop { $0 == ASCII.space || $0 == ASCII.tab }
            while let last = text.last, last == ASCII.space || last == ASCII.tab { text = text.dropLast() }
            return text.elementsEqual("*".utf8) || isIt(text)
        }
    }
}
