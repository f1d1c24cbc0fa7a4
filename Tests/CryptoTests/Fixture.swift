import Bytes
import Foundation

/// Files of `Tests/Fixtures`.
enum Fixture {
    static func bytes(_ path: String) -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let contents = try? Data(contentsOf: folder.appending(path: "Fixtures/\(path)")) else {
            fatalError("Tests/Fixtures/\(path) is missing")
        }
        return Array(contents)
    }

    static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    static func json(_ path: String) -> JSONNode {
        let text = bytes(path)
        guard let node = try? JSONNode.parse(text.span) else { fatalError("\(path) is no JSON") }
        return node
    }
}
