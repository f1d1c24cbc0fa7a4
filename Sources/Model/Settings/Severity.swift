/// The severity of a finding about a configuration.
package enum Severity: String, Sendable {
    /// The configuration is invalid, or a part of it has no effect.
    case error
    /// The configuration works, but perhaps not as intended.
    case warning
    /// The configuration works as written, perhaps with less effect than expected.
    case note
}
