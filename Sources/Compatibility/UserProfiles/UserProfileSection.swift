import Configuration
import Declaration
import Model

/// The user profile service (UPS-01).
package struct UserProfileSection: SectionValue {
    package var isEnabled = false

    package init() {}

    package var features: EndpointFeatures { isEnabled ? .userProfiles : [] }

    /// `userProfile` of `gateway.json`.
    package static let declaration = SectionExtension.member(
        "userProfile", "The [user profile service](guides/user-profiles.md) below `/oic_rest/rest/userprofile/`.",
        expected: "an object with \"enabled\""
    ) { object in
        var section = UserProfileSection()
        object.read("enabled", .flag, into: &section.isEnabled, "Whether the service is on.")
        return section
    }
}
