/// A value that must not appear in logs, messages or dumps.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the value came from (GW-12).
    package enum Origin: Sendable {
        case literal, environment, file, store
    }

    package let value: String
    package let origin: Origin

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The answer of a credential store for a key (CRED-01).
package enum CredentialAnswer: Sendable {
    case secret(String)
    case missing
    /// The error message.
    case unreadable(String)
}

package typealias CredentialLookup = @Sendable (_ key: String) -> CredentialAnswer
