import Bytes
import Model

/// Which `Host` the admin listener answers. A page of another site can have its name resolved to 127.0.0.1 and so make a
/// browser ask for what is only to be seen here (DNS rebinding); the browser still says the name of that site.
enum AdminHost {
    /// An IP literal, `localhost`, or one of the configured names; nothing at all from clients of HTTP/1.0.
    ///
    /// - Parameters:
    ///   - authority: the value of `Host`, already valid, with or without port.
    ///   - names: in lower case.
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
