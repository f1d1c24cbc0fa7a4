import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Common part of pages with forms: each form has a ticket, bound to the browser by a cookie.
package protocol FormTickets: Sendable {
    var seals: BrowserSeals { get }
}

extension FormTickets {
    /// A sealed ticket, and the `Set-Cookie` field for a browser without the matching cookie.
    package func ticket(
        _ purpose: String, _ browser: BrowserRequest, target: ReturnTarget = .root, level: Int = 0
    ) -> (String, [(name: String, value: String)]) {
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = LoginTicket(purpose: purpose, target: target, level: level, nonce: nonce)
            .sealed(seals.tickets, now: browser.now)
        if let held = browser.nonce, held.isExactly(nonce) { return (ticket, []) }
        return (ticket, [cookie(.login, nonce, browser)])
    }

    package func cookie(
        _ cookie: BrowserCookie, _ value: String, _ browser: BrowserRequest
    ) -> (name: String, value: String) {
        (name: "Set-Cookie", value: cookie.setting(value, secure: browser.request.secure))
    }

    package func removal(_ cookie: BrowserCookie, _ browser: BrowserRequest) -> (name: String, value: String) {
        (name: "Set-Cookie", value: cookie.removing(secure: browser.request.secure))
    }

    // MARK: Logout

    /// GET asks for confirmation, because a link from another site must not log the user out; POST logs out.
    ///
    /// - Parameter end: continues with a confirmed logout.
    package func confirmLogout(
        _ browser: BrowserRequest, _ end: () -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard !browser.isReading else { return .done(askWhether(browser, status: 200, reason: .logoutForm)) }
        do throws(BrowserLoginFailure) {
            _ = try LoginTicket(
                browser.form?.first("ticket") ?? "", for: logoutPurpose, nonce: browser.nonce, seals.tickets,
                now: browser.now)
        } catch {
            return .done(askWhether(browser, status: error.status, reason: error.reason, notice: Page.Notice(error)))
        }
        return end()
    }

    private var logoutPurpose: String { "logout" }

    private func askWhether(
        _ browser: BrowserRequest, status: Int, reason: Reason, notice: Page.Notice? = nil
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(logoutPurpose, browser)
        return Page.logout(action: browser.request.path, ticket: ticket, notice: notice)
            .response(status: status, reason: reason, fields: cookie)
    }

    /// - Parameters:
    ///   - session: the cookie of the ended session.
    ///   - there: where the browser continues. The page refreshes to it: redirects after a form post are limited to
    ///     `form-action`, and where the provider redirects its browsers is unknown.
    package func loggedOut(
        _ session: BrowserCookie, _ browser: BrowserRequest, _ there: WebURL? = nil
    ) -> EndpointResponse {
        // Browsers send no cookies with a form of another site; theirs must not be removed.
        let held = [session, BrowserCookie.login].filter { BrowserRequest.cookie($0, browser.request) != nil }
        let removals = held.map { removal($0, browser) }
        guard let there else {
            return Page.message(PageText.signedOut, PageText.signedOutDetail).response(
                status: 200, reason: .loggedOut, fields: removals)
        }
        let link = Page.Link(text: PageText.signOutThere, target: there.description)
        return Page.message(PageText.signedOut, PageText.signedOutHere, link: link).response(
            status: 200, reason: .loggedOut,
            fields: removals + [(name: "Refresh", value: "0; url=\(there.description)")])
    }
}
