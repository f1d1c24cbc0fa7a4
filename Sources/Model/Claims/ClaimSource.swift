import Bytes

/// Where names or roles are found in claims: in one claim, of which each text counts.
package struct ClaimSource: Hashable, Sendable {
    package let path: ClaimPath
    /// Stands between the values of a text, such as the blank of `scope` (RFC 9068 section 2.2.3); nil for texts that are
    /// one value.
    package let separator: Character?
    /// Only values that begin with it count, and without it.
    package let prefix: String

    package init(_ path: ClaimPath, separator: Character? = nil, prefix: String = "") {
        self.path = path
        self.separator = separator
        self.prefix = prefix
    }

    /// The values that are not empty: of a text, or of an array of texts (JWT-27).
    package func values(in claims: JSONNode) -> [String] {
        guard let claim = path.value(in: claims) else { return [] }
        let texts = claim.array?.compactMap(\.string) ?? claim.string.map { [$0] } ?? []
        if separator == nil && prefix.isEmpty { return texts.filter { !$0.isEmpty } }
        return texts.flatMap(parts).compactMap(withoutPrefix)
    }

    /// The one value of a claim that is a text; nil for any other claim.
    package func value(in claims: JSONNode) -> String? {
        path.value(in: claims)?.string.flatMap(withoutPrefix)
    }

    private func parts(of text: String) -> [String] {
        separator.map { text.split(separator: $0).map(String.init) } ?? [text]
    }

    private func withoutPrefix(_ text: String) -> String? {
        let (bytes, prefix) = (text.utf8, prefix.utf8)
        guard bytes.count > prefix.count, bytes.starts(with: prefix) else { return nil }
        return String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self)
    }
}

extension ClaimSource: ExpressibleByStringLiteral {
    /// The claim with exactly this name.
    package init(literal name: String) { self.init(ClaimPath(literal: name)) }

    package init(stringLiteral name: String) { self.init(literal: name) }
}
