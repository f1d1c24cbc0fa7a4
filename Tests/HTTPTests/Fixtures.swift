import Bytes
import Foundation
import Testing

@testable import HTTP

/// One case of a corpus of raw messages.
struct CorpusCase: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the corpus says of it.
    var expect: String
    var reason: String
    var strict: Bool
    var isRequest: Bool
    var bytes: [UInt8]

    var testDescription: String { name }
}

enum Fixtures {
    static func contents(_ path: String) throws -> Data {
        var folder = URL(fileURLWithPath: #filePath)
        while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            folder.deleteLastPathComponent()
            if folder.path == "/" { throw CocoaError(.fileNoSuchFile) }
        }
        return try Data(contentsOf: folder.appendingPathComponent("Tests/Fixtures/\(path)"))
    }

    /// The cases of `cases.jsonl` of a corpus.
    static func corpus(_ name: String) -> [CorpusCase] {
        guard let data = try? contents("\(name)/cases.jsonl") else { return [] }
        return data.split(separator: 10).compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                let name = object["name"] as? String, let expect = object["expect"] as? String,
                let base64 = object["raw_b64"] as? String, let raw = Data(base64Encoded: base64)
            else { return nil }
            return CorpusCase(
                name: name, expect: expect, reason: object["reason"] as? String ?? "",
                strict: object["strict"] as? Bool ?? true,
                isRequest: object["direction"] as? String != "response", bytes: Array(raw))
        }
    }

    /// A JSON document.
    static func json(_ path: String) -> Any? {
        try? JSONSerialization.jsonObject(with: contents(path))
    }
}

extension [UInt8] {
    /// The request with a Host field behind its first line if none of its lines begins with one.
    func withHost() -> [UInt8] {
        let text = String(decoding: self, as: UTF8.self).lowercased()
        let start = starts(with: "\r\n".bytes) ? 2 : 0
        guard !text.contains("\nhost"), let line = self[start...].firstRange(of: "\r\n".bytes) else { return self }
        return Array(self[..<line.upperBound]) + "Host: added.example\r\n".bytes + Array(self[line.upperBound...])
    }
}
