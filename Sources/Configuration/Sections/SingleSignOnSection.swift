/// Lifetime of browser sessions (SSO-08).
package struct SingleSignOnSection: Sendable {
    package var sessionLifetime: Duration
    package var idleTimeout: Duration
    /// Whether requests to the reserved path are displayed (SAML-17).
    package var capturesRedirect: Bool

    static func read(_ object: inout ObjectReader) -> SingleSignOnSection {
        let section = SingleSignOnSection(
            sessionLifetime: object.value(
                "sessionLifetime", .duration, default: .seconds(28_800), "Longest time that a browser stays signed on."),
            idleTimeout: object.value(
                "idleTimeout", .duration, default: .seconds(3600),
                "How long a browser stays signed on without asking for a token."),
            capturesRedirect: object.flag(
                "captureRedirect", default: false,
                """
                Whether `/mobile/platform/sso/redirect` and `/mobile/platform/sso/redirect/saml` show the `SAMLResponse` \
                that they receive by form or query, for the setup of an identity provider. Without it these paths do not \
                exist.
                """))
        if section.capturesRedirect, object.field.findings.production {
            object.field.warning(
                "the page displays credentials of the user", expected: "\"captureRedirect\": false")
        }
        return section
    }
}
