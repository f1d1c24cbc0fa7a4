import Configuration
import Declaration
import Model

/// Logins of browsers that get tokens of mobile backends.
package struct SingleSignOnSection: SectionValue {
    /// Whether requests to the reserved path are displayed (SAML-17).
    package var capturesRedirect = false

    package init() {}

    /// `singleSignOn` of `gateway.json`.
    package static let declaration = SectionExtension.member(
        "singleSignOn", "[Logins of browsers](guides/single-sign-on.md) for tokens."
    ) { object in
        object.removed(
            ["sessionLifetime", "idleTimeout"],
            instead: "\"lifetime\" and \"idleTimeout\" of \"sessions\" in gateway.json")
        var section = SingleSignOnSection()
        object.read(
            "captureRedirect", .flag, into: &section.capturesRedirect,
            """
            Whether `/mobile/platform/sso/redirect` and `/mobile/platform/sso/redirect/saml` show the `SAMLResponse` \
            that they receive by form or query, for the setup of an identity provider. Without it these paths do not \
            exist.
            """)
        if section.capturesRedirect, object.field.findings.production {
            object.field.warning(
                "the page displays credentials of the user", expected: "\"captureRedirect\": false")
        }
        return section
    }

    /// `enableSso` of entries of `backends.json`.
    package static let ofBackends = SectionExtension.backendKey("enableSso") { object, entry in
        object.read(
            "enableSso", .flag, into: &entry.client.enableSSO,
            """
            Whether browsers get its tokens by [single sign-on](guides/single-sign-on.md); needs `oauthConsumer` and an \
            identity provider.
            """)
        object.rules(
            .requires(
                .not(ClientEntry.bindsTokens), if: .isOn("enableSso"), at: "enableSso",
                because: "single sign-on gives browsers tokens that are not bound",
                expected: "no \"enableSso\", or tokens that are not bound"),
            // Single sign-on is offered only where OAuth Consumer is.
            .requires(
                ClientEntry.givesTokens, if: .isOn("enableSso"), at: "enableSso",
                because: "\"enableSso\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true"))
    }
}
