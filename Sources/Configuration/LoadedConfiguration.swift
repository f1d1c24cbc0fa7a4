import Bytes
import Model

/// What came of reading a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// The values; nil where there is an error, so that nothing is ever half applied (GW-04).
    package let configuration: GatewayConfiguration?
    /// Everything that was found, by file and line.
    package let diagnostics: [Diagnostic]
    /// Absolute path of the directory.
    package let directory: String
    /// The values with stand-ins for what is wrong, for a change that mends it; nil where the directory cannot be read.
    /// Never served.
    package let draft: GatewayConfiguration?
    private let sources: Sources
    private let environment: [String: String]
    /// Whether what is fit for development only is reported.
    package let isForProduction: Bool

    init(
        configuration: GatewayConfiguration?, diagnostics: [Diagnostic], sources: Sources, directory: String,
        environment: [String: String], production: Bool
    ) {
        self.environment = environment
        isForProduction = production
        self.directory = directory
        let order = diagnostics.sorted { ($0.file, $0.line, $0.pointer) < ($1.file, $1.line, $1.pointer) }
        self.diagnostics = order
        draft = configuration
        self.configuration = order.contains { $0.severity == .error } ? nil : configuration
        self.sources = sources
    }

    package var hasErrors: Bool { configuration == nil }

    /// Name of the file that a section stands in; nil where there is no such section.
    package func file(ofSection name: String) -> String? {
        sources.sections[name]?.name ?? sources.gateway.flatMap { file in file.root[name].map { _ in file.name } }
    }

    /// Whether the values have an entry for each one of this section, in its order.
    package func isWhole(_ section: String) -> Bool {
        guard let draft, !sources.unreadable.contains(section) else { return false }
        guard let node = sources.node(of: section) else { return sources.gateway?.root.members != nil }
        let counts = [
            "users": draft.users.count, "roles": draft.roles.count, "realms": draft.realms?.count ?? 0,
            "backends": draft.backends.count, "routes": draft.routes.count, "certificates": draft.certificates.count,
        ]
        guard let count = counts[section] else { return node.members != nil }
        return node.array?.count == count
    }

    /// Names of the files that sections stand in, but `gateway.json`.
    package var sectionFiles: Set<String> { Set(sources.sections.values.map(\.name)) }

    /// Findings about what is read later than the rest.
    func findings() -> Findings {
        Findings(sources: sources, directory: directory, environment: environment, production: isForProduction)
    }

    /// A finding of somebody else about a place of this configuration, such as a key file that does not parse.
    package func diagnostic(
        pointer: String, message: String, severity: Severity, expected: String? = nil
    ) -> Diagnostic {
        let (file, line) = sources.location(of: pointer)
        return Diagnostic(
            severity: severity, file: file, line: line, pointer: pointer, message: message, expected: expected)
    }
}
