import Bytes

/// The URL of a route's redirect: absolute, or a path of the same host.
package struct RedirectURL: Hashable, Sendable {
    /// An absolute URL has a slash behind its host, so that nothing that is appended becomes part of the host.
    package let text: String

    /// The root of the same host.
    package static let root = RedirectURL()

    private init() { text = "/" }

    /// Nil for other text: other schemes, `//host`, user information, fragments, unescaped characters.
    package init?(_ text: String) {
        guard text.utf8.first == ASCII.slash else {
            guard let url = try? WebURL(text) else { return nil }
            self.text = url.description
            return
        }
        // Browsers take `//host` for a URL without a scheme.
        guard text.utf8.dropFirst().first != ASCII.slash, let url = try? WebURL("https://localhost" + text) else {
            return nil
        }
        self.text = url.target
    }

    package var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

    /// What a path is appended to, which begins with a slash.
    package var beginning: String { text.utf8.last == ASCII.slash ? String(text.dropLast()) : text }
}
