/// How long browsers stay signed on (SSO-08).
package struct SingleSignOnSection: Sendable {
    package var sessionLifetime: Duration = .seconds(28_800)
    package var idleTimeout: Duration = .seconds(3600)
    /// Whether what identity providers send to the reserved path is shown (SAML-17).
    package var capturesRedirect = false

    static func read(_ field: Field) -> SingleSignOnSection? {
        var object = field.object("an object with \"sessionLifetime\", \"idleTimeout\" and \"captureRedirect\"")
        let section = SingleSignOnSection(
            sessionLifetime: object.duration("sessionLifetime", default: .seconds(28_800)),
            idleTimeout: object.duration("idleTimeout", default: .seconds(3600)),
            capturesRedirect: object.flag("captureRedirect", default: false))
        if section.capturesRedirect, field.findings.production {
            field.warning(
                "whoever looks over a user's shoulder sees what logs him in", expected: "\"captureRedirect\": false")
        }
        object.finish()
        return section
    }
}
