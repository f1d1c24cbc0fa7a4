import Bytes

/// A redirect to a fixed URL, with path and query of the request behind it where the route wants them.
package struct RouteRedirect: Hashable, Sendable {
    /// Statuses that a route may have.
    package static let statuses = [301, 302, 303, 307, 308]

    package var target: RedirectURL
    package var status = 308
    package var keepsPath = false
    package var keepsQuery = false

    package init(to target: RedirectURL) { self.target = target }

    /// Appends the URL for a request.
    ///
    /// - Parameters:
    ///   - path: canonical; begins with one slash, so that it cannot name a host where the target is a path.
    ///   - query: a range of `bytes`.
    ///   - rewrite: how the appended path differs from the requested one.
    package func append(
        path: Span<UInt8>, query: ByteRange?, of bytes: Span<UInt8>, rewrite: PathRewrite?, to chunk: Chunk
    ) {
        let text = keepsPath ? target.beginning : target.text
        chunk.ensureFree(text.utf8.count + path.count + (rewrite?.growth ?? 0) + Int(query?.count ?? 0) + 1)
        chunk.append(text.utf8.span)
        if keepsPath {
            if let rewrite { rewrite.append(path, to: chunk) } else { chunk.append(path) }
        }
        if keepsQuery, let query {
            chunk.append(UInt8(ascii: "?"))
            chunk.append(bytes.slice(query))
        }
    }
}
