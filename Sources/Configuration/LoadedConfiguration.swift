import Bytes

/// What came of reading a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// The values; nil where there is an error, so that nothing is ever half applied (GW-04).
    package let configuration: GatewayConfiguration?
    /// Everything that was found, by file and line.
    package let diagnostics: [Diagnostic]
    /// Absolute path of the directory.
    package let directory: String
    private let sources: Sources
    private let environment: [String: String]
    private let production: Bool

    init(
        configuration: GatewayConfiguration?, diagnostics: [Diagnostic], sources: Sources, directory: String,
        environment: [String: String], production: Bool
    ) {
        self.environment = environment
        self.production = production
        self.directory = directory
        let order = diagnostics.sorted { ($0.file, $0.line, $0.pointer) < ($1.file, $1.line, $1.pointer) }
        self.diagnostics = order
        self.configuration = order.contains { $0.severity == .error } ? nil : configuration
        self.sources = sources
    }

    package var hasErrors: Bool { configuration == nil }

    /// Name of the file that a section stands in; nil where there is no such section.
    package func file(ofSection name: String) -> String? {
        sources.sections[name]?.name ?? sources.gateway?.root[name].map { _ in Sources.gatewayFile }
    }

    /// Names of the files that sections stand in, but `gateway.json`.
    package var sectionFiles: Set<String> { Set(sources.sections.values.map(\.name)) }

    /// Findings about what is read later than the rest.
    func findings() -> Findings {
        Findings(sources: sources, directory: directory, environment: environment, production: production)
    }

    /// A finding of somebody else about a place of this configuration, such as a key file that does not parse.
    package func diagnostic(
        pointer: String, message: String, severity: Diagnostic.Severity, expected: String? = nil
    ) -> Diagnostic {
        let (file, line) = sources.location(of: pointer)
        return Diagnostic(
            severity: severity, file: file, line: line, pointer: pointer, message: message, expected: expected)
    }
}
