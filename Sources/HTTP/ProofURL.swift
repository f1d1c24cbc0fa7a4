import Model

/// The URL in a proof of possession (`htu`, RFC 9449 section 4.3): compared as a URL, not as text.
package enum ProofURL {
    /// Whether a text names the resource at this path of one of the origins. Query and fragment are ignored; scheme, host,
    /// port and path are compared in their normal form (RFC 3986 sections 6.2.2 and 6.2.3).
    ///
    /// - Parameter path: in canonical form.
    package static func names(_ text: String, path: [UInt8], at origins: [WebOrigin]) -> Bool {
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        guard let url = try? WebURL(lenient: String(text[..<(end ?? text.endIndex)])), origins.contains(url.origin),
            let named = CanonicalPath.canonical(
                Array(url.target.utf8), keeping: CanonicalPath.spellings(in: path.span))
        else { return false }
        return CanonicalPath.areSame(named, path)
    }

    /// The origins that a client may name for a request.
    ///
    /// A proof for another server must not count here, and the client controls `Host`: it chooses among the gateway's own
    /// origins, and names another one only where a route is for that host.
    /// - Parameters:
    ///   - authority: host and port that the client asked.
    ///   - isOfRoute: whether the route is for this host alone.
    package static func origins(
        of authority: String, isSecure: Bool, isOfRoute: Bool, own: [WebOrigin]
    ) -> [WebOrigin] {
        let asked = [true, false].compactMap { secure in
            try? WebOrigin("\(secure ? "https" : "http")://\(authority)")
        }
        let named = own.filter(asked.contains)
        if !named.isEmpty { return named }
        return isOfRoute ? asked.filter { $0.isSecure == isSecure } : own
    }
}
