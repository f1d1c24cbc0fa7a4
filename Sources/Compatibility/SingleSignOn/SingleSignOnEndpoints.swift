import Identity
import LoginPages
import Model

/// Single sign-on: browsers get tokens, and SAML assertions are exchanged.
package enum SingleSignOnEndpoints {
    package static let logoutPath = "/mobile/platform/sso/logout"

    package static let all: [EndpointDescriptor] = [.singleSignOn, .singleSignOnRedirect, .singleSignOnLogout]
}

extension EndpointDescriptor {
    /// Exchanges a bearer token, and gives browsers their tokens.
    package static let singleSignOn = EndpointDescriptor(
        "single_sign_on", at: ExchangePaths.browsers, "GET", needs: [.tokenService, .mobileCloud],
        [.takesCredentials, .servesPagesWithoutToken])
    /// Shows answers of identity providers in a trial.
    package static let singleSignOnRedirect = EndpointDescriptor(
        "single_sign_on_redirect", at: { _ in ExchangePaths.redirects }, "GET, POST",
        needs: [.tokenService, .mobileCloud], [.takesCredentials, .takesForeignForms], cost: .document,
        largestBody: ProviderEndpoints.longestForm)
    /// The logout.
    package static let singleSignOnLogout = EndpointDescriptor(
        "single_sign_on_logout", at: SingleSignOnEndpoints.logoutPath, "GET, HEAD, POST",
        needs: [.tokenService, .mobileCloud],
        [.takesCredentials, .servesPages])
}
