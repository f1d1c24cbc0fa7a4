import Bytes
import Identity
import Model

/// The texts about callers.
extension Explanation {
    /// An entry of `authenticators`.
    static func text(of entry: Authenticator) -> String {
        (entry.needsKey ? "apiKey and " : "")
            + (entry.issuer.map { "\(entry.kind.name):\($0)" } ?? entry.kind.name)
            + (entry.fallsThrough ? " or the next" : "")
    }

    static func text(of principal: Principal) -> String {
        var parts = ["\(principal.subject)", "\(principal.kind.rawValue) by \(principal.method.rawValue)"]
        parts.append("issuer \(principal.issuer)")
        if let consumer = principal.consumer { parts.append("key of \(consumer.subject)") }
        if let id = principal.backendID {
            parts.append("\(principal.backendField.isEmpty ? "client" : "backend") \(id)")
        }
        parts.append("level \(principal.level)")
        parts.append(principal.roleNames.isEmpty ? "no roles" : "roles \(principal.roleNames.joined(separator: " "))")
        if let end = principal.expiresAt {
            parts.append("until \(InternetDate.text(end))")
        }
        return parts.joined(separator: ", ")
    }
}
