import Bytes

/// Rules of texts that the operator writes for pages.
package enum ShownText {
    /// Whether a text shows nothing.
    package static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == " " || UserName.isJoiner($0) || UserName.isInvisible($0) }
    }

    /// The first character that no text has: a control character, a separator of lines, or one that embeds or overrides a
    /// direction, which may go on behind the text. Isolates, marks of direction and blanks of all widths are allowed.
    package static func forbidden(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { scalar in
            if ("\u{202A}"..."\u{202E}").contains(scalar) { return true }
            return switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    /// The first character that no name has: what no text has, and further ones that show nothing, except within words
    /// (joiners) and as blanks.
    package static func forbidden(inName name: String) -> Unicode.Scalar? {
        forbidden(in: name)
            ?? name.unicodeScalars.first { $0.properties.generalCategory == .format && !UserName.isJoiner($0) }
    }
}
