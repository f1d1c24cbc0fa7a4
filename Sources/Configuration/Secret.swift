/// A value that no log, message or dump may show.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the value came from (GW-12).
    package enum Origin: Sendable {
        case literal, environment, file, store
    }

    /// The secret itself; for the one place that needs it.
    package let value: String
    package let origin: Origin

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What a credential store says of a key (CRED-01). The store is opened by whoever reads a configuration.
package enum CredentialAnswer: Sendable {
    case secret(String)
    case missing
    /// The reason, as one sentence.
    case unreadable(String)
}

package typealias CredentialLookup = @Sendable (_ key: String) -> CredentialAnswer
