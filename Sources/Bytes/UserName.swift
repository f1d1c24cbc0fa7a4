/// Rules of user names, which are displayed, logged, sent in header fields and typed: names that look alike, or that
/// change the text direction, would mislead readers.
package enum UserName {
    /// In UTF-8.
    package static let maximumBytes = 256

    package static let expected =
        "a user name of at most \(maximumBytes) bytes without blanks at its ends and without invisible characters"

    /// Why a name is invalid.
    package enum Problem: Equatable {
        case tooLong
        /// Empty, only blanks, or a blank at an end.
        case blanks
        /// A control character, a mark of direction, a no-break space or another invisible one.
        case invisible(Unicode.Scalar)

        package var text: String {
            switch self {
            case .tooLong: "the user name is too long"
            case .blanks: "the user name is empty or has a blank at an end"
            case .invisible(let scalar):
                "the user name has the invisible character \(codePoint(scalar))"
            }
        }
    }

    /// The code point as Unicode writes it, such as `U+200B`.
    package static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Nil for a valid name. The length is checked last, so that `tooLong` means that nothing else is wrong.
    package static func problem(_ name: String) -> Problem? {
        let bytes = name.utf8.span
        if bytes.isEmpty || bytes[0] == ASCII.space || bytes[bytes.count - 1] == ASCII.space { return .blanks }
        var isPrintable = true
        for i in bytes.indices where bytes[i] < 0x20 || bytes[i] > 0x7e {
            isPrintable = false
            break
        }
        if !isPrintable {
            let scalars = name.unicodeScalars
            if let scalar = scalars.first(where: isInvisible) { return .invisible(scalar) }
            if let joiner = strayJoiner(Array(scalars)) { return .invisible(joiner) }
        }
        return bytes.count > maximumBytes ? .tooLong : nil
    }

    /// Whether a character shows nothing; not for the blank and for joiners.
    package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        // The blank Braille pattern and the object replacement character are invisible symbols.
        if isJoiner(scalar) { return false }
        if scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}" || scalar == "\u{FFFC}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }

    /// Blocks of the scripts whose letters join (RFC 5892, appendix A.1): from Hebrew to Vedic Extensions, Syloti Nagri to
    /// Meetei Mayek, Kharoshthi to the last of the Brahmic scripts, and Adlam.
    private static let joiningBlocks: [Range<UInt32>] = [
        0x590..<0x1D00, 0xA800..<0xAC00, 0x10A00..<0x12000, 0x1E900..<0x1E960,
    ]

    /// The first joiner outside of such scripts, where it is invisible.
    private static func strayJoiner(_ scalars: [Unicode.Scalar]) -> Unicode.Scalar? {
        let isJoinable = { (i: Int) in
            scalars.indices.contains(i) && joiningBlocks.contains { $0.contains(scalars[i].value) }
        }
        return scalars.indices.first { isJoiner(scalars[$0]) && !(isJoinable($0 - 1) && isJoinable($0 + 1)) }
            .map { scalars[$0] }
    }

    /// Joiners stand within words of Persian and Indic scripts.
    package static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200C}" || scalar == "\u{200D}"
    }
}
