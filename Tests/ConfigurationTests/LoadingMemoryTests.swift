import Declaration
import Testing

@testable import Configuration

/// What a configuration was read from holds passwords, and is large: it must be gone when the configuration is made.
@Suite struct LoadingMemoryTests {
    @Test("nothing keeps the files once they are read")
    func findingsEnd() throws {
        let files = [
            "users.json": #"[{"username": "joe", "roles": ["Manager", "Boss"]}]"#,
            "routes.json": #"[{"path": "/a", "upstream": "inventory", "webgate": "MainWG", "roles": ["Clerk"]}]"#,
        ]
        let directory = try ConfigurationDirectory(files)
        var reading = DirectoryReading(path: directory.path, draft: nil)
        reading.run()
        weak var kept: Findings?
        do {
            let findings = Findings(
                sources: reading.sources, directory: directory.path, production: false)
            kept = findings
            let values = GatewayConfiguration.read(findings, [])
            values.checkReferences(findings)
            #expect(values.users.count == 1)
            #expect(findings.references.count > 4)
            #expect(findings.diagnostics.map(\.pointer) == ["/users/0/roles/1"])
        }
        #expect(kept == nil)
    }
}
