import Bytes
import Model

/// The context and the findings of reading one configuration.
package final class Findings {
    package let sources: Sources
    /// Absolute path of the configuration directory.
    package let directory: String
    package let secrets: SecretSources
    /// Texts with variables of the environment.
    package let written: OriginalTexts
    /// Called with the path of each file that the configuration names, before it is read.
    private let willRead: @Sendable (String) -> Void
    /// Whether to report settings that are for development only.
    package let production: Bool
    package private(set) var diagnostics: [Diagnostic] = []
    /// References between sections.
    package var references: [Reference] = []
    /// Values that apply at the next start.
    package var startValues = StartValues()
    /// The secrets that were read, in their order.
    package var secretValues: [String] = []
    /// Absolute paths of the files that the configuration names.
    package private(set) var namedFiles: Set<String> = []

    package init(
        sources: Sources, directory: String, production: Bool, written: OriginalTexts = OriginalTexts(),
        secrets: SecretSources = SecretSources(),
        willRead: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.willRead = willRead
        self.sources = sources
        self.directory = directory
        self.secrets = secrets
        self.production = production
        self.written = written
    }

    /// Those about a value alone, without files: a part that its reader judges as a whole.
    package convenience init() { self.init(sources: Sources(), directory: "", production: false) }

    /// Adds those about a part, with its errors as warnings.
    package func adopt(_ part: Findings) {
        diagnostics += part.diagnostics.map { diagnostic in
            var diagnostic = diagnostic
            if diagnostic.severity == .error { diagnostic.severity = .warning }
            return diagnostic
        }
    }

    /// A section that may have its own file; nil without it.
    package func section(_ name: String) -> Field? {
        sources.node(of: name).map { Field(node: $0, pointer: "/\(name)", findings: self) }
    }

    /// A value as a number or truth value if a variable of the environment stands in its place.
    package func plain(_ node: JSONNode, at pointer: @autoclosure () -> String) -> JSONNode {
        guard let text = node.string, !written.isEmpty, written[pointer()] != nil,
            let value = try? JSONNode.parse(text.utf8.span), value.array == nil, value.members == nil
        else { return node }
        return value
    }

    package func report(_ errors: [(pointer: String, message: String, expected: String)]) {
        for one in errors { append(.error, one.pointer, one.message, one.expected, nil, nil) }
    }

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// Reports an error at a place.
    package func error(
        _ pointer: String, _ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil
    ) {
        add(.error, pointer, message, expected, found, suggestion)
    }

    package func warning(
        _ pointer: String, _ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil
    ) {
        add(.warning, pointer, message, expected, found, suggestion)
    }

    package func note(_ pointer: String, _ message: String, expected: String? = nil) {
        add(.note, pointer, message, expected, nil, nil)
    }

    private func add(
        _ severity: Severity, _ pointer: String, _ message: String, _ expected: String?, _ found: String?,
        _ suggestion: String?
    ) {
        if written.isEmpty { return append(severity, pointer, message, expected, found, suggestion) }
        // What is wrong there has been reported.
        if written.hasFailed(pointer) { return }
        append(
            severity, pointer, written.hiding(message), expected.map(written.hiding), found.map(written.hiding),
            // It may be made of parts of the value.
            sources.variable(of: pointer) == nil ? suggestion.map(written.hiding) : nil)
    }

    private func append(
        _ severity: Severity, _ pointer: String, _ message: String, _ expected: String?, _ found: String?,
        _ suggestion: String?
    ) {
        let (file, line) = sources.location(of: pointer)
        let diagnostic = Diagnostic(
            severity: severity, file: file, line: line, pointer: pointer, message: message, expected: expected,
            found: found, suggestion: suggestion)
        diagnostics.append(diagnostic)
    }

    /// Whether a review does without this file.
    func isAbsent(_ path: String, at pointer: String) -> Bool {
        secrets.absences?.notes(file: path, in: directory, at: pointer) ?? false
    }

    /// Absolute path of a file that the configuration names; relative names are resolved against its directory.
    /// - Parameter isInput: whether the configuration is read from it, and not only written.
    package func path(of name: String, isInput: Bool = true) -> String {
        let path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
        namedFiles.insert(path)
        if isInput { willRead(path) }
        return path
    }
}
