import Bytes

/// The `https` URL of the resource that a plain request asks for.
package enum HTTPSLocation {
    /// Appends `https://HOST[:PORT]` and the target as it was received. Returns false and appends nothing where the
    /// request has no host or its target is `*`.
    ///
    /// The host ends before the path is appended, so that no path can change it. An absolute-form target is appended
    /// without its scheme and authority; host is then that authority (RFC 9112 section 3.2.2).
    ///
    /// - Parameter port: 443 is left out.
    package static func append(_ head: RequestHead, _ bytes: Span<UInt8>, port: Int, to chunk: Chunk) -> Bool {
        let authority = bytes.slice(head.authority)
        let path = bytes.slice(head.path)
        guard !authority.isEmpty, !path.isEmpty, path[0] == ASCII.slash else { return false }
        let host = authority.extracting(0..<endOfHost(authority))
        chunk.ensureFree(host.count &+ path.count &+ Int(head.query?.count ?? 0) &+ 32)
        chunk.append("https://")
        chunk.append(host)
        if port != 443 {
            chunk.append(ASCII.colon)
            chunk.append(decimal: port)
        }
        chunk.append(path)
        if let query = head.query {
            chunk.append(UInt8(ascii: "?"))
            chunk.append(bytes.slice(query))
        }
        return true
    }

    /// Where the port of a valid authority begins, with its colon.
    private static func endOfHost(_ authority: Span<UInt8>) -> Int {
        var end = 0
        if authority[0] == UInt8(ascii: "[") {
            while end < authority.count, authority[end] != UInt8(ascii: "]") { end &+= 1 }
        }
        while end < authority.count, authority[end] != ASCII.colon { end &+= 1 }
        return end
    }
}
