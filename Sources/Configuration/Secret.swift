/// A value that no log, message or dump may show.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the value came from (GW-12).
    package enum Origin: Sendable {
        case literal, environment, file
    }

    /// The secret itself; for the one place that needs it.
    package let value: String
    package let origin: Origin

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
