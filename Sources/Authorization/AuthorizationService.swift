import Endpoints
import HTTP
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
        let handlers: [EndpointDescriptor: EndpointHandler] = [
            .authorization: { AuthorizationEndpoint(flow: flow).answer($0, now: $1) },
            .pushedRequest: { AuthorizationEndpoint(flow: flow).push($0, now: $1) },
            .device: { DeviceVerification(flow: flow).answer($0, now: $1) },
            .endSession: { EndSessionEndpoint(flow: flow).answer($0, now: $1) },
            .login: { request, now in
                guard let browser = BrowserRequest(request, now: now) else {
                    return .done(SingleSignOnFailure.foreignRequest.response)
                }
                if let code = browser.query.first("code") { return HostLogin(flow: flow).redeem(code, browser) }
                return flow.showOrLogIn(browser)
            },
        ]
        return handlers.mapValues { handler in
            { request, now in elsewhere(request, now: now).map(Effect.done) ?? handler(request, now) }
        }
    }

    /// The answer to a browser that would log in under a host other than the gateway's own; nil where it may, and for one
    /// that has logged in there already.
    private func elsewhere(_ request: EndpointRequest, now: Int64) -> EndpointResponse? {
        guard let host = flow.providers?.host, LoginFlow.isNavigation(request),
            let browser = BrowserRequest(request, now: now), browser.query.first("code") == nil,
            flow.sealedSession(of: browser) == nil
        else { return nil }
        return host.answer(request)
    }

    /// Continuations for browsers that return from an identity provider.
    package var returns: [LoginPurpose.Kind: LoginReturn] { [.client: { flow.arrive($0) }] }
}
