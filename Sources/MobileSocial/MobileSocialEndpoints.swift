/// Mobile & Social: token services, application profiles and the logout.
package enum MobileSocialEndpoints {
    /// Above services and application profiles.
    package static let path = "/oic_rest/rest/"
    /// The logout of Access Manager, which clients know.
    package static let logoutPath = "/oam/server/logout"

    static let all: [EndpointDescriptor] = [.mobileSocial, .mobileLogout]
}

extension EndpointDescriptor {
    /// Token services and application profiles.
    package static let mobileSocial = EndpointDescriptor(
        "mobile_social", at: MobileSocialEndpoints.path, "GET, POST", needs: .serviceDomains)
    /// Ends the session of a token; asks a browser that shows none.
    package static let mobileLogout = EndpointDescriptor(
        "mobile_logout", at: MobileSocialEndpoints.logoutPath, "GET, POST", needs: .serviceDomains,
        [.takesCredentials, .servesPagesWithoutToken])
}
