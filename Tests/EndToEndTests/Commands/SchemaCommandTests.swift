import Bytes
import Foundation
import TestSupport
import Testing

/// `portcullis schema` writes what is checked in.
@Suite struct SchemaCommandTests {
    @Test("the generated schemas and reference equal those in config")
    func written() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: "\(directory.path)/schema", withIntermediateDirectories: true)
        try Data(Vectors.text("config/schema/openapi.json").utf8)
            .write(to: URL(filePath: "\(directory.path)/schema/openapi.json"))
        let outcome = try CommandLine.run(
            "schema", directory.path, "--examples",
            Vectors.root.appending(path: "Tests/Fixtures/configuration/complete").path)
        #expect(outcome.ending == .exit(0), "\(outcome.errors)")
        let written = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".json") || $0.hasSuffix(".md") }
        #expect(written.count >= 35)
        for name in written {
            // Refuses names that stand twice in an object.
            if name.hasSuffix(".json") {
                let bytes = try [UInt8](Data(contentsOf: URL(filePath: "\(directory.path)/\(name)")))
                #expect(throws: Never.self, "\(name)") { try JSONNode.parse(bytes.span) }
            }
            #expect(
                try String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)
                    == Vectors.text("config/\(name)"),
                "\(name): renew with portcullis schema config --examples Tests/Fixtures/configuration/complete")
        }
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: Vectors.root.appending(path: "config/reference").path)
        #expect(Set(pages) == Set(written.filter { $0.hasPrefix("reference/") }.map { String($0.dropFirst(10)) }))
    }

    @Test("a directory that is not writable is an error")
    func unwritable() throws {
        let outcome = try CommandLine.run("schema", "/proc/none")
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains("cannot write /proc/none"), "\(outcome.errors)")
        #expect(try CommandLine.run("schema").ending == .exit(2))
    }
}
