/// A value that must not appear in logs, messages or dumps.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the value came from (GW-12).
    package enum Origin: Sendable {
        case literal, environment, file, store, program
        /// A placeholder in a review of rules.
        case absent
    }

    package let value: String
    package let origin: Origin

    package init(_ value: String, from origin: Origin = .literal) {
        self.value = value
        self.origin = origin
    }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
