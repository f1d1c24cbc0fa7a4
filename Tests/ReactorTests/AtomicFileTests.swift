import Foundation
import Reactor
import Testing

/// Files that come into their place at once.
@Suite struct AtomicFileTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "portcullis-draft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private var path: String { directory.appending(path: "file").path }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path) }

    @Test func nobodyElseSeesADraft() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let draft = try AtomicFile(of: path)
        let name = try #require(try files().first)
        #expect(name != "file" && name.hasPrefix("file."))
        #expect(try mode(directory.path + "/" + name) == 0o600)
        try draft.write(Array("text".utf8))
        try draft.replace()
        #expect(try files() == ["file"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        #expect(try mode(path) == 0o600)
    }

    @Test func placeKeepsWhatIsThere() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        for (text, isFirst) in [("first", true), ("second", false)] {
            let draft = try AtomicFile(of: path)
            try draft.write(Array(text.utf8))
            #expect(try draft.place() == isFirst)
        }
        #expect(try files() == ["file"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first")
    }

    @Test func replaceGivesOwnerAndMode() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("old".utf8).write(to: URL(filePath: path))
        let draft = try AtomicFile(of: path)
        try draft.hand(to: getuid(), group: getgid(), mode: 0o640)
        try draft.replace()
        #expect(try mode(path) == 0o640)
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    }

    @Test func whatIsNotPutInPlaceIsGone() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        do {
            let draft = try AtomicFile(of: path)
            try draft.write([1, 2, 3])
        }
        #expect(try files().isEmpty)
        #expect(throws: KernelError.self) { _ = try AtomicFile(of: directory.path + "/none/file") }
    }
}
