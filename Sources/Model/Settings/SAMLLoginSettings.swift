/// What a SAML identity provider is asked for, and what its answers must have (SAML core section 3.4.1).
package struct SAMLLoginSettings: Sendable {
    /// A URI; nil for the provider's choice.
    package var nameIDFormat: String?
    /// Accepted authentication contexts, as URIs; empty for any.
    package var authnContexts: [String] = []
    /// Whether to force a login each time.
    package var forcesLogin = false
    /// Whether signatures with SHA-1 are accepted.
    package var allowsSHA1 = false

    package init() {}
}
