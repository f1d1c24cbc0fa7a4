/// How long browsers stay signed on (SSO-08).
package struct SingleSignOnSection: Sendable {
    package var sessionLifetime: Duration
    package var idleTimeout: Duration
    /// Whether what identity providers send to the reserved path is shown (SAML-17).
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
                "whoever looks over a user's shoulder sees what logs him in", expected: "\"captureRedirect\": false")
        }
        return section
    }
}
