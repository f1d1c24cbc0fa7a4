import Bytes

/// Where names or roles are found in claims: in one claim, of which each text counts.
package struct ClaimSource: Hashable, Sendable {
    /// What counts of a text.
    package enum Part: String, Sendable, CaseIterable {
        case whole
        /// Of an e-mail address the `@` and the domain, in lower case; nothing of any other text.
        case domain
    }

    package let path: ClaimPath
    /// Stands between the values of a text, such as the blank of `scope` (RFC 9068 section 2.2.3); nil for texts that are
    /// one value.
    package let separator: Character?
    /// Only values that begin with it count, and without it.
    package let prefix: String
    package let part: Part

    package init(_ path: ClaimPath, separator: Character? = nil, prefix: String = "", part: Part = .whole) {
        self.path = path
        self.separator = separator
        self.prefix = prefix
        self.part = part
    }

    /// The values that are not empty: of a text, or of an array of texts (JWT-27).
    package func values(in claims: JSONNode) -> [String] {
        guard let claim = path.value(in: claims) else { return [] }
        let texts = claim.array?.compactMap(\.string) ?? claim.string.map { [$0] } ?? []
        if separator == nil && prefix.isEmpty && part == .whole { return texts.filter { !$0.isEmpty } }
        return texts.flatMap(parts).compactMap(counted)
    }

    /// The one value of a claim that is a text, or a whole number in decimal digits; nil for any other claim.
    package func value(in claims: JSONNode) -> String? {
        path.value(in: claims).flatMap(ClaimSource.text).flatMap(counted)
    }

    /// A text, or the digits of a whole number: some providers number their users.
    package static func text(_ claim: JSONNode) -> String? {
        if case .number(let number) = claim.value {
            number.utf8.allSatisfy(ASCII.isDigit) ? number : nil
        } else {
            claim.string
        }
    }

    private func parts(of text: String) -> [String] {
        separator.map { text.split(separator: $0).map(String.init) } ?? [text]
    }

    private func counted(_ text: String) -> String? {
        switch part {
        case .whole: return withoutPrefix(text)
        case .domain:
            let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            // With two `@` readers differ about which one ends the name.
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
            return withoutPrefix("@" + String(decoding: parts[1].map(ASCII.lowercased), as: UTF8.self))
        }
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
