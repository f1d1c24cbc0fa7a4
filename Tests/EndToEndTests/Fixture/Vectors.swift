import Foundation
import Testing

/// Files under `Tests/Fixtures`.
enum Vectors {
    /// The root of the package.
    static let root: URL = {
        var directory = URL(fileURLWithPath: #filePath)
        while !FileManager.default.fileExists(atPath: directory.appending(path: "Package.swift").path) {
            directory.deleteLastPathComponent()
        }
        return directory
    }()

    static func text(_ path: String) -> String {
        (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
    }

    static func json(_ path: String) -> JSONText { JSONText(text("Tests/Fixtures/" + path)) }

    /// Files with a JSON object on each line.
    static func lines(_ path: String) -> [JSONText] {
        text("Tests/Fixtures/" + path).split(separator: "\n").map { JSONText(String($0)) }
    }
}
