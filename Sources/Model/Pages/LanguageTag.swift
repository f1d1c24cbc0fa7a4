import Bytes

/// A language tag (BCP 47), as far as the choice of a text needs it: subtags of 1 to 8 letters and digits.
package struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    private let subtags: [String]
    /// In the usual capitals: `pt-BR`, `sr-Latn`.
    package let description: String

    /// Nil for text that is no tag.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, (2...8).contains(first.count), first.allSatisfy(ASCII.isLetter),
            parts.count <= 8,
            parts.allSatisfy({ part in
                (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
            })
        else { return nil }
        let subtags = parts.map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) }
        self.subtags = subtags
        description = subtags.enumerated().map { place, subtag in
            switch subtag.utf8.count {
            case 2 where place > 0: subtag.uppercased()
            case 4 where place > 0: subtag.prefix(1).uppercased() + subtag.dropFirst()
            default: subtag
            }
        }.joined(separator: "-")
    }

    package static let english = LanguageTag(subtags: ["en"], description: "en")
    package static let german = LanguageTag(subtags: ["de"], description: "de")

    private init(subtags: [String], description: String) {
        self.subtags = subtags
        self.description = description
    }

    package static func == (a: LanguageTag, b: LanguageTag) -> Bool { a.subtags == b.subtags }
    package func hash(into hasher: inout Hasher) { hasher.combine(subtags) }

    /// The tag without its last subtag, and without a single letter before that (RFC 4647 section 3.4); nil at the end.
    package var shortened: LanguageTag? {
        var rest = subtags.dropLast()
        if let last = rest.last, last.utf8.count == 1 { rest = rest.dropLast() }
        return rest.isEmpty ? nil : LanguageTag(rest.joined(separator: "-"))
    }

    private static let scriptsFromTheRight: Set<String> = [
        "adlm", "arab", "aran", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa",
    ]
    private static let languagesFromTheRight: Set<String> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]

    /// Whether it is written from right to left: by its script if it names one, else by its language.
    package var isRightToLeft: Bool {
        if let script = subtags.dropFirst().first(where: { $0.utf8.count == 4 && $0.utf8.allSatisfy(ASCII.isLetter) }) {
            return LanguageTag.scriptsFromTheRight.contains(script)
        }
        return LanguageTag.languagesFromTheRight.contains(subtags[0])
    }
}
