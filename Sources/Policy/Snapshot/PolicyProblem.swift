import Model

/// Something in the settings that a policy cannot be made of, or that will surprise.
package struct PolicyProblem: Equatable, Sendable {
    /// JSON pointer into the whole configuration, `/routes/3/path`.
    package let pointer: String
    package let message: String
    package let severity: Severity
}
