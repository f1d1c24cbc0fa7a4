import Foundation

/// Files under `Tests/Fixtures`.
enum Fixtures {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    /// The names of the files of one set.
    static func names(in set: String) -> [String] {
        let directory = root.appending(path: set).path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    static func bytes(_ set: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: set).appending(path: name)))
    }
}
