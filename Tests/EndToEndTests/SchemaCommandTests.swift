import Foundation
import TestSupport
import Testing

/// `portcullis schema` writes what is checked in.
@Suite struct SchemaCommandTests {
    @Test("the generated schemas and reference equal those in config")
    func written() throws {
        let directory = try TemporaryDirectory()
        let outcome = try CommandLine.run("schema", directory.path)
        #expect(outcome.ending == .exit(0), "\(outcome.errors)")
        let written = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".json") || $0.hasSuffix(".md") }
        #expect(written.count >= 13)
        for name in written {
            #expect(
                try String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)
                    == Vectors.text("config/\(name)"),
                "\(name): renew with portcullis schema config")
        }
    }

    @Test("a directory that is not writable is an error")
    func unwritable() throws {
        let outcome = try CommandLine.run("schema", "/proc/none")
        #expect(outcome.ending == .exit(1))
        #expect(outcome.errors.contains("cannot write /proc/none"), "\(outcome.errors)")
        #expect(try CommandLine.run("schema").ending == .exit(2))
    }
}
