/// Where the access log goes and what its lines tell, and which events are logged.
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

    /// What lines of the access log have beside the rest.
    package enum Detail: String, Sendable, CaseIterable {
        case host
        case httpVersion = "http_version"
        case tlsVersion = "tls_version"
        case userAgent = "user_agent"
    }

    package var access = Access.standardOutput
    package var fields: [Detail] = []
    package var level = Level.info

    static func read(_ field: Field) -> LogSection? {
        var object = field.object("an object")
        let section = LogSection(
            access: object.value("access", default: .standardOutput, access),
            fields: object.value("fields", default: []) { field in
                field.names("an array of fields") { $0.choice(Detail.self)?.rawValue }?.compactMap(Detail.init)
            },
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
