import Declaration

/// Texts of other programs, as a conversion accepts and shows them.
enum ConversionText {
    /// Refuses control characters, which readers take differently: of them a text has tabs, and LF and CRLF as ends of lines.
    /// - Throws: with the line of the first one.
    static func check(_ text: String, file: String) throws(ConversionFailure) {
        var line = 1
        var afterReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\n" { line += 1 }
            let isLone = afterReturn && scalar != "\n"
            afterReturn = scalar == "\r"
            guard !isLone, scalar == "\n" || scalar == "\t" || scalar == "\r" || !isControl(scalar) else {
                throw refusal(file, line)
            }
        }
        if afterReturn { throw refusal(file, line) }
    }

    private static func refusal(_ file: String, _ line: Int) -> ConversionFailure {
        ConversionFailure(
            place: "\(file):\(line)", message: "control characters are not read; lines end with LF or CRLF")
    }

    static func hasControls(_ text: String) -> Bool { text.unicodeScalars.contains(where: isControl) }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The text on one line, without what URLs may have of secrets: users with passwords, and queries.
    static func shown(_ text: String) -> String {
        UserInformation.hidden(inWords: Diagnostic.printable(text))
            .replacing(/(:\/\/[^\s"?]*\?)[^\s"]+/) { "\($0.1)***" }
    }
}

/// An error that leaves nothing to convert: a file that cannot be read as what it should be.
package struct ConversionFailure: Error, Equatable {
    /// File and line.
    package var place: String
    package var message: String

    package var text: String { "\(place): \(message)" }
}
