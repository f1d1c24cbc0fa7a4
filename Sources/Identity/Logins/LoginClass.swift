/// How a user has logged in, as far as authentication schemes tell logins apart: a session that was made in one way does not
/// satisfy a scheme whose form offers others (CACHE-11).
package enum LoginClass: Sendable, Hashable {
    /// A password.
    /// - Parameter issuer: name of the issuer that verifies it; nil for the gateway's own users.
    case password(issuer: String? = nil)
    /// A login at an identity provider, by its name.
    case provider(String)

    /// What tokens and cookies carry. No two ways share it.
    package var text: String {
        switch self {
        case .password(nil): "password"
        case .password(let issuer?): "password:\(issuer)"
        case .provider(let name): "provider:\(name)"
        }
    }
}
