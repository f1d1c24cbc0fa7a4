import Bytes

/// Sections that are read again by themselves, while a configuration is in force (JWT-04 to JWT-08).
extension ConfigurationLoader {
    /// The policies as the files have them now; nil where they cannot be read or one of them is wrong.
    package static func policies(directory: String, formerFiles: Set<String> = []) -> PoliciesSection? {
        guard let (field, findings) = section("policies", of: directory, formerFiles) else { return nil }
        let policies = field.map(PoliciesSection.read) ?? PoliciesSection()
        return findings.hasErrors ? nil : policies
    }

    /// The certificates as the files have them now; nil where they cannot be read. One that is wrong is left out: it may
    /// have been taken away on purpose, and the others are believed all the same.
    package static func certificates(
        directory: String, formerFiles: Set<String> = []
    ) -> [StoredCertificateEntry]? {
        guard let (field, _) = section("certificates", of: directory, formerFiles) else { return nil }
        guard let field else { return [] }
        guard field.node.array != nil else { return nil }
        var aliases: Set<[UInt8]> = []
        return StoredCertificateEntry.readAll(field).filter { entry in
            !entry.alias.isEmpty && !entry.pem.isEmpty && aliases.insert(Array(entry.alias.utf8)).inserted
        }
    }

    /// - Returns: nil where a file cannot be read; no field where the section is nowhere.
    private static func section(
        _ name: String, of directory: String, _ formerFiles: Set<String>
    ) -> (field: Field?, findings: Findings)? {
        var reading = DirectoryReading(path: directory, draft: nil, formerFiles: formerFiles)
        reading.run()
        let sources = reading.sources
        guard !reading.isDirectoryMissing, !sources.unreadable.contains(name) else { return nil }
        let findings = Findings(sources: sources, directory: directory, environment: [:], production: false)
        if let node = sources.node(of: name) {
            return (Field(node: node, pointer: "/\(name)", findings: findings), findings)
        }
        return sources.gateway == nil ? nil : (nil, findings)
    }
}
