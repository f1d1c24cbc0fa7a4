import Endpoints
import LoginPages
import Model
import OAuthServer
import Outbound

/// Browsers log in for clients of the token service: the authorization endpoint, devices, the login form and the logout.
package struct AuthorizationService: Sendable {
    package let flow: LoginFlow

    package init(flow: LoginFlow) { self.flow = flow }

    /// Handlers of its endpoints.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .authorization: { AuthorizationEndpoint(flow: flow).answer($0, now: $1) },
            .pushedRequest: { AuthorizationEndpoint(flow: flow).push($0, now: $1) },
            .device: { DeviceVerification(flow: flow).answer($0, now: $1) },
            .endSession: { EndSessionEndpoint(flow: flow).answer($0, now: $1) },
            .login: { request, now in
                guard let browser = BrowserRequest(request, now: now) else {
                    return .done(SingleSignOnFailure.foreignRequest.response)
                }
                return flow.showOrLogIn(browser)
            },
        ]
    }

    /// Continuations for browsers that return from an identity provider.
    package var returns: [LoginPurpose.Kind: LoginReturn] { [.client: { flow.arrive($0) }] }
}
