import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound

/// The logout of browsers, at the address that Access Manager has it at.
extension BrowserLogin {
    /// Whether it is a browser that wants to log out, and no application that shows a token (OMS-17).
    func isLogout(_ request: EndpointRequest) -> Bool {
        guard request.authorization.isEmpty else { return false }
        return BrowserRequest.hasSession(request) || BrowserRequest.isForm(request)
            || request.field("accept").map(AcceptField.namesHTML) == true
    }

    /// By GET the question, since a link from elsewhere must log nobody out; by POST the logout.
    func logOut(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now) else {
            return .done(BrowserLoginFailure.foreignForm.response)
        }
        let session = browser.session.flatMap { try? seals.session(Array($0.utf8).span, now: now) }
        guard let session else { return .done(loggedOut(.session, browser)) }
        return confirmLogout(browser) {
            social.endSession(
                session.id, subject: session.subject, until: session.expiresAt, now: now
            ).then { [self] ended in
                // The session lives on where the store could not be told.
                guard ended.status == 200 else { return .done(Page.unavailable(ended.status, ended.reason)) }
                return placeOfLogin(session, now: now).map { [self] there in
                    var response = loggedOut(.session, browser, there)
                    response.audit = ended.audit
                    return response
                }
            }
        }
    }

    /// Where the provider ends its own session, for a login at one (OpenID Connect RP-Initiated Logout); nil for others.
    private func placeOfLogin(_ session: BrowserSession, now: Int64) -> Effect<WebURL?> {
        guard let providers, let provider = session.provision.flatMap({ providers.provider(named: $0.provider) }) else {
            return .done(nil)
        }
        return provider.logoutURL(back: "\(social.settings.baseURL)\(MobileSocialEndpoints.logoutPath)", now: now)
    }
}
