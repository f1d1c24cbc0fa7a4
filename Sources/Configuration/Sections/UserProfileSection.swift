/// The user profile service (UPS-01).
package struct UserProfileSection: Sendable {
    package var isEnabled: Bool

    static func read(_ object: inout ObjectReader) -> UserProfileSection {
        UserProfileSection(isEnabled: object.flag("enabled", default: false, "Whether the service is on."))
    }
}
