import Configuration
import Foundation
import Gateway
import Identity
import Model

extension Assembly {
    /// A configuration that is good, and what was made of it.
    struct Reading {
        let loaded: LoadedConfiguration
        let configuration: GatewayConfiguration
        let snapshot: GatewaySnapshot
        let lasting: Lasting
    }

    /// A directory as it is, or as it is going to be.
    struct Examination {
        let loaded: LoadedConfiguration
        /// What `check` says of it.
        let diagnostics: [Diagnostic]
        /// Nil where a gateway could not start with it.
        let reading: Reading?

        var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
    }

    /// Reads a directory, as it is or as it is going to be.
    ///
    /// - Parameters:
    ///   - makesKeys: whether key files that are missing are made.
    ///   - formerFiles: files that the configuration in force was read from.
    static func examine(
        _ directory: String, makesKeys: Bool = false, production: Bool = false, draft: ConfigurationDraft? = nil,
        formerFiles: Set<String> = []
    ) -> Examination {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment, production: production,
            draft: draft, formerFiles: formerFiles, credentials: SecretStore.lookup(directory))
        guard var assembly = Assembly(loaded, makesKeys: makesKeys) else {
            return Examination(loaded: loaded, diagnostics: loaded.diagnostics, reading: nil)
        }
        let reading = assembly.snapshot(generation: 1).map { snapshot in
            Reading(
                loaded: loaded, configuration: assembly.configuration, snapshot: snapshot, lasting: assembly.lasting)
        }
        assembly.checkWriting()
        return Examination(loaded: loaded, diagnostics: loaded.diagnostics + assembly.checked, reading: reading)
    }

    /// Reads a directory for a command that needs a good configuration.
    /// - Throws: `.failed` after saying every error.
    static func read(_ directory: String, makesKeys: Bool) throws(ExitStatus) -> Reading {
        let examination = examine(directory, makesKeys: makesKeys)
        if let reading = examination.reading { return reading }
        for error in examination.errors { Terminal.printError(error.description) }
        throw .failed
    }
}
