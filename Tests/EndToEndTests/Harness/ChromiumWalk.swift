import Foundation
import Testing

/// A script of `Tests/Interop` that drives headless Chromium through pages, as a person would. It prints a line for each step
/// that went as it should, and takes pictures, which `PORTCULLIS_PICTURES` has kept in the directory it names.
enum ChromiumWalk {
    static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]
    /// Whether there is a browser, and an interpreter with what the scripts need (`PORTCULLIS_PYTHON`).
    static let isPossible = python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    /// - Parameters:
    ///   - script: its file name.
    ///   - words: its arguments but the last, which is where pictures go.
    ///   - steps: how many it must at least have gone.
    ///   - pictures: how many it must have taken.
    static func run(
        _ script: String, _ words: [String], steps: Int, pictures count: Int, _ gateway: GatewayProcess
    ) throws {
        let directory = try ConfigurationDirectory()
        let path = Vectors.root.appending(path: "Tests/Interop/\(script)").path
        let client = try Program(try #require(python), [path] + words + [directory.path])
        let ending = client.waitForEnd(.after(.seconds(180)))
        let said = client.lines(.output) + client.lines(.errors)
        #expect(ending == .exit(0), "\(said.joined(separator: "\n"))\n\(gateway.everythingWritten)")
        #expect(client.lines(.output).count >= steps)
        let taken = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".png") }
        #expect(taken.count == count)
        guard let kept = ProcessInfo.processInfo.environment["PORTCULLIS_PICTURES"] else { return }
        for name in taken {
            let data = try Data(contentsOf: URL(filePath: directory.path).appending(path: name))
            try data.write(to: URL(filePath: kept).appending(path: name))
        }
    }
}
