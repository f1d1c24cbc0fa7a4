import Bytes

/// URL schemes that do not identify one application.
package enum URLScheme {
    /// Schemes that execute in the browser: a form that is sent there would run in the page.
    static let active = ["javascript", "data", "vbscript", "blob", "file", "about", "filesystem"]

    private static let shared = [
        "http", "https", "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source",
    ]

    /// Whether the scheme is not specific to an application.
    package static func isShared(_ scheme: String) -> Bool { contains(Array(scheme.utf8)[...], in: shared) }

    /// Whether a scheme is one of these, case-insensitively.
    static func contains(_ scheme: ArraySlice<UInt8>, in names: [String]) -> Bool {
        let name = scheme.map(ASCII.lowercased)
        return names.contains { $0.utf8.elementsEqual(name) }
    }
}
