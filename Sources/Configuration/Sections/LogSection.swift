/// Where the access log goes, and what goes into the log; the level is checked and not used yet.
package struct LogSection: Sendable {
    package enum Access: Equatable, Sendable {
        case standardOutput
        case off
        /// Absolute path of a file that is appended to.
        case file(String)
    }

    package enum Level: String, Sendable, CaseIterable {
        case debug, info, warning, error
    }

    package var access = Access.standardOutput
    package var level = Level.info

    static func read(_ field: Field) -> LogSection? {
        var object = field.object("an object")
        let section = LogSection(
            access: object.value("access", default: .standardOutput, access),
            level: object.value("level", default: .info) { $0.choice(Level.self) }
        )
        object.finish()
        return section
    }

    private static func access(_ field: Field) -> Access? {
        let expected = "\"stdout\", \"off\" or \"file:path\""
        guard let text = field.text(expected) else { return nil }
        switch text {
        case "stdout": return .standardOutput
        case "off": return .off
        case _ where text.hasPrefix("file:") && text.utf8.count > 5:
            return .file(field.findings.path(of: String(text.dropFirst(5))))
        default:
            field.invalid(expected, suggestion: Suggestion.nearest(to: text, among: ["stdout", "off"]))
            return nil
        }
    }
}
