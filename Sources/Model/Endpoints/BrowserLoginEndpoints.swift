/// Logins by browser.
package enum BrowserLoginEndpoints {
    package static let applicationPath = "/oic_rest/relyingparty"
    /// The service domain of a request that names none, here and at the token services.
    package static let standardDomain = "Default"

    static let all: [EndpointDescriptor] = [.applicationLogin, .browserLogin]
}

extension EndpointDescriptor {
    /// Applications send browsers here that log in at an identity provider.
    package static let applicationLogin = EndpointDescriptor(
        "application_login", at: BrowserLoginEndpoints.applicationPath, "GET, HEAD", needs: .relyingParties)
    /// The login forms of authentication schemes.
    package static let browserLogin = EndpointDescriptor(
        "browser_login", at: \.formPaths, "GET, HEAD, POST", [.takesCredentials, .servesPages])
}
