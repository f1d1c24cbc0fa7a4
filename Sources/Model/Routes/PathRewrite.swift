import Bytes

/// How the forwarded path follows from the canonical path that was matched (ROLE-05): a prefix is left out, and another one
/// put in its place. The path is never parsed again.
package struct PathRewrite: Hashable, Sendable {
    /// Forwards the path as it was matched.
    package static let identity = PathRewrite(stripping: nil, prefixes: [])

    /// The number of bytes that are left out at the beginning.
    private let stripped: Int
    /// What takes their place.
    private let prefix: [UInt8]

    /// - Parameters:
    ///   - strip: the prefix to leave out. Every path of the route must have it.
    ///   - prefixes: what takes its place, from left to right.
    package init(stripping strip: PathPrefix?, prefixes: [PathPrefix]) {
        stripped = strip?.text.utf8.count ?? 0
        prefix = prefixes.flatMap { Array($0.text.utf8) }
    }

    /// Appends the forwarded path.
    package func append(_ path: Span<UInt8>, to chunk: Chunk) {
        let rest = path.extracting(droppingFirst: min(stripped, path.count))
        chunk.append(prefix)
        if rest.isEmpty && prefix.isEmpty { chunk.append(ASCII.slash) } else { chunk.append(rest) }
    }

    /// The forwarded path.
    package func path(_ path: [UInt8]) -> [UInt8] {
        let chunk = Chunk(capacity: prefix.count + path.count + 1)
        append(path.span, to: chunk)
        return Array(copying: chunk.readable)
    }

    /// The most bytes that it adds to a path.
    package var growth: Int { prefix.count + 1 }
}

/// What a route says of forwarded paths.
package struct RewriteRule: Hashable, Sendable {
    package var stripPrefix: PathPrefix?
    package var addPrefix: PathPrefix?

    package init(stripPrefix: PathPrefix? = nil, addPrefix: PathPrefix? = nil) {
        self.stripPrefix = stripPrefix
        self.addPrefix = addPrefix
    }
}

/// The beginning of paths in canonical form: literal segments, without a slash at the end.
package struct PathPrefix: Hashable, Sendable {
    package let text: String
    private let segments: [PathPattern.Segment]

    /// Nil for text that is no such prefix, "/" among it.
    package init?(_ text: String) {
        guard let pattern = try? PathPattern(text), !pattern.isDeep, !pattern.segments.contains(.one),
            pattern.segments.last != .literal([])
        else { return nil }
        self.text = text
        segments = pattern.segments
    }

    /// Whether every path that matches the pattern begins with this prefix.
    package func begins(_ pattern: PathPattern) -> Bool { pattern.segments.starts(with: segments) }
}
