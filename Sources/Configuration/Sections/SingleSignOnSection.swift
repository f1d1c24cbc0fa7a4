/// Logins of browsers that get tokens of mobile backends.
package struct SingleSignOnSection: Sendable {
    /// Whether requests to the reserved path are displayed (SAML-17).
    package var capturesRedirect: Bool

    static func read(_ object: inout ObjectReader) -> SingleSignOnSection {
        object.removed(
            ["sessionLifetime", "idleTimeout"],
            instead: "\"lifetime\" and \"idleTimeout\" of \"sessions\" in gateway.json")
        let section = SingleSignOnSection(
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
