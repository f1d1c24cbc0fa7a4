import Model

/// The logout of a browser at a provider (OpenID Connect RP-Initiated Logout 1.0 section 2).
package struct ProviderLogoutRequest: Sendable {
    /// Where the provider sends the browser afterwards.
    package let back: String
    /// Comes back with it; nil for nothing.
    package let state: String?
    /// Those of the login; nil if none were kept.
    package let tokens: ProvidedTokens?

    package init(back: String, state: String? = nil, tokens: ProvidedTokens?) {
        self.back = back
        self.state = state
        self.tokens = tokens
    }
}

/// What a browser sends to the provider: a redirect, or a form that the user posts, since tokens make long URLs.
package enum ProviderLogoutForm: Sendable, Equatable {
    case redirect(WebURL)
    case post(WebURL, [Field])

    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// Length of URLs that all servers take.
    private static let longestURL = 2048

    /// - Parameter method: nil to post a form where the URL would be too long.
    init(to endpoint: WebURL, _ fields: [(String, String)], method: LogoutMethod?) {
        let text = endpoint.with(fields)
        if method != .post, method == .get || text.utf8.count <= ProviderLogoutForm.longestURL,
            let url = try? WebURL(text)
        {
            self = .redirect(url)
        } else {
            self = .post(endpoint, fields.map { Field(name: $0.0, value: $0.1) })
        }
    }
}
