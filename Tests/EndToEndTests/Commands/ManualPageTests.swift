import Foundation
import TestSupport
import Testing

/// `portcullis man` writes pages that the readers of manual pages have no complaints about.
@Suite struct ManualPageTests {
    @Test("a page for the program and for each command, readable by all, without complaints")
    func pages() throws {
        let directory = try TemporaryDirectory()
        let result = try CommandLine.run("man", directory.path)
        #expect(result.ending == .exit(0), "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let help = try CommandLine.run("--help").output
        let commands = help.matches(of: #/\n  ([a-z-]+) /#).map { "portcullis-\($0.1).1" }
        #expect(commands.count > 30 && Set(names) == Set(commands + ["portcullis.1"]))
        for name in names {
            let path = "\(directory.path)/\(name)"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o644, "\(name)")
            for reader in Self.readers where FileManager.default.isExecutableFile(atPath: reader[0]) {
                let read = try Program.run(
                    reader[0], reader.dropFirst() + [path], environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "80"])
                #expect(read.ending == .exit(0) && read.errors.isEmpty, "\(name): \(read.errors)")
                #expect(reader[1] != "-Tlint" || read.output.isEmpty, "\(name): \(read.output)")
            }
        }
    }

    private static let readers = [["/usr/bin/mandoc", "-Tlint"], ["/usr/bin/man", "--warnings", "-l"]]

    @Test(
        "a page reads like the help",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc"), "mandoc is not installed"))
    func text() throws {
        let directory = try TemporaryDirectory()
        _ = try CommandLine.run("man", directory.path)
        let page = try Program.run(
            "/usr/bin/mandoc", ["-Tascii", "-Owidth=200", "\(directory.path)/portcullis-signing-keys.1"]
        ).output.replacing(/.\u{8}/, with: "")
        for part in [
            "portcullis-signing-keys - list, rotate and retire the keys",
            "portcullis signing-keys rotate [--alg ALGORITHM] [--now] WHERE", "     --alg ALGORITHM",
            "although it has not been published for tokenService.publishKeysFor",
            "EXAMPLES\n       portcullis signing-keys rotate --config /etc/portcullis\n       portcullis signing-keys list",
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
    }

    @Test func unwritable() throws {
        let result = try CommandLine.run("man", "/proc/none")
        #expect(result.ending == .exit(1) && result.errors.contains("cannot write /proc/none/portcullis.1"))
    }
}
