import Bytes
import Foundation
import Model
import Testing

@testable import HTTP

/// Frames and field blocks of others' making: http2jp/http2-frame-test-case and hpack-test-case.
@Suite struct H2CorpusTests {
    struct Frame: Sendable, CustomTestStringConvertible {
        var name: String
        var wire: [UInt8]
        /// Error codes that are right; none for a frame that is.
        var errors: [UInt32]
        var testDescription: String { name }
    }

    struct Story: Sendable, CustomTestStringConvertible {
        var name: String
        var tableSize: Int
        var cases: [(wire: [UInt8], fields: [[String: String]])]
        var testDescription: String { name }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        var digits = Array(hexadecimal.utf8)[...]
        var bytes: [UInt8] = []
        while digits.count >= 2 {
            let pair = digits.prefix(2).compactMap { ASCII.hexadecimalValue($0) }
            guard pair.count == 2 else { return [] }
            bytes.append(pair[0] << 4 | pair[1])
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    static let frames: [Frame] = {
        let kinds = [
            "continuation", "data", "error", "goaway", "headers", "ping", "priority", "push_promise", "rst_stream",
            "settings", "window_update",
        ]
        return kinds.flatMap { kind in
            Fixtures.names("http2-frame-test-case/\(kind)").compactMap { name in
                guard let object = Fixtures.json("http2-frame-test-case/\(kind)/\(name)") as? [String: Any],
                    let wire = object["wire"] as? String
                else { return nil }
                let errors = (object["error"] as? [Int] ?? []).map { UInt32($0) }
                return Frame(name: "\(kind)/\(name)", wire: bytes(wire), errors: errors)
            }
        }
    }()

    static let stories: [Story] = Fixtures.names("hpack-test-case").compactMap { name in
        guard let object = Fixtures.json("hpack-test-case/\(name)") as? [String: Any],
            let cases = object["cases"] as? [[String: Any]]
        else { return nil }
        let sizes = cases.compactMap { $0["header_table_size"] as? Int }
        return Story(
            name: name, tableSize: max(4096, sizes.max() ?? 0),
            cases: cases.compactMap { one in
                guard let wire = one["wire"] as? String, let fields = one["headers"] as? [[String: String]] else {
                    return nil
                }
                return (bytes(wire), fields)
            })
    }

    @Test func corporaAreThere() {
        #expect(Self.frames.count == 34)
        #expect(Self.stories.count == 20)
    }

    /// A server that is sent the frame alone. A frame whose form is right may still be wrong there: a field block that
    /// is a dummy, a stream that is not open.
    @Test(arguments: frames)
    func frame(_ frame: Frame) {
        let attacked = H2Attacked()
        attacked.receive(frame.wire)
        let sent = H2Frames.parse(H2Wire.take(attacked.session))
        let codes = sent.filter { $0.type == 7 || $0.type == 3 }.map { frame in
            frame.payload.suffix(from: frame.type == 7 ? 4 : 0).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        if frame.errors.isEmpty {
            #expect(!codes.contains(H2Code.frameSizeError))
            if ["ping", "settings", "priority", "goaway"].contains(where: { frame.name.hasPrefix($0) }) {
                #expect(codes.isEmpty)
            }
        } else {
            #expect(codes.contains(where: frame.errors.contains), "\(codes)")
        }
    }

    /// All heads of a connection, each with the dynamic table that those before it have left.
    @Test(arguments: stories)
    func story(_ story: Story) {
        var limits = H2Limits()
        limits.headerTableSize = story.tableSize
        limits.maximumProvokedResets = 10_000
        let attacked = H2Attacked(limits)
        attacked.receive(H2Frames.frame(4, flags: 1))
        var checked = 0
        for (i, one) in story.cases.enumerated() {
            attacked.events = []
            let id = UInt32(2 * i + 1)
            #expect(attacked.receive(H2Frames.frame(1, flags: 5, stream: id, one.wire)))
            _ = H2Wire.take(attacked.session)
            guard let stream = attacked.headStream else {
                // Requests of the year 2012: RFC 9113 section 8.2.2 refuses fields of the connection.
                #expect(one.fields.contains { $0.keys.contains("connection") }, "\(story.name) \(i): reset")
                checked += 1
                continue
            }
            guard case .head(let head) = stream.requestHead(into: attacked.table, limits: HTTPLimits()) else {
                Issue.record("\(story.name) \(i): refused")
                continue
            }
            let bytes = H2Wire.array(stream.head)
            let expected = Dictionary(
                one.fields.flatMap { $0 }, uniquingKeysWith: { first, next in "\(first); \(next)" })
            #expect(text(head.methodText, bytes) == expected[":method"])
            #expect(text(head.target, bytes) == expected[":path"])
            #expect(text(head.authority, bytes) == expected[":authority"] ?? expected["host"])
            for j in 0..<attacked.table.count {
                let name = text(attacked.table[j].name, bytes)
                #expect(expected[name]?.contains(text(attacked.table[j].value, bytes)) == true, "\(name)")
            }
            checked += 1
            attacked.session.respond(stream, status: 204, fields: [UInt8]().span, ended: true)
            _ = H2Wire.take(attacked.session)
        }
        #expect(attacked.session.failure == nil)
        #expect(checked == story.cases.count)
    }
}

extension Fixtures {
    /// Names of the JSON files of a directory.
    static func names(_ directory: String) -> [String] {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        let path = folder.appendingPathComponent("Tests/Fixtures/\(directory)").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }
}
