import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound

/// Logins by browser (SCH-02): a form at the place that an authentication scheme names, the session that comes of it, and
/// the cookie that shows it. Passwords are checked, counted and held back as those of Mobile & Social are.
package final class BrowserLogin: FormTickets {
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

    let social: MobileSocialService
    package let seals: BrowserSeals
    private let forms: [Form]
    /// The logins at identity providers; nil where there are none.
    let providers: ProviderLogin?

    package init(social: MobileSocialService, seals: BrowserSeals, forms: [Form], providers: ProviderLogin? = nil) {
        self.social = social
        self.seals = seals
        self.forms = forms
        self.providers = providers
    }

    /// What its endpoints are answered by.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .browserLogin: { self.handle($0, now: $1) },
            .applicationLogin: { self.beginApplication($0, now: $1) },
        ]
    }

    /// How it goes on with browsers that come back from an identity provider.
    package var returns: [LoginErrand.Kind: LoginReturn] {
        [
            .form: { self.finish(form: $0.errand.texts, $0.result, $0.browser) },
            .application: { self.finish(application: $0.errand.texts, $0.result, $0.browser) },
        ]
    }

    typealias Answer = Effect<EndpointResponse>

    /// A login at a domain that has a form.
    struct Visit: Sendable {
        let browser: BrowserRequest
        let form: Form
        let domain: ServiceDomain
        let application: MobileApplication
        /// Where the browser goes back to, and what is asked for there.
        var target = ReturnTarget.root
        var level = 0
        /// The way that its user has chosen, of several, by its name in the configuration.
        var provider: String?

        var loginPurpose: String { "login \(domain.name)" }
        func answerPurpose(_ pending: PendingLogin) -> String { "answer \(pending.id)" }
        var reference: String { domain.reference(application) }
    }

    /// Answers a request for a form, or one that was filled in. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now), var visit = visit(browser) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        if let known = browser.query.first("target").flatMap({ seals.target($0, now: now) }) {
            (visit.target, visit.level) = known
        }
        let ways = choices(visit)
        let chosen = ways.chosen(browser.query.first("provider"))
        visit.provider = ways.count > 1 ? chosen?.name : nil
        if browser.isReading { return show(visit, chosen, of: ways) }
        // Where providers ask for the password nobody else does.
        guard request.method == .post, visit.domain.takesPasswords else {
            return .done(
                BrowserLoginFailure.page(
                    allow: visit.domain.takesPasswords ? "GET, HEAD, POST" : "GET, HEAD"))
        }
        if ways.count > 1 { visit.provider = ways.first(where: \.isOwnForm)?.name }
        return submit(visit)
    }

    private func visit(_ browser: BrowserRequest) -> Visit? {
        visit(
            Form(
                path: browser.request.path,
                domain: browser.query.first("serviceDomain") ?? BrowserLoginEndpoints.standardDomain), browser)
    }

    /// Nil where there is no such form.
    func visit(_ form: Form, _ browser: BrowserRequest) -> Visit? {
        let name = form.domain
        guard forms.contains(where: { $0.path.isExactly(form.path) && $0.domain.isExactly(name) }),
            let domain = social.domain(named: name),
            let application = domain.browserApplication.flatMap(domain.application(named:))
        else { return nil }
        return Visit(browser: browser, form: form, domain: domain, application: application)
    }

    // MARK: The form

    /// The empty form, or what there is in its place.
    private func show(_ visit: Visit, _ chosen: LoginChoice?, of ways: [LoginChoice]) -> Answer {
        // Without this end to it, the browser would be sent back and forth.
        guard visit.level <= visit.domain.highestLevel else {
            return .done(BrowserLoginFailure.levelUnreachable.response)
        }
        guard let chosen else { return .done(choice(ways, visit)) }
        if !chosen.isOwnForm { return begin(visit, at: chosen.provider) }
        // Who is to show more of himself need not type his name again.
        let session = visit.browser.session.flatMap { try? seals.session(Array($0.utf8).span, now: visit.browser.now) }
        return .done(form(visit, username: session?.subject ?? "", status: 200, reason: .loginForm))
    }

    func form(
        _ visit: Visit, username: String = "", notice: Page.Notice? = nil, status: Int, reason: Reason
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(visit.loginPurpose, visit)
        return Page.login(
            to: visit.application.displayName, action: action(visit), ticket: ticket, username: username,
            notice: notice,
            link: otherWays(visit)
        ).response(status: status, reason: reason, fields: cookie)
    }

    /// A sealed ticket, and the field that gives the browser its half where it has none.
    func ticket(_ purpose: String, _ visit: Visit) -> (String, [(name: String, value: String)]) {
        ticket(purpose, visit.browser, target: visit.target, level: visit.level)
    }

    /// The form sends itself to where it is, with the target sealed anew.
    func action(_ visit: Visit) -> String { action(visit, by: visit.provider) }

    /// - Parameter provider: the way to take, of several; nil where it is to be chosen.
    func action(_ visit: Visit, by provider: String?) -> String {
        let target = seals.seal(visit.target, level: visit.level, now: visit.browser.now)
        let way = provider.map { [("provider", $0)] } ?? []
        let query = FormEncoding.form([("serviceDomain", visit.domain.name), ("target", target)] + way)
        return "\(visit.form.path)?\(String(decoding: query, as: UTF8.self))"
    }
}
