import Bytes

/// How the forwarded path follows from the canonical path that was matched (ROLE-05): a prefix is left out, and another one
/// put in its place. The path is never parsed again.
package struct PathRewrite: Hashable, Sendable {
    /// Forwards the path as it was matched.
    package static let identity = PathRewrite(stripping: nil, prefixes: [])

    /// What is left out at the beginning; empty for nothing.
    package let stripped: [UInt8]
    /// What takes its place.
    private let prefix: [UInt8]
    /// Whether `Location` of responses is mapped back.
    package let mapsLocation: Bool

    /// - Parameters:
    ///   - strip: the prefix to leave out. Every path of the route must have it.
    ///   - prefixes: what takes its place, from left to right.
    package init(stripping strip: PathPrefix?, prefixes: [PathPrefix], mapsLocation: Bool = false) {
        stripped = Array((strip?.text ?? "").utf8)
        self.mapsLocation = mapsLocation
        prefix = prefixes.flatMap { Array($0.text.utf8) }
    }

    /// Appends the forwarded path.
    package func append(_ path: Span<UInt8>, to chunk: Chunk) {
        let rest = path.extracting(droppingFirst: min(stripped.count, path.count))
        chunk.append(prefix)
        if rest.isEmpty && prefix.isEmpty { chunk.append(ASCII.slash) } else { chunk.append(rest) }
    }

    /// The forwarded path.
    package func path(_ path: [UInt8]) -> [UInt8] {
        let chunk = Chunk(capacity: prefix.count + path.count + 1)
        append(path.span, to: chunk)
        return Array(copying: chunk.readable)
    }

    /// The path that the client has to request for one of the upstream, query and fragment included.
    ///
    /// - Returns: nil for a path that needs no change, or that no path of the client is forwarded as. One that begins with
    ///   what was left out needs none where nothing took its place: the upstream knows the prefix, by `X-Forwarded-Prefix`.
    package func requested(for path: Span<UInt8>) -> [UInt8]? {
        if prefix.isEmpty, PathRewrite.begins(path, with: stripped) { return nil }
        guard PathRewrite.begins(path, with: prefix) else { return nil }
        let rest = path.extracting(droppingFirst: prefix.count)
        let requested = stripped + Array(copying: rest)
        return requested.first == ASCII.slash ? requested : [ASCII.slash] + requested
    }

    /// Whether a path begins with these segments.
    private static func begins(_ path: Span<UInt8>, with prefix: [UInt8]) -> Bool {
        guard path.count >= prefix.count else { return false }
        for i in prefix.indices where path[i] != prefix[i] { return false }
        guard path.count > prefix.count else { return true }
        return [ASCII.slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains(path[prefix.count])
    }

    /// The most bytes that it adds to a path.
    package var growth: Int { prefix.count + 1 }
}

/// What a route says of forwarded paths.
package struct RewriteRule: Hashable, Sendable {
    package var stripPrefix: PathPrefix?
    package var addPrefix: PathPrefix?
    /// Whether `Location` of responses is mapped back.
    package var mapsLocation: Bool

    package init(stripPrefix: PathPrefix? = nil, addPrefix: PathPrefix? = nil, mapsLocation: Bool = false) {
        self.stripPrefix = stripPrefix
        self.addPrefix = addPrefix
        self.mapsLocation = mapsLocation
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
