/// The user profile service (UPS-01).
package struct UserProfileSection: Sendable {
    package var isEnabled = false

    static func read(_ field: Field) -> UserProfileSection? {
        var object = field.object("an object with \"enabled\"")
        let section = UserProfileSection(isEnabled: object.flag("enabled", default: false))
        object.finish()
        return section
    }
}
