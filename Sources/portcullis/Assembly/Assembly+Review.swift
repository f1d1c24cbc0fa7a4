import Configuration
import Declaration
import Gateway
import Model
import Reactor
import Simulation

extension Assembly {
    /// The rules of a configuration whose secrets and key files need not be here. It has no snapshot, so that no gateway can
    /// serve it.
    struct Review {
        let rules: RuleSet
        /// Of requests that name none.
        let host: String
        let expectations: [Expectation]
        fileprivate let absences: Absences

        /// What decisions were made without, for people; empty for nothing.
        var notRead: [String] { Review.notRead([absences]) }

        fileprivate static func notRead(_ absences: [Absences]) -> [String] {
            var texts: [String] = []
            for text in absences.flatMap(\.texts).map({ "not read here: \($0)".harmless }) where !texts.contains(text) {
                texts.append(text)
            }
            return texts
        }
    }

    /// Reads a directory for its rules, whether or not its expectations are met. Starts no program and makes no file.
    ///
    /// - Parameter assumed: references that count as absent.
    /// - Throws: `.failed` after printing every error.
    static func review(_ directory: String, without assumed: Set<String> = []) throws(ExitStatus) -> Review {
        let absences = Absences(assumed: assumed)
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: Environment.values, production: false,
            extensions: CompatibilityFamilies.sections, endpoints: GatewayEndpoints.all,
            secrets: SecretStore.lookup(directory), absences: absences)
        var diagnostics = loaded.diagnostics
        if var assembly = Assembly(loaded, makesKeys: false) {
            assembly.unmetExpectations = nil
            let snapshot = assembly.snapshot(generation: 1)
            diagnostics += assembly.context.diagnostics
            diagnostics += absences.unset.map {
                loaded.diagnostic(pointer: $0.pointer, message: $0.message, severity: .error, expected: $0.expected)
            }
            if let snapshot, absences.unset.isEmpty {
                var rules = RuleSet(snapshot.policy, of: assembly.configuration)
                rules.settings = Assembly.Reading.settings(of: loaded)
                return Review(
                    rules: rules, host: assembly.configuration.baseURL.host,
                    expectations: assembly.configuration.policies.expectations, absences: absences)
            }
        }
        for error in diagnostics where error.severity == .error { Terminal.printError(error.description) }
        throw .failed
    }

    /// Reads two directories to compare them: what is absent in one is compared in neither. A file that the new one alone has
    /// counts as a change.
    /// - Throws: `.undecided` after printing every error.
    static func reviews(
        from old: String, to new: String
    ) throws(ExitStatus) -> (old: Review, new: Review, notRead: [String]) {
        do throws(ExitStatus) {
            var (before, after) = (try review(old), try review(new))
            let (lost, added) = (after.absences.references, before.absences.references)
            let secrets = added.filter { !$0.hasPrefix(SecretReference.file.rawValue) }
            if !lost.isSubset(of: added) { before = try review(old, without: lost) }
            if !secrets.isSubset(of: lost) { after = try review(new, without: secrets) }
            return (before, after, Review.notRead([before.absences, after.absences]))
        } catch {
            throw .undecided
        }
    }
}
