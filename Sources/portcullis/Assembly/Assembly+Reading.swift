import Configuration
import Crypto
import Declaration
import Gateway
import Model
import Reactor

extension Assembly {
    /// A valid configuration and its snapshot.
    struct Reading {
        let loaded: LoadedConfiguration
        let configuration: GatewayConfiguration
        let snapshot: GatewaySnapshot
        let retained: RetainedState
        /// The gateway's own certificates, by their place in the configuration.
        let certificates: [(pointer: String, summary: CertificateSummary)]
    }

    /// The result of checking a directory, or a draft of it.
    struct Examination {
        let loaded: LoadedConfiguration
        /// The diagnostics of `check`.
        let diagnostics: [Diagnostic]
        /// Nil if a gateway cannot start with it.
        let reading: Reading?

        var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
    }

    /// Reads a directory, or a draft of it.
    ///
    /// - Parameters:
    ///   - makesKeys: whether missing key files are created.
    ///   - formerFiles: files of the configuration in force.
    ///   - checksExpectations: whether expectations that are not met are errors.
    static func examine(
        _ directory: String, makesKeys: Bool = false, production: Bool = false, draft: ConfigurationDraft? = nil,
        formerFiles: Set<String> = [], environment: [String: String] = Environment.values,
        checksExpectations: Bool = true
    ) -> Examination {
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: environment, production: production,
            draft: draft, formerFiles: formerFiles, extensions: CompatibilityFamilies.sections,
            endpoints: GatewayEndpoints.all,
            secrets: SecretStore.lookup(directory))
        guard var assembly = Assembly(loaded, makesKeys: makesKeys) else {
            return Examination(loaded: loaded, diagnostics: loaded.diagnostics, reading: nil)
        }
        if !checksExpectations { assembly.unmetExpectations = nil }
        let reading = assembly.snapshot(generation: 1).map { snapshot in
            Reading(
                loaded: loaded, configuration: assembly.configuration, snapshot: snapshot, retained: assembly.retained,
                certificates: assembly.context.certificates)
        }
        WritingCheck(context: assembly.context).checkWriting()
        return Examination(loaded: loaded, diagnostics: loaded.diagnostics + assembly.context.checked, reading: reading)
    }

    /// Reads a directory for a command that needs a valid configuration.
    /// - Throws: `.failed` after printing every error.
    static func read(_ directory: String, makesKeys: Bool) throws(ExitStatus) -> Reading {
        let examination = examine(directory, makesKeys: makesKeys)
        if let reading = examination.reading { return reading }
        for error in examination.errors { Terminal.printError(error.description) }
        throw .failed
    }
}
