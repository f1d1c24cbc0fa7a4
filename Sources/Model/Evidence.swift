/// What was compared when something was refused, for operators alone: it is never part of an answer to a caller.
///
/// Values come from requests and other servers. They are quoted, escaped and bounded; secrets never are among them.
package struct Evidence: Sendable, Equatable {
    /// Characters of one value.
    static let longestValue = 120
    /// Values of one list.
    static let mostValues = 8
    /// Bytes of the whole text.
    package static let longestText = 1024

    private enum Content: Sendable {
        case lines([String])
        indirect case values(bytes: Int, @Sendable () -> [String])
    }

    private let content: Content

    package init(_ lines: [String] = []) { content = .lines(lines) }

    /// Keeps the values as they were compared: most evidence is never read, so that its text is made by those who read it.
    ///
    /// - Parameters:
    ///   - bytes: about what the values take in memory.
    ///   - lines: captures the compared values alone, never a snapshot, a principal or a secret.
    package init(bytes: Int, _ lines: @escaping @Sendable () -> [String]) {
        content = .values(bytes: bytes, lines)
    }

    package static let none = Evidence()

    package var lines: [String] {
        switch content {
        case .lines(let lines): lines
        case .values(_, let lines): lines()
        }
    }

    /// About what is kept, for memories of evidence.
    package var bytes: Int {
        switch content {
        case .lines(let lines): lines.reduce(0) { $0 + $1.utf8.count }
        case .values(let bytes, _): bytes
        }
    }

    package var isEmpty: Bool { lines.isEmpty }

    package static func + (left: Evidence, right: Evidence) -> Evidence { Evidence(left.lines + right.lines) }

    /// Refusals that differ in their evidence alone are the same.
    package static func == (left: Evidence, right: Evidence) -> Bool { true }

    /// The lines as one.
    package var text: String {
        let whole = lines.joined(separator: "; ")
        guard whole.utf8.count > Evidence.longestText else { return whole }
        // A character that is cut in two becomes a replacement character.
        return String(decoding: whole.utf8.prefix(Evidence.longestText), as: UTF8.self) + "..."
    }

    /// A value in quotes. What a terminal would act on, or show as nothing, is escaped.
    package static func quoted(_ text: String) -> String {
        var shown = "\""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == longestValue { return shown + "\"..." }
            count += 1
            switch scalar {
            case "\"", "\\": shown += "\\\(scalar)"
            default:
                if isPlain(scalar) {
                    shown.unicodeScalars.append(scalar)
                } else {
                    shown += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
        return shown + "\""
    }

    /// A text for a terminal: what that would act on, or show as nothing, is escaped as in JSON, but for ends of lines.
    package static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { shown, scalar in
            let digits = String(scalar.value, radix: 16)
            let isShown = isPlain(scalar) || scalar == "\n"
            shown += isShown ? String(scalar) : "\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7f).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .nonspacingMark, .enclosingMark:
            return false
        default: return true
        }
    }

    /// Values in quotes; "none" without any.
    package static func list(_ values: some Collection<String>) -> String {
        if values.isEmpty { return "none" }
        let shown = values.prefix(mostValues).map(quoted).joined(separator: ", ")
        return values.count > mostValues ? "\(shown) and \(values.count - mostValues) more" : shown
    }
}
