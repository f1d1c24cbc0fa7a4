/// How users log in for a client at the authorization endpoint (RFC 6749 section 4.1).
package struct AuthorizationRules: Sendable, Equatable {
    /// Whether users are asked before the client gets access.
    package enum Consent: String, Sendable, CaseIterable {
        case required
        /// For applications of the operator.
        case none
    }

    /// At least one.
    package var redirectURIs: [ClientRedirectURI]
    package var consent = Consent.required
    /// Whether it has to push its requests (RFC 9126).
    package var requiresPushedRequests = false
    /// Where browsers may be sent after a logout (OpenID Connect RP-Initiated Logout section 3).
    package var postLogoutURIs: [ClientRedirectURI] = []

    package init(redirectURIs: [ClientRedirectURI], consent: Consent = .required) {
        self.redirectURIs = redirectURIs
        self.consent = consent
    }

    /// The destination that a request names; nil if the client has not registered it.
    package func destination(_ requested: String) -> RedirectDestination? {
        AuthorizationRules.destination(requested, redirectURIs)
    }

    /// The same for the browser after a logout.
    package func destinationAfterLogout(_ requested: String) -> RedirectDestination? {
        AuthorizationRules.destination(requested, postLogoutURIs)
    }

    private static func destination(_ requested: String, _ uris: [ClientRedirectURI]) -> RedirectDestination? {
        for uri in uris {
            if let destination = uri.destination(requested) { return destination }
        }
        return nil
    }
}
