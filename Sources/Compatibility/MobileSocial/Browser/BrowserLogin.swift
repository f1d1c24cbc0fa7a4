import Authorization
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// Logins by browser at service domains (SCH-02): the way is that of `LoginFlow`, and the place a `DomainLogin`.
package final class BrowserLogin: FormTickets {
    package struct Form: Sendable {
        package var path: String
        /// Name of the service domain, `serviceDomain` in the query.
        package var domain: String

        package init(path: String, domain: String) {
            self.path = path
            self.domain = domain
        }

        /// No path has blanks.
        var name: String { "\(path) \(domain)" }
    }

    let social: MobileSocialService
    let flow: LoginFlow
    /// By name.
    private let forms: [String: Form]

    package var seals: BrowserSeals { flow.seals }
    /// Logins at identity providers; nil if there are none.
    var providers: ProviderLogin? { flow.providers }

    package init(
        social: MobileSocialService, tokens: TokenService, settings: LoginFlow.Settings, forms: [Form],
        providers: ProviderLogin? = nil
    ) {
        let forms = Dictionary(forms.map { ($0.name, $0) }) { first, _ in first }
        var settings = settings
        settings.visit = { [seals = settings.seals] place, request, browser in
            DomainLogin(social, at: forms[place], seals)?.visit(request, browser)
        }
        self.social = social
        self.forms = forms
        flow = LoginFlow(service: tokens, settings: settings, providers: providers)
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
            .form: { self.flow.arrive($0) },
            .application: { self.finish(application: $0.purpose.texts, $0.result, $0.browser) },
        ]
    }

    /// Shows or processes a form. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, now: Int64) -> Answer {
        guard let browser = BrowserRequest(request, now: now) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        let domain = browser.query.first("serviceDomain") ?? LoginDomainName.standard
        let name = Form(path: request.path, domain: domain).name
        let page = browser.query.first("target").flatMap { seals.page($0, now: now) } ?? RequestedPage(.root)
        guard let place = DomainLogin(social, at: forms[name], seals) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        var visit = place.visit(LoginRequest(page, at: name), browser)
        if request.method == .post {
            if let fields = browser.form, let token = fields.first("userToken") {
                return WebViewLogin(flow: flow, place: place, visit: visit).take(token, fields)
            }
            visit.chosen = visit.choices.first(where: \.isOwnForm)
        }
        return flow.showOrLogIn(visit)
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
            end(sessions[...], now: now).then { [self] ended, tokens in
                // If the store fails, the session goes on.
                guard ended.status == 200 else { return .done(Page.unavailable(ended.status, ended.reason)) }
                return providerLogout(session, tokens, now: now).map { [self] there in
                    var response = loggedOut(.domainSession, browser, there, back: back)
                    response.audit = ended.audit
                    return response
                }
            }
        }
    }

    /// Ends the sessions of a browser. The answer is that of the first, or of one that does not end.
    private func end(
        _ sessions: ArraySlice<Session>, now: Int64
    ) -> Effect<(EndpointResponse, tokens: ProvidedTokens?)> {
        guard let session = sessions.last else { return .done((BrowserLoginFailure.foreignForm.response, nil)) }
        let end = social.sessions.endSession(
            session.id, subject: session.subject, until: session.expiresAt, now: now)
        let ended: Effect<(EndpointResponse, tokens: ProvidedTokens?)> =
            if let providers, session.isProvided {
                providers.ending(session.foundations, at: session.provider, now: now, end) { $0.status == 200 }
            } else {
                end.map { ($0, nil) }
            }
        return ended.then { [self] answer in
            answer.0.status == 200 && sessions.count > 1 ? self.end(sessions.dropLast(), now: now) : .done(answer)
        }
    }

    /// What logs out at the provider; nil for a login without one.
    private func providerLogout(
        _ session: Session, _ tokens: ProvidedTokens?, now: Int64
    ) -> Effect<ProviderLogoutForm?> {
        guard let provider = providers?.provider(named: session.provider) else { return .done(nil) }
        let back = "\(social.settings.baseURL)\(MobileSocialEndpoints.logoutPath)"
        return provider.logout(ProviderLogoutRequest(back: back, tokens: tokens), now: now)
    }
}
