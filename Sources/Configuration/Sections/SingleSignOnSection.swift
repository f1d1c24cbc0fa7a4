/// How long browsers stay signed on (SSO-08).
package struct SingleSignOnSection: Sendable {
    package var sessionLifetime: Duration = .seconds(28_800)
    package var idleTimeout: Duration = .seconds(3600)

    static func read(_ field: Field) -> SingleSignOnSection? {
        var object = field.object("an object with \"sessionLifetime\" and \"idleTimeout\"")
        let section = SingleSignOnSection(
            sessionLifetime: object.duration("sessionLifetime", default: .seconds(28_800)),
            idleTimeout: object.duration("idleTimeout", default: .seconds(3600)))
        object.finish()
        return section
    }
}
