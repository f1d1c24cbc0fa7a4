/// How severe a finding about a configuration is.
package enum Severity: String, Sendable {
    /// The configuration cannot be used, or a part of it does nothing.
    case error
    /// The configuration works, but perhaps not as meant.
    case warning
    /// The configuration works as it says, which is perhaps less than expected.
    case note
}
