import Bytes

/// Schemes of URLs that do not lead to one application.
package enum URLScheme {
    /// Schemes without a place, which tell the browser what to do: a form that is sent there would run in the page.
    static let active = ["javascript", "data", "vbscript", "blob", "file", "about", "filesystem"]

    private static let shared = [
        "http", "https", "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source",
    ]

    /// Whether no application can have the scheme to itself.
    package static func isShared(_ scheme: String) -> Bool { contains(Array(scheme.utf8)[...], in: shared) }

    /// Whether a scheme, in any case, is one of these.
    static func contains(_ scheme: ArraySlice<UInt8>, in names: [String]) -> Bool {
        let name = scheme.map(ASCII.lowercased)
        return names.contains { $0.utf8.elementsEqual(name) }
    }
}
