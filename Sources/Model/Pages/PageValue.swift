/// A value within a text, written as `{name}`.
package enum PageValue: String, Sendable, CaseIterable {
    /// Display name of what the user signs in to.
    case service
    case user
    /// Display name of an application.
    case client
    /// Host that the browser continues to.
    case place
    case seconds, minutes
}
