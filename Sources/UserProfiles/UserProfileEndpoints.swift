/// Users: the caller, and the user profile service of Mobile & Social.
package enum UserEndpoints {
    package static let whoAmIPath = "/mobile/platform/users/~"
    /// Above people and groups.
    package static let profilesPath = "/oic_rest/rest/userprofile/"
    /// The header field with a user token of Mobile & Social.
    package static let userTokenField = "X-Idaas-Rest-Subject-Value"

    static let all: [EndpointDescriptor] = [.whoAmI, .userProfile]
}

extension EndpointDescriptor {
    /// The caller of any credential.
    package static let whoAmI = EndpointDescriptor(
        "who_am_i", at: UserEndpoints.whoAmIPath, "GET, HEAD", needs: .mobileCloud, .needsPrincipal, cost: .document)
    /// User profiles and groups.
    package static let userProfile = EndpointDescriptor(
        "user_profile", at: UserEndpoints.profilesPath, "GET, HEAD, POST, PUT, PATCH, DELETE", needs: .userProfiles,
        [.takesCredentials, .needsPrincipal, .takesUserTokens])
}
