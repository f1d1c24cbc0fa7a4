import Bytes
import Declaration
import Model

/// The result of reading a configuration directory.
package struct LoadedConfiguration: Sendable {
    /// The values; nil if there is an error, so that no configuration is applied partially (GW-04).
    package let configuration: GatewayConfiguration?
    /// All findings, ordered by file and line.
    package let diagnostics: [Diagnostic]
    /// Absolute path of the directory.
    package let directory: String
    /// The values with placeholders for invalid ones, for changes that repair the configuration; nil if the directory
    /// is unreadable. Never served.
    package let draft: GatewayConfiguration?
    private let sources: Sources
    /// Texts with variables of the environment.
    private let written: OriginalTexts
    private let secrets: SecretSources
    private let willRead: @Sendable (String) -> Void
    /// Whether settings that are for development only are reported.
    package let isForProduction: Bool

    init(
        configuration: GatewayConfiguration?, diagnostics: [Diagnostic], sources: Sources, written: OriginalTexts,
        directory: String, secrets: SecretSources, production: Bool, willRead: @escaping @Sendable (String) -> Void
    ) {
        self.willRead = willRead
        self.secrets = secrets
        isForProduction = production
        self.directory = directory
        let order = diagnostics.sorted { ($0.file, $0.line, $0.pointer) < ($1.file, $1.line, $1.pointer) }
        self.diagnostics = order
        draft = configuration
        self.configuration = order.contains { $0.severity == .error } ? nil : configuration
        self.sources = sources
        self.written = written
    }

    package var hasErrors: Bool { configuration == nil }

    /// What is absent in a review of the rules; nil for a configuration that a gateway may serve.
    package var absences: Absences? { secrets.absences }

    /// Name of the file with the settings of the gateway, also of one that is missing.
    package var gatewayFile: String { sources.gateway?.name ?? Sources.gatewayFile }

    /// Name of the file of a section; nil if the section does not exist.
    package func file(ofSection name: String) -> String? {
        sources.sections[name]?.name ?? sources.gateway.flatMap { file in file.root[name].map { _ in file.name } }
    }

    /// Whether the values contain every entry of this section, in order.
    package func isWhole(_ section: String) -> Bool {
        guard let draft, !sources.unreadable.contains(section) else { return false }
        guard let node = sources.node(of: section) else { return sources.gateway?.root.members != nil }
        let counts = [
            "users": draft.users.count, "roles": draft.roles.names.count, "realms": draft.realms?.count ?? 0,
            "backends": draft.clients.count { !$0.client.isStandard },
            "clients": draft.clients.count(where: \.client.isStandard),
            "consumers": draft.consumers.count,
            "routes": draft.routes.count,
            "certificates": draft.certificates.count,
        ]
        guard let count = counts[section] else { return node.members != nil }
        return node.array?.count == count
    }

    /// What the files say, by section, and by key of `gateway.json`.
    package var sections: [(name: String, node: JSONNode)] {
        let keys = (sources.gateway?.root.members ?? []).map { (name: $0.name, node: $0.node) }
        return keys + sources.sections.map { (name: $0.key, node: $0.value.root) }
    }

    /// Names of the files of sections, without `gateway.json`.
    package var sectionFiles: Set<String> { Set(sources.sections.values.map(\.name)) }

    /// Collects findings of entries that are read later.
    func findings() -> Findings {
        Findings(
            sources: sources, directory: directory, production: isForProduction, written: written, secrets: secrets,
            willRead: willRead)
    }

    /// A finding of the composition root about a place of this configuration, such as an invalid key file.
    package func diagnostic(
        pointer: String, message: String, severity: Severity, expected: String? = nil
    ) -> Diagnostic {
        let (file, line) = sources.location(of: pointer)
        return Diagnostic(
            severity: severity, file: file, line: line, pointer: pointer, message: written.hiding(message),
            expected: expected.map(written.hiding))
    }
}
