import Configuration
import Foundation
import Gateway
import Reactor
import TestSupport
import Testing

@testable import portcullis

/// A configuration in a directory of its own, and what assembles it as `serve` does.
struct ProgramDirectory {
    private let directory: TemporaryDirectory

    /// - Parameter files: beside a `gateway.json` with one listener, or in place of it.
    init(_ files: [String: String] = [:]) throws {
        let gateway = #"{"baseUrl": "http://127.0.0.1:8080", "listeners": [{"address": "127.0.0.1", "port": 8080}]}"#
        directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        for (name, text) in ["gateway.json": gateway].merging(files, uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
    }

    func context() throws -> AssemblyContext {
        let loaded = ConfigurationLoader.load(
            directory: directory.path, environment: [:], production: false, extensions: CompatibilityFamilies.sections,
            endpoints: GatewayEndpoints.all)
        let log = EventLog(try LogWriter(appendingTo: "/dev/null"))
        let retained = RetainedState(families: CompatibilityFamilies.all(), isServing: true, log: log)
        return try #require(
            AssemblyContext(loaded, retained: retained, makesKeys: true), "\(loaded.diagnostics)")
    }
}
