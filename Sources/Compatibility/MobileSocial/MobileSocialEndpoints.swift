import Model

/// Mobile & Social: token services, application profiles, logins by browser and the logout.
package enum MobileSocialEndpoints {
    /// Above services and application profiles.
    package static let path = "/oic_rest/rest/"
    /// The logout of Access Manager, which clients know.
    package static let logoutPath = "/oam/server/logout"

    static let applicationPath = "/oic_rest/relyingparty"

    package static let all: [EndpointDescriptor] = [.mobileSocial, .mobileLogout, .applicationLogin, .browserLogin]
}

extension EndpointDescriptor {
    /// Token services and application profiles.
    package static let mobileSocial = EndpointDescriptor(
        "mobile_social", at: MobileSocialEndpoints.path, "GET, POST", needs: .serviceDomains)
    /// Ends the session of a token; asks a browser that shows none.
    package static let mobileLogout = EndpointDescriptor(
        "mobile_logout", at: MobileSocialEndpoints.logoutPath, "GET, POST", needs: .serviceDomains,
        [.takesCredentials, .servesPagesWithoutToken])
    /// Applications send browsers here that log in at an identity provider.
    package static let applicationLogin = EndpointDescriptor(
        "application_login", at: MobileSocialEndpoints.applicationPath, "GET, HEAD", needs: .relyingParties)
    /// The login forms of authentication schemes.
    package static let browserLogin = EndpointDescriptor(
        "browser_login", at: \.formPaths, "GET, HEAD, POST", [.takesCredentials, .servesPages])
}
