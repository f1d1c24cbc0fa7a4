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
        _ purpose: String, _ browser: BrowserRequest, target: ReturnTarget = .root
    ) -> (String, [(name: String, value: String)]) {
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = LoginTicket(purpose: purpose, target: target, nonce: nonce)
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
    /// - Parameters:
    ///   - fields: of the request, which the form repeats.
    ///   - destination: where the browser continues then; nil for a page.
    ///   - end: continues with a confirmed logout, and the page where the browser came from.
    package func confirmLogout(
        _ browser: BrowserRequest, fields: [(String, String)] = [], to destination: RedirectDestination? = nil,
        _ end: (ReturnTarget) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let ask = { (status: Int, reason: Reason, notice: Page.Notice?) -> Effect<EndpointResponse> in
            let back = browser.previousPage
            let (ticket, cookie) = ticket(logoutPurpose, browser, target: back)
            var page = Page.logout(
                action: browser.request.path, ticket: ticket, notice: notice, fields: fields, back: back)
            // Browsers check the redirect that follows the form too.
            if let destination { page.formAction = "'self' \(destination.formAction)" }
            return .done(page.response(status: status, reason: reason, fields: cookie))
        }
        guard !browser.isReading else { return ask(200, .logoutForm, nil) }
        let form: LoginTicket
        do throws(BrowserLoginFailure) {
            form = try LoginTicket(
                browser.form?.first("ticket") ?? "", for: logoutPurpose, nonce: browser.nonce, seals.tickets,
                now: browser.now)
        } catch {
            return ask(error.status, error.reason, Page.Notice(error))
        }
        return end(form.target)
    }

    private var logoutPurpose: String { "logout" }

    /// The answer to a browser whose sessions have ended.
    ///
    /// - Parameters:
    ///   - session: the cookie of the ended sessions.
    ///   - there: what logs out at the provider. The page refreshes to it: redirects after a form post are limited to
    ///     `form-action`, and where the provider redirects its browsers is unknown. What is posted has a button, since no
    ///     script posts it.
    ///   - application: where the browser continues otherwise, by a redirect; nil for a page.
    ///   - back: the page that users log in for again.
    package func loggedOut(
        _ session: BrowserCookie, _ browser: BrowserRequest, _ there: ProviderLogoutForm? = nil,
        to application: String? = nil,
        back: ReturnTarget = .root
    ) -> EndpointResponse {
        let removals = [session, BrowserCookie.login].flatMap { allRemovals($0, browser) }
        guard let there else {
            if let application {
                let quiet = [(name: "Referrer-Policy", value: "no-referrer")]
                return .redirect(303, to: application, reason: .loggedOut, fields: quiet + removals)
            }
            return Page.message(.signedOut, .signedOutDetail, link: Page.Link(.signInAgain, to: back.text))
                .response(status: 200, reason: .loggedOut, fields: removals)
        }
        switch there {
        case .redirect(let url):
            let link = Page.Link(.signOutThere, to: url.description)
            return Page.message(.signedOut, .signedOutHere, link: link).response(
                status: 200, reason: .loggedOut, fields: removals + [(name: "Refresh", value: "0; url=\(url)")])
        case .post(let url, let fields):
            return Page.logoutThere(fields.map { ($0.name, $0.value) }, at: url)
                .response(status: 200, reason: .loggedOut, fields: removals)
        }
    }

    /// Fields that delete a cookie in the browser, all of its name. Browsers send no cookies with a form of another site;
    /// theirs must not be removed.
    private func allRemovals(_ cookie: BrowserCookie, _ browser: BrowserRequest) -> [(name: String, value: String)] {
        let request = browser.request
        let count = BrowserRequest.values(of: cookie, request).count
        if count == 0 { return [] }
        let host = (try? WebOrigin("http://\(request.authority)"))?.host ?? ""
        let others = count > 1 ? cookie.removals(path: request.path, host: host) : []
        return [removal(cookie, browser)] + others.map { (name: "Set-Cookie", value: $0) }
    }
}
