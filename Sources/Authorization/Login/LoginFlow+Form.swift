import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The forms of a login: the choice of a way, name and password (SSO-07), and further steps.
extension LoginFlow {
    /// Longest accepted name, password and answer in bytes.
    private static let longestText = 1024

    /// Sends the browser to the form or to the provider.
    package func beginLogin(_ visit: Visit) -> Answer {
        if let chosen = visit.chosen, !chosen.isOwnForm { return beginAtProvider(chosen.provider, visit) }
        return .done(.redirect(302, to: action(visit), reason: .ssoLoginAsked))
    }

    /// Shows or processes the form for a request that another page has sealed.
    func showOrLogIn(_ browser: BrowserRequest) -> Answer {
        do throws(SingleSignOnFailure) {
            guard let request = request(of: browser) else { throw .foreignRequest }
            return showOrLogIn(try visit(request, browser)).map { $0.preferring(request.languages) }
        } catch {
            return .done(error.response)
        }
    }

    /// What the browser logs in for: as a route has sent it here, or as this page has sealed it.
    private func request(of browser: BrowserRequest) -> LoginRequest? {
        if let target = browser.query.first("target") {
            return seals.page(target, now: browser.now).map { LoginRequest($0) }
        }
        return LoginRequest(sealed: browser.query.first("request") ?? "", seals.loginRequests, now: browser.now)
    }

    /// Shows or processes the form.
    package func showOrLogIn(_ visit: Visit) -> Answer {
        let browser = visit.browser
        // Otherwise the browser would be redirected in a loop.
        if let page = visit.request.page, page.level > visit.place.highestLevel {
            return .done(BrowserLoginFailure.levelUnreachable.response)
        }
        // A session here serves the hosts of all applications.
        guard browser.isReading, visit.request.page?.host != nil else { return choose(visit) }
        return goOn(visit) { choose(visit) }
    }

    private func choose(_ visit: Visit) -> Answer {
        let browser = visit.browser
        guard let chosen = visit.chosen else {
            return .done(browser.isReading ? choice(visit) : BrowserLoginFailure.page(allow: "GET, HEAD"))
        }
        if !chosen.isOwnForm {
            // The configuration has changed: the client has one other provider now.
            guard visit.choices.count > 1 || visit.client == nil else {
                return .done(SingleSignOnFailure.foreignRequest.response)
            }
            guard browser.isReading else { return .done(BrowserLoginFailure.page(allow: "GET, HEAD")) }
            guard LoginFlow.isNavigation(browser.request) else {
                return .done(SingleSignOnFailure.notNavigated.response)
            }
            return beginAtProvider(chosen.provider, visit)
        }
        if browser.isReading { return .done(form(visit, status: 200, reason: .loginForm)) }
        guard browser.request.method == .post else { return .done(BrowserLoginFailure.methodNotAllowed.response) }
        return submit(visit)
    }

    /// Path and query of the login.
    /// - Parameter choice: the chosen way; nil for the page to choose one.
    func address(_ visit: Visit, by choice: LoginChoice?) -> String {
        let (path, query) = visit.place.address(of: visit.request, now: visit.now)
        let way = choice.map { [("provider", $0.name)] } ?? []
        let fields = query + way + (visit.isForced ? [("prompt", "login")] : [])
        return "\(path)?\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }

    /// The page to choose a way. Each link carries the sealed request.
    private func choice(_ visit: Visit) -> EndpointResponse {
        Page.choice(
            to: visit.title, of: visit.choices.map { ($0.words, address(visit, by: $0)) }
        ).response(status: 200, reason: .loginChoice)
    }

    /// The address that the form is posted to.
    private func action(_ visit: Visit) -> String { address(visit, by: visit.choices.count > 1 ? visit.chosen : nil) }

    private func form(
        _ visit: Visit, username: String = "", notice: Page.Notice? = nil, status: Int, reason: Reason
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(visit.place.name, visit.browser)
        let known = username.isEmpty && notice == nil ? visit.place.knownName(visit) : username
        var page = Page.login(
            to: visit.title, action: action(visit), ticket: ticket, username: known, notice: notice,
            link: visit.choices.count > 1 ? Page.Link(.otherWays, to: address(visit, by: nil)) : nil)
        // Browsers check the redirects that follow a form too, and with a consent the last one leads to the client.
        if let destination = visit.destination { page.formAction = "'self' \(destination.formAction)" }
        return page.response(status: status, reason: reason, fields: cookie)
    }

    private func submit(_ visit: Visit) -> Answer {
        let browser = visit.browser
        do throws(BrowserLoginFailure) {
            guard let fields = browser.form else { throw .foreignForm }
            var step: FurtherStep?
            if let challenge = fields.first("challenge") { step = try visit.place.further(challenge, visit) }
            _ = try LoginTicket(
                fields.first("ticket") ?? "", for: step?.name ?? visit.place.name,
                nonce: browser.nonce, seals.tickets, now: browser.now)
            guard let step else { return logIn(LoginForm(fields), visit) }
            let answer = fields.first("answer") ?? ""
            guard answer.utf8.count <= LoginFlow.longestText else { throw .foreignForm }
            return step.check(answer).then { proceed($0, visit, of: step.username) }
        } catch {
            // Another tab may have logged in meanwhile.
            return goOn(visit, at: LoginChoice.ownForm) {
                .done(form(visit, notice: Page.Notice(error), status: error.status, reason: error.reason))
            }
        }
    }

    private func logIn(_ form: LoginForm, _ visit: Visit) -> Answer {
        let (longest, username) = (1...LoginFlow.longestText, form.username)
        guard longest.contains(username.utf8.count), longest.contains(form.password.utf8.count) else {
            let refusal = EndpointResponse(status: 401, headers: [], body: [], reason: visit.place.wrongPassword)
            return .done(
                refuse(visit, .wrongPassword, like: refusal, of: longest.contains(username.utf8.count) ? username : ""))
        }
        let login = PresentedLogin(username: username, password: form.password)
        return visit.place.verify(login, in: visit) { proceed($0, visit, of: username) }
    }

    private func proceed(_ step: LoginStep, _ visit: Visit, of username: String) -> Answer {
        switch step {
        case .proven(let login): open(login, visit)
        case .further(let step, let reason): .done(ask(step, after: reason, visit))
        case .refused(let notice, let refusal): .done(refuse(visit, notice, like: refusal, of: username))
        }
    }

    private func ask(_ step: FurtherStep, after refusal: Reason?, _ visit: Visit) -> EndpointResponse {
        let (ticket, cookie) = ticket(step.name, visit.browser)
        let page = Page.answer(
            to: step.question, of: step.username, action: action(visit), ticket: ticket, challenge: step.challenge,
            notice: refusal == nil ? nil : .wrongAnswer)
        guard let refusal else { return page.response(status: 200, reason: .secondStepAsked, fields: cookie) }
        return page.response(status: 401, reason: refusal, fields: cookie)
            .audited(.refused, visit, of: step.username)
    }

    private func refuse(
        _ visit: Visit, _ notice: Page.Notice, like refusal: EndpointResponse, of username: String
    ) -> EndpointResponse {
        var response = form(
            visit, username: username, notice: notice, status: refusal.status, reason: refusal.reason)
        response.headers += refusal.headers.filter { $0.name == "Retry-After" }
        return response.audited(.refused, visit, of: username)
    }

    // MARK: The session

    /// Stores the session, ends the browser's earlier one, and redirects the browser to its request.
    package func open(_ login: ProvenLogin, _ visit: Visit) -> Answer {
        let session = login.session
        if let obstacle = obstacle(to: session, visit) {
            return .done(obstacle.audited(.refused, visit, of: session.subject))
        }
        return visit.place.store(login, visit).then { failure in
            if let failure { return .done(failure.audited(.refused, visit, of: session.subject)) }
            // The browser's half of forms stays, for logins in its other tabs.
            let fields = [cookie(seals.cookie(of: session), seals.seal(session), visit.browser)]
            return HostLogin(flow: self).destination(of: session, visit).map { place in
                guard let place else { return SingleSignOnFailure.unavailable.response }
                return .redirect(303, to: place, reason: .browserLoggedIn, fields: fields)
                    .audited(.granted, visit, of: session.subject, id: session.id)
            }
        }
    }

    /// The page for a session that cannot be opened; nil where it can. The earlier one stays.
    package func obstacle(to session: Session, _ visit: Visit) -> EndpointResponse? {
        guard seals.cookie(of: session).holds(seals.seal(session)) else {
            let failure = BrowserLoginFailure.oversizedSession
            return otherAccount(failure.text, status: failure.status, reason: failure.reason, visit)
        }
        if let refusal = visit.place.refusal(of: session, visit) { return refusal }
        guard let gap = visit.request.page?.demand?.gap(of: session.authentication, now: visit.now) else { return nil }
        let failure: BrowserLoginFailure = gap == .level ? .tooWeak : .tooOld
        let link = Page.Link(.tryAgain, to: location(of: visit) + "&prompt=login")
        return Page.failure(failure.text, link: link).response(status: failure.status, reason: failure.reason)
    }
}

/// Logouts of the gateway's own sessions.
extension LoginFlow {
    /// Asks for confirmation, then ends the session and the tokens issued in it.
    package func logOut(_ browser: BrowserRequest) -> Answer {
        let sessions = browser.sessions(seals)
        guard !sessions.isEmpty else {
            // The provider sends the browser back, which an application wanted to log out.
            let application = browser.query.first("state").flatMap { afterProvider($0, now: browser.now) }
            return .done(loggedOut(seals.sessionCookie, browser, to: application))
        }
        return confirmLogout(browser) { end(sessions, browser, to: nil, back: $0) }
    }

    /// Ends the sessions of a browser with the tokens issued in them, and the login at the provider of one. There is more
    /// than one if another host of the domain has set a cookie.
    ///
    /// - Parameters:
    ///   - application: where the browser continues then; nil for a page.
    ///   - back: the page that users log in for again.
    func end(
        _ sessions: [Session], _ browser: BrowserRequest, to application: String?, back: ReturnTarget = .root
    ) -> Answer {
        end(sessions[...], browser).then { hasEnded, tokens in
            guard hasEnded, let session = sessions.first else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            return providerLogout(session, tokens, to: application, now: browser.now).map { there in
                loggedOut(seals.sessionCookie, browser, there, to: application, back: back)
                    .audited("sso.logout", .changed, subject: session.subject, tokenID: session.id)
            }
        }
    }

    /// - Returns: false if the store fails; with the provider's tokens of the first session.
    private func end(
        _ sessions: ArraySlice<Session>, _ browser: BrowserRequest
    ) -> Effect<(Bool, tokens: ProvidedTokens?)> {
        guard let session = sessions.first else { return .done((true, nil)) }
        let entry = DenyEntry.token(
            session.family, subject: session.subject,
            until: max(session.expiresAt, browser.now + max(settings.pageTokenSeconds(), service.longestUse)))
        return service.settings.store.ask(.deny(entry), now: browser.now) { result in
            guard case .success = result else { return .done((false, nil)) }
            service.settings.revocations.apply(entry)
            let ids = [session.id] + session.foundations.flatMap(LoginFoundation.ids)
            let forgotten = service.settings.store.forget(ids[...], now: browser.now)
            let ended = providers?.ending(
                session.foundations, at: session.provider, now: browser.now, forgotten, hasEnded: { true })
            return (ended ?? forgotten.map { ($0, nil) }).then { _, tokens in
                end(sessions.dropFirst(), browser).map { ($0.0, tokens) }
            }
        }
    }
}

extension EndpointResponse {
    /// - Parameter action: after `sso.` in the log.
    package func audited(
        _ action: String, _ outcome: AuditEntry.Outcome, _ visit: LoginFlow.Visit, _ subject: String, id: String = ""
    ) -> EndpointResponse {
        audited("sso.\(action)", outcome, subject: subject, client: visit.reference, tokenID: id)
    }

    /// A login in the audit log.
    package func audited(
        _ outcome: AuditEntry.Outcome, _ visit: LoginFlow.Visit, of subject: String, id: String = ""
    ) -> EndpointResponse {
        audited(visit.place.action, outcome, subject: subject, client: visit.reference, tokenID: id)
    }
}
