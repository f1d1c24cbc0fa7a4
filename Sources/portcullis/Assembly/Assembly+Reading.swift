import Configuration
import Foundation
import Gateway
import Identity

extension Assembly {
    /// A configuration that is good, and what was made of it.
    struct Reading {
        let loaded: LoadedConfiguration
        let configuration: GatewayConfiguration
        let snapshot: GatewaySnapshot
        let lasting: Lasting
    }

    /// Reads a directory for a command that needs a good configuration.
    /// - Throws: `.failed` after saying every error.
    static func read(
        _ directory: String, makesKeys: Bool, draft: ConfigurationDraft? = nil
    ) throws(ExitStatus) -> Reading {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment, production: false, draft: draft)
        var diagnostics = loaded.diagnostics
        if var assembly = Assembly(loaded, makesKeys: makesKeys) {
            if let snapshot = assembly.snapshot(generation: 1) {
                return Reading(
                    loaded: loaded, configuration: assembly.configuration, snapshot: snapshot,
                    lasting: assembly.lasting)
            }
            diagnostics += assembly.diagnostics
        }
        for diagnostic in diagnostics where diagnostic.severity == .error {
            Terminal.complain(diagnostic.description)
        }
        throw .failed
    }
}
