import Synchronization

/// Where the references of one configuration lead to. All readers of its sections share it, also those that read a part
/// later, so that they accept the same references and each program runs once for a key.
package final class SecretSources: Sendable {
    package let environment: [String: String]
    /// What is absent; nil where that is an error.
    package let absences: Absences?
    private let lookup: SecretLookup
    /// The programs that `program:` secrets may name, and what they have printed.
    private let state = Mutex<(programs: [SecretProgram], printed: [SecretProgram.Call: SecretAnswer])>(([], [:]))

    package init(
        environment: [String: String] = [:], _ lookup: SecretLookup = SecretLookup(), absences: Absences? = nil
    ) {
        self.environment = environment
        self.absences = absences
        self.lookup = lookup
    }

    package var programs: [SecretProgram] { state.withLock { $0.programs } }

    package func declare(_ programs: [SecretProgram]) { state.withLock { $0.programs = programs } }

    /// The secret of a key of the credential store.
    package func stored(_ key: String) -> SecretAnswer { lookup.stored(key) }

    /// The value of a constant, or in a review the placeholder of one that is absent.
    package func constant(_ reference: String, value: String?, at pointer: String) -> String? {
        guard absences?.notes(reference, at: pointer, unless: value?.isEmpty == false) == true else { return value }
        return Absences.constant(reference)
    }

    /// What a program prints.
    package func answer(of call: SecretProgram.Call) -> SecretAnswer {
        state.withLock { state in
            if let answer = state.printed[call] { return answer }
            let answer = lookup.printed(call)
            state.printed[call] = answer
            return answer
        }
    }
}
