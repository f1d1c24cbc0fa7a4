/// How users log in at a provider of the authorization code flow (RFC 6749 section 4.1, OpenID Connect Core section 3.1).
package struct CodeFlowSettings: Sendable {
    package var scopes: [String] = []
    /// Additional parameters of the authorization request.
    package var parameters: [(name: String, value: String)] = []
    package var userInfo = UserInfoUse.whenNeeded
    /// The claim of the user info endpoint with the user's id, for providers without ID tokens.
    package var subjectAttribute = "sub"
    /// Algorithms accepted for ID tokens.
    package var algorithms = SignatureAlgorithm.asymmetric
    /// Whether a logout here is forwarded to the provider.
    package var logsOutThere = true
    /// How; nil for a redirect where its URL is short enough, and else a form.
    package var logoutMethod: LogoutMethod?
    /// Whether a logout here revokes the provider's token.
    package var revokesAtLogout = false

    package init() {}
}

/// How a browser brings a logout to a provider (OpenID Connect RP-Initiated Logout 1.0 section 2).
package enum LogoutMethod: String, Sendable, CaseIterable {
    case get
    case post
}
