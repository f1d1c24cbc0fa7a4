import Bytes
import Declaration

/// Sections that are reloaded separately while a configuration is active (JWT-04 to JWT-08).
extension ConfigurationLoader {
    /// The current policies of the files; nil if they are unreadable or one is invalid.
    package static func policies(
        directory: String, environment: [String: String] = [:], formerFiles: Set<String> = []
    ) -> PoliciesSection? {
        guard let (field, findings) = section("policies", of: directory, environment, formerFiles) else { return nil }
        let policies = field.map { PoliciesSection.read($0) } ?? PoliciesSection()
        return findings.hasErrors ? nil : policies
    }

    /// The current certificates of the files; nil if they are unreadable. An invalid one is left out, since it may have
    /// been removed on purpose.
    package static func certificates(
        directory: String, environment: [String: String] = [:], formerFiles: Set<String> = []
    ) -> [StoredCertificateEntry]? {
        guard let (field, _) = section("certificates", of: directory, environment, formerFiles) else { return nil }
        guard let field else { return [] }
        guard field.node.array != nil else { return nil }
        var aliases: Set<[UInt8]> = []
        return StoredCertificateEntry.readAll(field).filter { entry in
            !entry.alias.isEmpty && !entry.pem.isEmpty && aliases.insert(Array(entry.alias.utf8)).inserted
        }
    }

    /// - Returns: nil if a file is unreadable; no field if the section does not exist.
    private static func section(
        _ name: String, of directory: String, _ environment: [String: String], _ formerFiles: Set<String>
    ) -> (field: Field?, findings: Findings)? {
        var reading = DirectoryReading(path: directory, draft: nil, formerFiles: formerFiles)
        reading.run()
        let (sources, expansion) = EnvironmentExpansion.expand(reading.sources, environment, extensions: [])
        guard !reading.isDirectoryMissing, !sources.unreadable.contains(name) else { return nil }
        let findings = Findings(
            sources: sources, directory: directory, production: false, written: expansion.written,
            secrets: SecretSources(environment: environment))
        findings.report(expansion.problems + expansion.unset)
        if let node = sources.node(of: name) {
            return (Field(node: node, pointer: "/\(name)", findings: findings), findings)
        }
        return sources.gateway == nil ? nil : (nil, findings)
    }
}
