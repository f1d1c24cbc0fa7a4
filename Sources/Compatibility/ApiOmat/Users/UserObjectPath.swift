import Bytes
import HTTP

/// `/yambas/rest/apps/{app}/models/{module}/{class}[/{id}]`: the user class of an application, or one of its users
/// (AOM-18).
struct UserObjectPath: Sendable, Equatable {
    let application: String
    let module: String
    let className: String
    /// Nil for the class itself.
    let id: String?

    /// - Parameter path: canonical, so that percent-encoded characters are no delimiters.
    init?(_ path: String) {
        guard let parts = PathSegment.decode(path, behind: ApplicationEndpoints.userObjectsPath),
            (4...5).contains(parts.count),
            parts[1].isExactly("models")
        else { return nil }
        application = parts[0]
        module = parts[2]
        className = parts[3]
        id = parts.count == 5 ? parts[4] : nil
    }
}
