import Foundation
import Testing

@testable import Gateway

@Suite struct LogWriterTests {
    private static func inDirectory(_ run: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "portcullis-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try run(directory)
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func linesStandInTheOrderInWhichTheyCame() throws {
        try Self.inDirectory { directory in
            let path = directory + "/log"
            let writer = try LogWriter(appendingTo: path)
            let lines = (0..<2000).map { "line \($0)\n" }
            for (number, line) in lines.enumerated() {
                #expect(writer.write(Array(line.utf8)))
                if number % 300 == 0 { writer.flush() }
            }
            writer.flush()
            #expect(try Self.text(path) == lines.joined())
        }
    }

    /// SIGUSR1: what was taken before the call goes to the renamed file, and nothing else does.
    @Test func anotherFileBeginsWhereItWasOpenedAnew() throws {
        try Self.inDirectory { directory in
            let path = directory + "/log"
            let writer = try LogWriter(appendingTo: path)
            for round in 0..<50 {
                #expect(writer.write(Array("before \(round)\n".utf8)))
                try FileManager.default.moveItem(atPath: path, toPath: path + ".\(round)")
                writer.reopen()
                #expect(writer.write(Array("after \(round)\n".utf8)))
                writer.flush()
                let before = round == 0 ? "" : "after \(round - 1)\n"
                #expect(try Self.text(path + ".\(round)") == "\(before)before \(round)\n")
                #expect(try Self.text(path) == "after \(round)\n")
            }
        }
    }
}
