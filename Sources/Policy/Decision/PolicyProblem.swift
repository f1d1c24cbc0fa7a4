/// Something in the settings that a policy cannot be made of, or that will surprise.
package struct PolicyProblem: Equatable, Sendable {
    package enum Severity: Equatable, Sendable { case warning, error }

    /// JSON pointer into the whole configuration, `/routes/3/path`.
    package let pointer: String
    package let message: String
    package let severity: Severity
}
