import Bytes
import Declaration
import Model
import Reactor

/// Reads a configuration directory (DEC-02): `gateway.json`, and `NAME.json` for sections in files of their own.
package enum ConfigurationLoader {
    /// - Parameters:
    ///   - directory: path of the directory.
    ///   - environment: the variables that texts and `env:` secrets reference.
    ///   - production: whether to report settings that are for development only.
    ///   - draft: new contents of a file, read instead of the existing file.
    ///   - formerFiles: the section files of the active configuration. A missing one is an error, unless
    ///     `optionalFiles` names it or its section is in `gateway.json`.
    ///   - extensions: the sections that other targets declare.
    ///   - endpoints: all that the program has, whose paths routes cannot have.
    ///   - secrets: looks up `cred:` and `program:` secrets.
    ///   - absences: notes the secrets and key files that are absent, for a review of the rules; nil where they are errors.
    ///   - willRead: called with the path of each file before it is read.
    package static func load(
        directory: String, environment: [String: String], production: Bool, draft: ConfigurationDraft? = nil,
        formerFiles: Set<String> = [], extensions: [SectionExtension], endpoints: [EndpointDescriptor],
        secrets: SecretLookup = SecretLookup(), absences: Absences? = nil,
        willRead: @escaping @Sendable (String) -> Void = { _ in }
    ) -> LoadedConfiguration {
        let root = FilePath.absolute(directory)
        var reading = DirectoryReading(path: root, draft: draft, formerFiles: formerFiles, willRead: willRead)
        reading.extensions = extensions
        reading.run()
        let (sources, expansion) = EnvironmentExpansion.expand(
            reading.sources, environment, extensions: extensions)
        let findings = Findings(
            sources: sources, directory: root, production: production, written: expansion.written,
            secrets: SecretSources(environment: environment, secrets, absences: absences), willRead: willRead)
        findings.report(expansion.problems)
        if let absences { absences.keep(expansion.unset) } else { findings.report(expansion.unset) }
        for (pointer, _) in sources.variables.sorted(by: { $0.value < $1.value }) {
            findings.note(pointer, "set by the environment, in place of any value in the files")
        }
        var configuration: GatewayConfiguration?
        if !reading.isDirectoryMissing {
            var values = GatewayConfiguration.read(findings, extensions)
            values.loginDomains = values.values.values.flatMap { $0.loginDomains(values.authenticationSchemes) }
            RouteLogins.addOwnForm(to: &values, findings)
            values.checkReferences(findings)
            AssertionIssuers.check(values, findings)
            values.checkRealms(findings)
            values.checkLoginForms(findings)
            values.checkIdentityProviders(findings)
            values.joinClients()
            RouteLogins.check(&values, findings)
            RouteAuthenticators.check(values, findings)
            EndpointPathCheck.check(of: endpoints, values.endpointSettings, findings)
            values.sessions.checkCookieDomain(of: values.routes, values.origins, findings)
            values.checkRoutes(findings, endpoints: endpoints)
            SharedNames(values).checkOwners(findings)
            TokenScopes.check(values, findings)
            values.tokenService.checkAlgorithms(of: values.clients, findings)
            values.checkIssuerHosts(findings)
            values.checkApplications(findings)
            for part in extensions { part.check(values, findings) }
            values.checkSafety(findings)
            // Members of issuers are read by their modules.
            findings.report(absences?.unset.filter { !$0.pointer.hasPrefix("/issuers/") } ?? [])
            configuration = values
            reading.warnOfUnread(except: findings.namedFiles)
        }
        return LoadedConfiguration(
            configuration: configuration, diagnostics: reading.diagnostics + findings.diagnostics,
            sources: sources, written: expansion.written, directory: root, secrets: findings.secrets,
            production: production, willRead: willRead)
    }

    /// Whether a file of the directory with this name may be a part of the configuration.
    package static func isRead(_ file: String) -> Bool { DirectoryReading.section(of: file) != nil }
}

/// New contents of a file, which are checked before they are written.
package struct ConfigurationDraft: Sendable {
    package let file: String
    package let text: [UInt8]

    /// - Parameter file: its name in the directory, `backends.json`.
    package init(file: String, text: [UInt8]) {
        self.file = file
        self.text = text
    }
}

/// The first step: parses the files and locates the sections.
struct DirectoryReading {
    let path: String
    let draft: ConfigurationDraft?
    let formerFiles: Set<String>
    private let willRead: (String) -> Void
    /// The sections that other targets declare.
    var extensions: [SectionExtension] = []
    var sources = Sources()
    var diagnostics: [Diagnostic] = []
    var isDirectoryMissing = false
    /// JSON files that are not sections.
    private var unread: [String] = []

    init(
        path: String, draft: ConfigurationDraft?, formerFiles: Set<String> = [],
        willRead: @escaping (String) -> Void = { _ in }
    ) {
        self.willRead = willRead
        self.path = path
        self.draft = draft
        self.formerFiles = formerFiles
    }

    mutating func run() {
        guard var names = try? FileSystem.names(in: path) else {
            isDirectoryMissing = true
            report(.error, ".", 0, "", "the directory \"\(path)\" cannot be read", expected: "a readable directory")
            return
        }
        let missing = formerFiles.subtracting(names)
        if let draft, !names.contains(draft.file) { names.append(draft.file) }
        names.sort()
        let gateways = names.filter(Sources.gatewayFiles.contains)
        if let gateway = gateways.first {
            sources.gateway = read(gateway, pointer: "")
            if gateways.count > 1 {
                report(.error, gateways[1], 1, "", "\(gateway) exists as well", expected: "one of the two")
            }
        } else {
            report(.error, Sources.gatewayFile, 1, "", "the file is missing", expected: "gateway.json in \"\(path)\"")
        }
        for name in names where DirectoryReading.section(of: name) != nil && !gateways.contains(name) {
            readSection(name)
        }
        for file in missing.sorted() { reportMissing(file) }
    }

    private var gatewayFile: String { sources.gateway?.name ?? Sources.gatewayFile }

    /// Reports a file that was deleted or renamed, or is being replaced. An empty section must be configured
    /// explicitly.
    private mutating func reportMissing(_ file: String) {
        let section = DirectoryReading.section(of: file) ?? file
        // `users.jsonc` may take the place of `users.json`.
        if sources.sections[section] != nil || sources.unreadable.contains(section) { return }
        let root = sources.gateway?.root
        if root?.members?.contains(where: { $0.name == section }) == true { return }
        let optional = (root?["optionalFiles"]?.array ?? []).compactMap { $0.string.flatMap(DirectoryReading.section) }
        if optional.contains(section) { return }
        sources.unreadable.insert(section)
        report(
            .error, file, 1, "/\(section)", "the file is missing, and the configuration in force was read from it",
            expected: "the file, or \"optionalFiles\": [\"\(section).json\"] in \(gatewayFile)")
    }

    /// The name of a file without `.json` or `.jsonc`; nil for other files.
    static func section(of file: String) -> String? {
        [".json", ".jsonc"].first { file.hasSuffix($0) }.map { String(file.dropLast($0.count)) }
    }

    private mutating func readSection(_ file: String) {
        let section = DirectoryReading.section(of: file) ?? file
        guard extensions.sectionNames.contains(section) else {
            unread.append(file)
            return
        }
        if let member = sources.gateway?.root.members?.first(where: { $0.name == section }) {
            let line = sources.gateway?.line(at: member.nameOffset) ?? 1
            report(
                .error, sources.gateway?.name ?? Sources.gatewayFile, line, "/\(section)",
                "the section \"\(section)\" stands in \(file) as well",
                expected: "one of the two")
        }
        if let other = sources.sections[section] {
            report(
                .error, file, 1, "/\(section)", "the section \"\(section)\" stands in \(other.name) as well",
                expected: "one of the two")
        }
        guard let source = read(file, pointer: "/\(section)") else {
            sources.unreadable.insert(section)
            return
        }
        sources.sections[section] = list(section, in: source)
        if section == "webgates", source.root.members != nil { readSchemes(source) }
    }

    /// Unwraps a list from an object with `$schema`.
    private mutating func list(_ section: String, in source: SourceFile) -> SourceFile {
        guard section != "webgates", extensions.isList(section), let list = source.root[section] else {
            return source
        }
        for member in source.root.members ?? [] where ![section, "$schema"].contains(member.name) {
            report(
                .error, source.name, source.line(at: member.nameOffset), "/\(section)",
                "unknown member \"\(member.name)\"", expected: "\"$schema\" and \"\(section)\"")
        }
        return source.part(list)
    }

    /// SCH-01: `webgates.json` may be an object with webgates and their schemes. Both are sections with the pointers of
    /// the file.
    private mutating func readSchemes(_ source: SourceFile) {
        let schemes = "authenticationSchemes"
        for member in source.root.members ?? []
        where member.name == schemes || member.name == "webgates" {
            if member.name == schemes, sources.sections[schemes] != nil {
                report(
                    .error, source.name, source.line(at: member.nameOffset), "/\(schemes)",
                    "the section \"\(schemes)\" stands in \(schemes).json as well", expected: "one of the two")
            }
            sources.sections[member.name] = source.part(member.node)
        }
        for member in source.root.members ?? []
        where !["webgates", schemes, "$schema"].contains(member.name) {
            report(
                .error, source.name, source.line(at: member.nameOffset), "/webgates",
                "unknown member \"\(member.name)\"", expected: "one of webgates, \(schemes)")
        }
        if source.root["webgates"] == nil {
            sources.sections["webgates"] = source.part(JSONNode(.array([]), offset: source.root.offset))
        }
    }

    /// Warns of files that are not read, such as a section with a misspelled name. Files that the configuration
    /// references, such as key sets, are expected.
    mutating func warnOfUnread(except namedFiles: Set<String>) {
        for file in unread where !namedFiles.contains("\(path)/\(file)") {
            let name = DirectoryReading.section(of: file) ?? file
            let isMember =
                GatewayConfiguration.gatewaySections.contains(name)
                || extensions.contains { $0.isMember && $0.name == name }
            let near = Suggestion.nearest(
                to: name, among: extensions.sectionNames + ["gateway"])
            report(
                .warning, file, 1, "",
                isMember ? "\"\(name)\" is read from \(gatewayFile) only" : "the file is not read",
                expected: isMember ? "\"\(name)\" in \(gatewayFile)" : "the name of a section",
                suggestion: isMember ? nil : near.map { "\($0).json" })
        }
    }

    private mutating func read(_ file: String, pointer: String) -> SourceFile? {
        let text: [UInt8]
        do throws(UnreadableFile) {
            text = try contents(of: file)
        } catch {
            report(
                .error, file, 1, pointer, "the file \"\(error.path)\" cannot be read: \(error.reason)",
                expected: "a readable file")
            return nil
        }
        do throws(JSONError) {
            return SourceFile(name: file, text: text, root: try JSONNode.parse(text, file: file))
        } catch {
            let problem = JSONProblem(error, in: text, file: file)
            report(
                .error, file, problem.line, pointer,
                "malformed JSON at column \(problem.column): \(problem.message)", expected: problem.expected)
            return nil
        }
    }

    private func contents(of file: String) throws(UnreadableFile) -> [UInt8] {
        if let draft, draft.file == file { return draft.text }
        willRead("\(path)/\(file)")
        return try FileText.read("\(path)/\(file)")
    }

    private mutating func report(
        _ severity: Severity, _ file: String, _ line: Int, _ pointer: String, _ message: String,
        expected: String? = nil, suggestion: String? = nil
    ) {
        let diagnostic = Diagnostic(
            severity: severity, file: file, line: line, pointer: pointer, message: message, expected: expected,
            suggestion: suggestion)
        diagnostics.append(diagnostic)
    }
}

extension GatewayConfiguration {
    /// Sections that are only read from `gateway.json`.
    fileprivate static let gatewaySections = [
        "listeners", "admin", "limits", "rateLimits", "upstreams", "challenge", "tokenCache", "issuedTokenCache",
        "tokenService", "sessions", "pages", "store", "tokenCleaner", "log", "cors", "passwords", "trustedProxies",
        "forwardedFields", "managedHeaders",
        "errors",
    ]
}
