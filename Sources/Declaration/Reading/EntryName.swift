import Bytes

/// Names that operators give to entries: webgates, issuers, identity providers and others that requests or other entries
/// refer to.
package enum EntryName {
    package static let rule = "1 to 64 letters, digits, dots, underscores and hyphens"

    /// CHAL-08: only characters that need no quoting in a challenge.
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "._-".utf8.contains($0) }
    }
}

extension Field {
    /// A name of 1 to 64 letters, digits, dots, underscores and hyphens.
    package func entryName() -> String? {
        guard let name = text(EntryName.rule) else { return nil }
        guard EntryName.isValid(name) else { return invalid(EntryName.rule) }
        return name
    }
}
