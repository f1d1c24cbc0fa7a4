/// What a route says of itself to OAuth clients (RFC 9728).
package struct ProtectedResource: Hashable, Sendable {
    /// Its identifier; nil for the base URL with the literal beginning of the route's path.
    package var resource: WebURL?
    /// Name for people.
    package var name: String?
    /// URL of a page for developers.
    package var documentation: WebURL?
    /// Scopes that clients may ask for; nil for those of the route's rules.
    package var scopes: [String]?

    package init() {}

    /// The identifier as clients compare it: the root has no slash.
    package static func identifier(_ url: WebURL) -> String {
        url.target == "/" ? url.origin.description : url.description
    }

    /// The beginning of the paths of metadata; behind it stands the path of a resource.
    package static let metadataPath = "/.well-known/oauth-protected-resource"

    /// Where the metadata of a resource is: the well-known path stands between host and path (RFC 9728 section 3.1).
    package static func metadataURL(_ url: WebURL) -> String {
        "\(url.origin)\(metadataPath)\(url.target == "/" ? "" : url.target)"
    }
}

extension PathPattern {
    /// The path of the segments before the first that is not literal, at least `/`.
    package var literalPath: String {
        var path = ""
        for segment in segments {
            guard case .literal(let name) = segment, !name.isEmpty else { break }
            path += "/" + String(decoding: name, as: UTF8.self)
        }
        return path.isEmpty ? "/" : path
    }
}
