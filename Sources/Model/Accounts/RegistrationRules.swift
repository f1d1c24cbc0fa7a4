import Bytes

/// Which clients may register themselves (RFC 7591), and for what.
package struct RegistrationRules: Sendable, Equatable {
    /// Where codes may go.
    package enum Redirect: Sendable, Equatable {
        /// A program on the user's device, at any port (RFC 8252 section 7.3).
        case loopback
        /// Any path of a website.
        case origin(WebOrigin)
        /// Any path of a scheme that an application has claimed, in lower case (RFC 8252 section 7.1).
        case scheme(String)
    }

    /// Whether clients register without an initial access token.
    package var isOpen = false
    package var redirects = [Redirect.loopback]
    /// The scopes that clients may have; nil for all that users can grant.
    package var scopes: [String]?
    /// Roles that a scope gives the tokens of clients, as far as their user has them.
    package var scopeRoles: [String: [String]] = [:]
    /// Whether clients may have the device grant (RFC 8628).
    package var allowsDevices = false
    /// How many clients may be registered at once.
    package var maximumClients = 1000
    /// How long a client stays registered without use, in seconds.
    package var lifetimeSeconds: Int64 = 7_776_000

    package init() {}

    /// The same for clients that no initial access token stands behind. They leave room for others.
    package var maximumUnknownClients: Int { (maximumClients + 1) / 2 }

    /// Whether codes may go to a redirect URI.
    package func allow(_ uri: ClientRedirectURI) -> Bool {
        redirects.contains { rule in
            switch (rule, uri.kind) {
            case (.loopback, .loopback): true
            case (.origin(let origin), .web): (try? WebURL(uri.text))?.origin == origin
            case (.scheme(let scheme), .application): uri.text.prefix { $0 != ":" }.lowercased().isExactly(scheme)
            default: false
            }
        }
    }
}
