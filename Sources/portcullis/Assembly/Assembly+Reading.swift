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

    enum Examination {
        case good(Reading)
        /// At least one of these is an error.
        case bad([Diagnostic])
    }

    /// Reads a directory, as it is or as it is going to be.
    ///
    /// - Parameters:
    ///   - makesKeys: whether key files that are missing are made.
    ///   - formerFiles: files that the configuration in force was read from.
    static func examine(
        _ directory: String, makesKeys: Bool = false, draft: ConfigurationDraft? = nil, formerFiles: Set<String> = []
    ) -> Examination {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment, production: false, draft: draft,
            formerFiles: formerFiles, credentials: SecretStore.lookup(directory))
        guard var assembly = Assembly(loaded, makesKeys: makesKeys) else {
            return .bad(loaded.diagnostics)
        }
        guard let snapshot = assembly.snapshot(generation: 1) else {
            return .bad(loaded.diagnostics + assembly.diagnostics)
        }
        return .good(
            Reading(
                loaded: loaded, configuration: assembly.configuration, snapshot: snapshot, lasting: assembly.lasting))
    }

    /// Reads a directory for a command that needs a good configuration.
    /// - Throws: `.failed` after saying every error.
    static func read(_ directory: String, makesKeys: Bool) throws(ExitStatus) -> Reading {
        switch examine(directory, makesKeys: makesKeys) {
        case .good(let reading): return reading
        case .bad(let diagnostics):
            for diagnostic in diagnostics where diagnostic.severity == .error {
                Terminal.complain(diagnostic.description)
            }
            throw .failed
        }
    }
}
