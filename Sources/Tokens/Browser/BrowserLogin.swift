import Bytes
import Crypto
import HTTP
import Identity
import JOSE

/// Logins by browser (SCH-02): a form at the place that an authentication scheme names, the session that comes of it, and
/// the cookie that shows it. Passwords are checked, counted and held back as those of Mobile & Social are.
package final class BrowserLogin: Sendable {
    /// A form: where it is and what it logs in to.
    package struct Form: Sendable, Equatable {
        package var path: String
        /// Name of the service domain, as `serviceDomain` in the query has it.
        package var domain: String

        package init(path: String, domain: String) {
            self.path = path
            self.domain = domain
        }
    }

    /// How long a login lasts where the application's profile says nothing of it.
    static let standardSeconds: Int64 = 28_800
    /// What a request without `serviceDomain` means, as at the token services.
    package static let standardDomain = "Default"
    static let logoutPurpose = "logout"

    let social: MobileSocial
    let seals: BrowserSeals
    private let forms: [Form]

    package init(social: MobileSocial, seals: BrowserSeals, forms: [Form]) {
        self.social = social
        self.seals = seals
        self.forms = forms
    }

    typealias Answer = Effect<EndpointResponse>

    /// A login at a domain that has a form.
    struct Visit: Sendable {
        let browser: BrowserRequest
        let domain: ServiceDomain
        let application: MobileApplication
        /// Where the browser goes back to, and what is asked for there.
        var target = ReturnTarget.root
        var level = 0

        var loginPurpose: String { "login \(domain.name)" }
        func answerPurpose(_ pending: PendingLogin) -> String { "answer \(pending.id)" }
        var reference: String { domain.reference(application) }
    }

    /// Answers a request for a form, or one that was filled in. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now), var visit = visit(browser) else {
            return .done(BrowserLoginFailure.unknownService.page)
        }
        if let known = browser.query.first("target").flatMap({ seals.target($0, now: now) }) {
            (visit.target, visit.level) = known
        }
        if browser.isReading { return .done(show(visit)) }
        guard request.method == .post else { return .done(BrowserLoginFailure.methodNotAllowed.page) }
        return submit(visit)
    }

    private func visit(_ browser: BrowserRequest) -> Visit? {
        let name = browser.query.first("serviceDomain") ?? BrowserLogin.standardDomain
        let form = Form(path: browser.request.path, domain: name)
        guard forms.contains(where: { $0.path.isExactly(form.path) && $0.domain.isExactly(name) }),
            let domain = social.domain(named: name),
            let application = domain.browserApplication.flatMap(domain.application(named:))
        else { return nil }
        return Visit(browser: browser, domain: domain, application: application)
    }

    // MARK: The form

    /// The empty form, or why there is none.
    private func show(_ visit: Visit) -> EndpointResponse {
        // Without this end to it, the browser would be sent back and forth.
        guard visit.level <= visit.domain.highestLevel else { return BrowserLoginFailure.levelUnreachable.page }
        // Who is to show more of himself need not type his name again.
        let session = visit.browser.session.flatMap { try? seals.session(Array($0.utf8).span, now: visit.browser.now) }
        return form(visit, username: session?.subject ?? "", status: 200, reason: "login_form")
    }

    func form(
        _ visit: Visit, username: String = "", notice: Page.Notice? = nil, status: Int, reason: StaticString
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(visit.loginPurpose, visit)
        return Page.login(
            to: visit.application.displayName, action: action(visit), ticket: ticket, username: username, notice: notice
        ).response(status: status, reason: reason, fields: cookie)
    }

    /// A sealed ticket, and the field that gives the browser its half where it has none.
    func ticket(_ purpose: String, _ visit: Visit) -> (String, [(name: String, value: String)]) {
        ticket(purpose, visit.browser, target: visit.target, level: visit.level)
    }

    func ticket(
        _ purpose: String, _ browser: BrowserRequest, target: ReturnTarget = .root, level: Int = 0
    ) -> (String, [(name: String, value: String)]) {
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = LoginTicket(purpose: purpose, target: target, level: level, nonce: nonce)
            .sealed(seals.tickets, now: browser.now)
        if let held = browser.nonce, held.isExactly(nonce) { return (ticket, []) }
        return (ticket, [cookie(.login, nonce, browser)])
    }

    func cookie(
        _ cookie: BrowserCookie, _ value: String, _ browser: BrowserRequest
    ) -> (name: String, value: String) {
        (name: "Set-Cookie", value: cookie.setting(value, secure: browser.request.secure))
    }

    func removal(_ cookie: BrowserCookie, _ browser: BrowserRequest) -> (name: String, value: String) {
        (name: "Set-Cookie", value: cookie.removing(secure: browser.request.secure))
    }

    /// The form sends itself to where it is, with the target sealed anew.
    func action(_ visit: Visit) -> String {
        let target = seals.seal(visit.target, level: visit.level, now: visit.browser.now)
        let query = FormEncoding.form([("serviceDomain", visit.domain.name), ("target", target)])
        return "\(visit.browser.request.path)?\(String(decoding: query, as: UTF8.self))"
    }
}
