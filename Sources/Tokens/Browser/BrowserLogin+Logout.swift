import Bytes
import HTTP
import Identity

/// The logout of browsers, at the address that Access Manager has it at.
extension BrowserLogin {
    /// Whether it is a browser that wants to log out, and no application that shows a token (OMS-17).
    func isLogout(_ request: EndpointRequest) -> Bool {
        guard request.authorization.isEmpty else { return false }
        return BrowserRequest.hasSession(request) || BrowserRequest.isForm(request)
            || request.field("accept")?.lowercased().contains("text/html") == true
    }

    /// By GET the question, since a link from elsewhere must log nobody out; by POST the logout.
    func logOut(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now) else {
            return .done(BrowserLoginFailure.foreignForm.page)
        }
        let session = browser.session.flatMap { try? seals.session(Array($0.utf8).span, now: now) }
        guard let session else { return .done(loggedOut(browser)) }
        guard !browser.isReading else { return .done(askWhether(browser, status: 200, reason: "logout_form")) }
        do throws(BrowserLoginFailure) {
            _ = try LoginTicket(
                browser.form?.first("ticket") ?? "", for: BrowserLogin.logoutPurpose, nonce: browser.nonce,
                seals.tickets, now: now)
        } catch {
            return .done(askWhether(browser, status: error.status, reason: error.reason, notice: Page.Notice(error)))
        }
        return social.endSession(session.id, subject: session.subject, now: now).map { [self] ended in
            // The session lives on where the store could not be told.
            guard ended.status == 200 else {
                return Page.message(PageText.error, PageText.unavailable, isError: true).response(
                    status: ended.status, reason: ended.reason, fields: [(name: "Retry-After", value: "1")])
            }
            var response = loggedOut(browser)
            response.audit = ended.audit
            return response
        }
    }

    private func askWhether(
        _ browser: BrowserRequest, status: Int, reason: StaticString, notice: Page.Notice? = nil
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(BrowserLogin.logoutPurpose, browser)
        return Page.logout(action: browser.request.path, ticket: ticket, notice: notice)
            .response(status: status, reason: reason, fields: cookie)
    }

    private func loggedOut(_ browser: BrowserRequest) -> EndpointResponse {
        Page.message(PageText.signedOut, PageText.signedOutDetail).response(
            status: 200, reason: "logged_out", fields: [removal(.session, browser), removal(.login, browser)])
    }
}
