import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound

/// Logins by browser (SCH-02): the form of an authentication scheme, its session and the session cookie. Passwords are
/// verified, counted and throttled like those of Mobile & Social.
package final class BrowserLogin: FormTickets {
    package struct Form: Sendable, Equatable {
        package var path: String
        /// Name of the service domain, `serviceDomain` in the query.
        package var domain: String

        package init(path: String, domain: String) {
            self.path = path
            self.domain = domain
        }
    }

    /// Duration of a session if the application's profile has none.
    static let standardSeconds: Int64 = 28_800

    let social: MobileSocialService
    package let seals: BrowserSeals
    private let forms: [Form]
    /// Logins at identity providers; nil if there are none.
    let providers: ProviderLogin?

    package init(social: MobileSocialService, seals: BrowserSeals, forms: [Form], providers: ProviderLogin? = nil) {
        self.social = social
        self.seals = seals
        self.forms = forms
        self.providers = providers
    }

    /// Handlers of its endpoints.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .browserLogin: { self.handle($0, now: $1) },
            .applicationLogin: { self.beginApplication($0, now: $1) },
        ]
    }

    /// Continuations for browsers that return from an identity provider.
    package var returns: [LoginPurpose.Kind: LoginReturn] {
        [
            .form: { self.finish(form: $0.purpose.texts, $0.result, $0.browser) },
            .application: { self.finish(application: $0.purpose.texts, $0.result, $0.browser) },
        ]
    }

    /// A request of a browser for a login.
    struct Visit: Sendable {
        let browser: BrowserRequest
        let form: Form
        let domain: ServiceDomain
        let application: MobileApplication
        /// What the browser goes back to.
        var page = RequestedPage(.root)
        /// Name of the chosen login method, if there are several.
        var provider: String?

        var loginPurpose: String { "login \(domain.name)" }
        func answerPurpose(_ pending: PendingLogin) -> String { "answer \(pending.id)" }
        var reference: String { domain.reference(application) }
    }

    /// Shows or processes a form. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now), var visit = visit(browser) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        if let known = browser.query.first("target").flatMap({ seals.page($0, now: now) }) { visit.page = known }
        let methods = choices(visit)
        let chosen = methods.chosen(browser.query.first("provider"))
        visit.provider = methods.count > 1 ? chosen?.name : nil
        if browser.isReading { return show(visit, chosen, of: methods) }
        if request.method == .post, let fields = browser.form, let token = fields.first("userToken") {
            return WebViewLogin(login: self, visit: visit).take(token, fields)
        }
        guard request.method == .post, visit.domain.acceptsPasswords else {
            let allowed = visit.domain.acceptsPasswords ? "GET, HEAD, POST" : "GET, HEAD"
            return .done(BrowserLoginFailure.page(allow: allowed))
        }
        if methods.count > 1 { visit.provider = methods.first(where: \.isOwnForm)?.name }
        return submit(visit)
    }

    private func visit(_ browser: BrowserRequest) -> Visit? {
        visit(
            Form(
                path: browser.request.path,
                domain: browser.query.first("serviceDomain") ?? BrowserLoginEndpoints.standardDomain), browser)
    }

    /// Nil if there is no such form.
    func visit(_ form: Form, _ browser: BrowserRequest) -> Visit? {
        let name = form.domain
        guard forms.contains(where: { $0.path.isExactly(form.path) && $0.domain.isExactly(name) }),
            let domain = social.settings.domain(named: name),
            let application = domain.browserApplication.flatMap(domain.application(named:))
        else { return nil }
        return Visit(browser: browser, form: form, domain: domain, application: application)
    }

    // MARK: The form

    /// The empty form, the page to choose a method, or the redirect to the provider.
    private func show(_ visit: Visit, _ chosen: LoginChoice?, of methods: [LoginChoice]) -> Answer {
        // Otherwise the browser would be redirected in a loop.
        guard visit.page.level <= visit.domain.highestLevel else {
            return .done(BrowserLoginFailure.levelUnreachable.response)
        }
        guard let chosen else { return .done(choice(methods, visit)) }
        if !chosen.isOwnForm { return begin(visit, at: chosen.provider) }
        // For a step-up, the user name is filled in.
        return .done(
            form(visit, username: session(of: visit.browser)?.subject ?? "", status: 200, reason: .loginForm))
    }

    func form(
        _ visit: Visit, username: String = "", notice: Page.Notice? = nil, status: Int, reason: Reason
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(visit.loginPurpose, visit)
        return Page.login(
            to: visit.application.displayName, action: action(visit), ticket: ticket, username: username,
            notice: notice, link: otherMethods(visit)
        ).response(status: status, reason: reason, fields: cookie)
    }

    /// A sealed ticket, and the field that sets its cookie if the browser has none.
    func ticket(_ purpose: String, _ visit: Visit) -> (String, [(name: String, value: String)]) {
        ticket(purpose, visit.browser, target: visit.page.target, level: visit.page.level)
    }

    /// The session at a service domain that the browser has.
    func session(of browser: BrowserRequest) -> Session? {
        browser.session(seals, ofDomain: true)
    }

    /// The address of the form, with the page sealed again.
    func action(_ visit: Visit) -> String { action(visit, by: visit.provider) }

    /// - Parameter provider: name of the chosen login method; nil to choose one.
    func action(_ visit: Visit, by provider: String?) -> String {
        let page = seals.seal(visit.page, now: visit.browser.now)
        let way = provider.map { [("provider", $0)] } ?? []
        let query = FormEncoding.form([("serviceDomain", visit.domain.name), ("target", page)] + way)
        return "\(visit.form.path)?\(String(decoding: query, as: UTF8.self))"
    }
}

/// Service domains with several login methods.
extension BrowserLogin {
    /// The methods of the domain that reach the required level (CHAL-06).
    func choices(_ visit: Visit) -> [LoginChoice] {
        let domain = visit.domain
        guard !domain.loginMethods.isEmpty else { return [LoginChoice(LoginChoice.ownForm)] }
        return domain.loginMethods.compactMap { method -> LoginChoice? in
            switch method {
            case .form(let name, let title): return LoginChoice(LoginChoice.ownForm, name: name, title: title)
            case .provider(let party):
                return visit.page.level <= domain.level ? LoginChoice(party.provider, title: party.title) : nil
            }
        }
    }

    /// The page to choose a method. Each link carries the sealed target.
    func choice(_ choices: [LoginChoice], _ visit: Visit) -> EndpointResponse {
        Page.choice(
            to: visit.application.displayName, of: choices.map { ($0.words, action(visit, by: $0.name)) }
        ).response(status: 200, reason: .loginChoice)
    }

    /// A link to the other methods; nil if there are none.
    func otherMethods(_ visit: Visit) -> Page.Link? {
        choices(visit).count > 1 ? Page.Link(.otherWays, to: action(visit, by: nil)) : nil
    }

    /// The page to choose a provider for an application, which asks for passwords itself.
    func choice(
        _ parties: [ServiceDomain.RelyingParty], _ application: MobileApplication, _ query: FormFields
    ) -> EndpointResponse {
        let names = ["serviceDomain", "appName", "redirect_uri", "state", "code_challenge", "code_challenge_method"]
        let fields = names.compactMap { name in query.first(name).map { (name, $0) } }
        let choices = parties.map { party in
            let form = FormEncoding.form(fields + [("provider", party.provider)])
            return (
                words: LoginChoice(party.provider, title: party.title).words,
                target: "\(BrowserLoginEndpoints.applicationPath)?\(String(decoding: form, as: UTF8.self))"
            )
        }
        return Page.choice(to: application.displayName, of: choices).response(status: 200, reason: .loginChoice)
    }
}

/// The logout of browsers, at the address of Access Manager.
extension BrowserLogin {
    /// Whether the client is a browser, as opposed to an application with a token (OMS-17).
    func isLogout(_ request: EndpointRequest) -> Bool {
        guard request.authorization.isEmpty else { return false }
        return BrowserRequest.hasDomainSession(request) || BrowserRequest.isForm(request)
            || request.field("accept").map(AcceptField.namesHTML) == true
    }

    /// GET asks for confirmation, since a link of another site must not log users out; POST logs out.
    func logOut(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now) else {
            return .done(BrowserLoginFailure.foreignForm.response)
        }
        let sessions = browser.sessions(seals, ofDomain: true)
        guard let session = sessions.first else { return .done(loggedOut(.domainSession, browser)) }
        return confirmLogout(browser) { back in
            end(sessions[...], now: now).then { [self] ended in
                // If the store fails, the session goes on.
                guard ended.status == 200 else { return .done(Page.unavailable(ended.status, ended.reason)) }
                return providerLogout(session, now: now).map { [self] there in
                    var response = loggedOut(.domainSession, browser, there, back: back)
                    response.audit = ended.audit
                    return response
                }
            }
        }
    }

    /// Ends the sessions of a browser. The answer is that of the first, or of one that does not end.
    private func end(_ sessions: ArraySlice<Session>, now: Int64) -> Answer {
        guard let session = sessions.last else { return .done(BrowserLoginFailure.foreignForm.response) }
        var ended = social.sessions.endSession(
            session.id, subject: session.subject, until: session.expiresAt, now: now)
        if let providers, session.isProvided {
            ended = providers.ending(session.foundations, at: session.provider, now: now, ended) { $0.status == 200 }
        }
        return ended.then { [self] answer in
            answer.status == 200 && sessions.count > 1 ? end(sessions.dropLast(), now: now) : .done(answer)
        }
    }

    /// The provider's logout URL (OpenID Connect RP-Initiated Logout); nil for a login without a provider.
    private func providerLogout(_ session: Session, now: Int64) -> Effect<WebURL?> {
        guard let provider = providers?.provider(named: session.provider) else { return .done(nil) }
        return provider.logoutURL(back: "\(social.settings.baseURL)\(MobileSocialEndpoints.logoutPath)", now: now)
    }
}
