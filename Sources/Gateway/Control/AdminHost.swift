import Bytes
import Model

/// Checks `Host` on the admin listener. DNS rebinding lets a page of another site make a browser request 127.0.0.1; the
/// browser still sends that site's name.
enum AdminHost {
    /// Trusts an IP literal, `localhost`, or a configured name. HTTP/1.0 clients may omit `Host`.
    static func isTrusted(_ authority: Span<UInt8>, names: [String]) -> Bool {
        if authority.isEmpty { return true }
        let text = String(copying: authority)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            return IPAddress(String(text[..<end].dropFirst())) != nil
        }
        let name = text.prefix { $0 != ":" }.lowercased()
        return name == "localhost" || names.contains(name) || IPAddress(name) != nil
    }
}
