import Foundation
import Testing

/// What a program without the traits SQLite and SAML is linked with: libssl and libnghttp2 beside the C library. Read from
/// link and include lines, since a machine that runs the tests has the other libraries too.
@Suite struct LibraryTests {
    /// The targets for C headers that every program has: the libraries, and where the headers are.
    private static let always: [String: (links: Set<String>, folders: Set<String>)] = [
        "CLinux": ([], ["arpa", "linux", "netinet", "sys"]),
        "COpenSSL": (["ssl", "crypto"], ["openssl"]),
        "CNghttp2": (["nghttp2"], ["nghttp2"]),
        "CTexts": ([], []),
    ]

    /// The other ones, by trait.
    private static let optional = ["CSQLite": "SQLite", "CXMLSec": "SAML"]

    /// Headers of the C library that are in no folder.
    private static let standard: Set = [
        "dirent.h", "errno.h", "fcntl.h", "malloc.h", "netdb.h", "poll.h", "pthread.h", "sched.h", "signal.h",
        "spawn.h",
        "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h",
    ]

    private static func files(of target: String) throws -> [(name: String, text: String)] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: SourceTree.root.appending(path: "Sources/\(target)").path)
        return try names.filter { $0.hasSuffix(".h") || $0.hasSuffix(".modulemap") }.map {
            ($0, try SourceTree.text("Sources/\(target)/\($0)"))
        }
    }

    @Test("every target for C headers is one of these")
    func targets() throws {
        let folder = SourceTree.root.appending(path: "Sources").path
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)/module.modulemap")
        }
        #expect(Set(found) == Set(Self.always.keys).union(Self.optional.keys))
    }

    @Test("link and include lines name no other library", arguments: Self.always.keys.sorted())
    func lines(_ target: String) throws {
        let granted = try #require(Self.always[target])
        var links: Set<String> = []
        for (name, text) in try Self.files(of: target) {
            links.formUnion(text.matches(of: /\blink (?:framework )?"([^"]+)"/).map { String($0.1) })
            for header in text.matches(of: /#\s*include(?:_next)?\s*<([^>]+)>/).map({ String($0.1) }) {
                let parts = header.split(separator: "/").map(String.init)
                let isGranted = parts.count == 1 ? Self.standard.contains(header) : granted.folders.contains(parts[0])
                #expect(isGranted, "\(target)/\(name) includes <\(header)>")
            }
        }
        #expect(links == granted.links)
    }

    @Test("no other line of the package links a library")
    func manifest() throws {
        let text = try ManifestTests.manifest()
        for word in ["linkedLibrary", "linkedFramework", "linkerSettings"] {
            #expect(!text.contains(word), "\(word)")
        }
        for file in SourceTree.sources { #expect(!file.text.contains("dlopen("), "\(file.path)") }
    }

    @Test("the libraries of a trait are imported, and depended on, with that trait alone")
    func traits() throws {
        let manifest = try ManifestTests.manifest()
        for (target, trait) in Self.optional {
            let uses = manifest.matches(of: /\.target\(name: "(\w+)", condition: \.when\(traits: \["(\w+)"\]\)\)/)
                .filter { $0.1 == target }
            #expect(uses.count == 1 && uses.allSatisfy { $0.2 == trait })
            // The declaration of the target and that use.
            #expect(manifest.components(separatedBy: "\"\(target)\"").count - 1 == 2)
            let importers = SourceTree.sources.filter { $0.text.contains("import \(target)\n") }
            #expect(!importers.isEmpty)
            for file in importers {
                let before = file.text.components(separatedBy: "import \(target)\n")[0]
                let condition = before.split(separator: "\n").last { $0.hasPrefix("#") }
                #expect(condition == "#if \(trait)", "\(file.path)")
            }
        }
    }
}
