import Model

/// The user profile service of Mobile & Social.
package enum UserProfileEndpoints {
    /// Above people and groups.
    package static let profilesPath = "/oic_rest/rest/userprofile/"
    /// The header field with a user token of Mobile & Social.
    package static let userTokenField = "X-Idaas-Rest-Subject-Value"

    package static let all: [EndpointDescriptor] = [.userProfile]
}

extension EndpointDescriptor {
    /// User profiles and groups.
    package static let userProfile = EndpointDescriptor(
        "user_profile", at: UserProfileEndpoints.profilesPath, "GET, HEAD, POST, PUT, PATCH, DELETE",
        needs: .userProfiles,
        [.takesCredentials, .needsPrincipal], tokenField: UserProfileEndpoints.userTokenField)
}
