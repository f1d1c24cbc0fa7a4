import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The login by the gateway's form (SSO-07), and the logout.
extension LoginFlow {
    private static let loginPurpose = "single sign-on"
    /// Longest accepted name and password in bytes.
    private static let longestText = 1024
    /// Maximum number of sessions of one user at a provider.
    static let maximumSessions = 256

    /// Sends the browser to the form or to the provider.
    package func beginLogin(_ visit: Visit) -> Answer {
        if let chosen = visit.chosen, !chosen.isOwnForm { return beginAtProvider(chosen.provider, visit) }
        let address = formAddress(visit, by: visit.choices.count > 1 ? visit.chosen : nil)
        return .done(.redirect(302, to: address, reason: .ssoLoginAsked))
    }

    /// Shows or processes the form.
    func showOrLogIn(_ browser: BrowserRequest) -> Answer {
        do throws(SingleSignOnFailure) {
            guard let request = request(of: browser) else { throw .foreignRequest }
            return try showOrLogIn(visit(request, browser)).map { $0.preferring(request.languages) }
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

    private func showOrLogIn(_ visit: Visit) throws(SingleSignOnFailure) -> Answer {
        let browser = visit.browser
        // Otherwise the browser would be redirected in a loop.
        if let page = visit.request.page, page.level > Principal.standardLevel {
            return .done(BrowserLoginFailure.levelUnreachable.response)
        }
        guard let chosen = visit.chosen else {
            return .done(browser.isReading ? choice(visit) : BrowserLoginFailure.page(allow: "GET, HEAD"))
        }
        if !chosen.isOwnForm {
            // The configuration has changed: the client has one other provider now.
            guard visit.choices.count > 1 || visit.client == nil else { throw .foreignRequest }
            guard browser.isReading else { return .done(BrowserLoginFailure.page(allow: "GET, HEAD")) }
            guard LoginFlow.isNavigation(browser.request) else { throw .notNavigated }
            return beginAtProvider(chosen.provider, visit)
        }
        if browser.isReading { return .done(form(visit, status: 200, reason: .loginForm)) }
        guard browser.request.method == .post else { return .done(BrowserLoginFailure.methodNotAllowed.response) }
        return submit(visit)
    }

    /// - Parameter choice: the chosen provider; nil for the page to choose one.
    func formAddress(_ visit: Visit, by choice: LoginChoice?) -> String {
        var fields = [("request", visit.request.sealed(seals.loginRequests, now: visit.now))]
        if let choice { fields.append(("provider", choice.name)) }
        if visit.isForced { fields.append(("prompt", "login")) }
        return "\(service.settings.paths[.login])?\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }

    /// The page to choose a provider. Each link carries the sealed request.
    private func choice(_ visit: Visit) -> EndpointResponse {
        Page.choice(
            to: visit.title, of: visit.choices.map { ($0.words, formAddress(visit, by: $0)) }
        ).response(status: 200, reason: .loginChoice)
    }

    private func form(
        _ visit: Visit, username: String = "", notice: Page.Notice? = nil, status: Int, reason: Reason
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(LoginFlow.loginPurpose, visit.browser)
        let hasOthers = visit.choices.count > 1
        let hint = notice == nil ? visit.request.authorization?.loginHint ?? "" : ""
        var page = Page.login(
            to: visit.title, action: formAddress(visit, by: hasOthers ? visit.chosen : nil), ticket: ticket,
            username: username.isEmpty ? hint : username, notice: notice,
            link: hasOthers ? Page.Link(.otherWays, to: formAddress(visit, by: nil)) : nil)
        // Browsers check the redirects that follow a form too, and with a consent the last one leads to the client.
        if let destination = visit.destination { page.formAction = "'self' \(destination.formAction)" }
        return page.response(status: status, reason: reason, fields: cookie)
    }

    private func submit(_ visit: Visit) -> Answer {
        let browser = visit.browser
        let failure: BrowserLoginFailure
        do throws(BrowserLoginFailure) {
            guard let fields = browser.form else { throw .foreignForm }
            _ = try LoginTicket(
                fields.first("ticket") ?? "", for: LoginFlow.loginPurpose, nonce: browser.nonce, seals.tickets,
                now: browser.now)
            return logIn(LoginForm(fields), visit)
        } catch {
            failure = error
        }
        // Another tab may have logged in meanwhile.
        return goOn(visit, at: LoginChoice.ownForm) {
            .done(form(visit, notice: Page.Notice(failure), status: failure.status, reason: failure.reason))
        }
    }

    private func logIn(_ form: LoginForm, _ visit: Visit) -> Answer {
        let (username, password) = (form.username, form.password)
        guard (1...LoginFlow.longestText).contains(username.utf8.count) else {
            return .done(refuse(.wrongPassword, visit, ""))
        }
        guard (1...LoginFlow.longestText).contains(password.utf8.count) else {
            return .done(refuse(.wrongPassword, visit, username))
        }
        let login = service.logins.login(
            username, password: Array(password.utf8), realm: realm(of: username, visit),
            network: visit.browser.request.address?.subscriberBytes ?? [], now: visit.now)
        return login.then { result in
            switch result {
            case .success(let user):
                var session = newSession(user.username, realm: user.realm, at: LoginChoice.ownForm, visit)
                session.login.methods = ["pwd"]
                return open(session, visit)
            case .failure(let refusal): return .done(refuse(refusal, visit, username))
            }
        }
    }

    /// The realm to look a user up in: the client's, or if it has no such user, the realm of the only user with this
    /// name. The user learns about the wrong realm after the password was verified (SSO-10).
    private func realm(of username: String, _ visit: Visit) -> String {
        let users = service.settings.users
        guard users.user(named: username, realm: visit.realm) == nil else { return visit.realm }
        let others = users.users(named: username, realm: nil)
        return others.count == 1 ? others[0].realm : visit.realm
    }

    /// The form with a notice that does not reveal what was wrong (CHAL-07).
    private func refuse(_ refusal: PasswordLogin.Refusal, _ visit: Visit, _ username: String) -> EndpointResponse {
        var response: EndpointResponse
        switch refusal {
        case .wrongPassword:
            response = form(
                visit, username: username, notice: .wrongPassword, status: 401, reason: .wrongPassword)
        case .throttled(let seconds):
            response = form(
                visit, username: username, notice: .tooManyAttempts(retryAfter: seconds), status: 429,
                reason: TokenFailure.loginThrottled.definition.reason)
            response.headers.append((name: "Retry-After", value: "\(seconds)"))
        }
        return response.audited("login", .refused, visit, username)
    }

    // MARK: The session

    /// The session of a user who has just logged in, with a new id (against session fixation). Tokens of the same
    /// user's earlier login by this browser stay valid.
    func newSession(_ subject: String, realm: String, at provider: String, _ visit: Visit) -> Session {
        let earlier = sealedSession(of: visit.browser).flatMap { session in
            session.subject.isExactly(subject) && session.realm.isExactly(realm)
                && session.provider.isExactly(provider) && isAccepted(session) ? session : nil
        }
        let limits = settings.limits(at: provider)
        var session = Session(
            id: AccessTokenMinter.randomID(), family: earlier?.family ?? AccessTokenMinter.randomID(),
            subject: subject, realm: realm, provider: provider,
            login: LoginFacts(authenticatedAt: visit.now, level: Principal.standardLevel),
            expiresAt: visit.now + limits.session)
        session.idleSeconds = limits.idle
        return session
    }

    /// Stores the session, ends the browser's earlier session, and redirects the browser to its request.
    func open(_ session: Session, _ visit: Visit) -> Answer {
        guard BrowserCookie.session.holds(seals.seal(session)) else {
            let failure = BrowserLoginFailure.oversizedSession
            return .done(otherAccount(failure.text, status: failure.status, reason: failure.reason, visit))
        }
        // The page would send the browser here again and again.
        if visit.request.page != nil {
            guard visit.isOfRealm(session) else { return .done(refuseRealm(session, visit)) }
            guard isAccepted(session) else {
                return .done(
                    otherAccount(.forbidden, status: 403, reason: .loginForbidden, visit)
                        .audited("login", .refused, visit, session.subject))
            }
        }
        if let gap = visit.request.page?.demand?.gap(of: session.authentication, now: visit.now) {
            let failure: BrowserLoginFailure = gap == .level ? .tooWeak : .tooOld
            let link = Page.Link(.tryAgain, to: location(of: visit) + "&prompt=login")
            return .done(
                Page.failure(failure.text, link: link).response(status: failure.status, reason: failure.reason)
                    .audited("login", .refused, visit, session.subject))
        }
        let record = LoginFlow.record(of: session, visit)
        return service.settings.store.ask(.insert(record), now: visit.now) { result in
            guard case .success(.record(_?)) = result else { return .done(SingleSignOnFailure.unavailable.response) }
            return surplus(beside: record, now: visit.now).then { surplus in
                var leaving = surplus.map { DenyEntry.token($0.id, subject: $0.subject, until: $0.accessExpiresAt) }
                if let earlier = sealedSession(of: visit.browser) {
                    leaving.append(.token(earlier.id, subject: earlier.subject, until: earlier.expiresAt))
                }
                return end(leaving[...], now: visit.now).map { opened(session, visit) }
            }
        }
    }

    private static func record(of session: Session, _ visit: Visit) -> TokenRecord {
        var record = TokenRecord(
            id: session.id, kind: .signOn, application: "sso/\(session.provider)", subject: session.subject,
            tokenID: session.id, accessExpiresAt: session.expiresAt, issuedAt: visit.now)
        record.attributes = Array("{}".utf8)
        return record
    }

    /// Ends sessions, whose cookies count on routes until they are denied. If the store fails, they last until they expire.
    private func end(_ sessions: ArraySlice<DenyEntry>, now: Int64) -> Effect<Void> {
        guard let first = sessions.first else { return .done(()) }
        return service.settings.store.ask(.deny(first), now: now) { result in
            if case .success = result { service.settings.revocations.apply(first) }
            return service.settings.store.forget([first.name], now: now).then { end(sessions.dropFirst(), now: now) }
        }
    }

    /// The oldest sessions beyond the maximum.
    private func surplus(beside record: TokenRecord, now: Int64) -> Effect<[TokenRecord]> {
        let list = StoreOperation.list(application: record.application, subject: record.subject, limit: .max)
        return service.settings.store.ask(list, now: now) { answer in
            guard case .success(.records(let records)) = answer else { return .done([]) }
            return .done(Array(records.dropFirst(LoginFlow.maximumSessions)))
        }
    }

    private func opened(_ session: Session, _ visit: Visit) -> EndpointResponse {
        // The browser's half of forms stays, for logins in its other tabs.
        let fields = [cookie(.session, seals.seal(session), visit.browser)]
        return EndpointResponse.redirect(
            303, to: location(visit, after: session), reason: .browserLoggedIn, fields: fields
        )
        .audited("login", .granted, visit, session.subject, id: session.id)
    }

    // MARK: Logout

    /// Asks for confirmation, then ends the session and the tokens issued in it.
    package func logOut(_ browser: BrowserRequest) -> Answer {
        let sessions = browser.sessions(seals)
        guard !sessions.isEmpty else {
            // The provider sends the browser back, which an application wanted to log out.
            let application = browser.query.first("state").flatMap { afterProvider($0, now: browser.now) }
            return .done(loggedOut(.session, browser, to: application))
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
        end(sessions[...], browser).then { hasEnded in
            guard hasEnded, let session = sessions.first else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            return providerLogout(session, to: application, now: browser.now).map { there in
                loggedOut(.session, browser, there, to: application, back: back)
                    .audited("sso.logout", .changed, subject: session.subject, tokenID: session.id)
            }
        }
    }

    /// - Returns: false if the store fails.
    private func end(_ sessions: ArraySlice<Session>, _ browser: BrowserRequest) -> Effect<Bool> {
        guard let session = sessions.first else { return .done(true) }
        let entry = DenyEntry.token(
            session.family, subject: session.subject,
            until: max(session.expiresAt, browser.now + max(settings.pageTokenSeconds(), service.longestUse)))
        return service.settings.store.ask(.deny(entry), now: browser.now) { result in
            guard case .success = result else { return .done(false) }
            service.settings.revocations.apply(entry)
            let ids = [session.id] + session.foundations.flatMap(LoginFoundation.ids)
            let forgotten = service.settings.store.forget(ids[...], now: browser.now)
            let ended = providers?.ending(
                session.foundations, at: session.provider, now: browser.now, forgotten, hasEnded: { true })
            return (ended ?? forgotten).then { end(sessions.dropFirst(), browser) }
        }
    }
}

extension EndpointResponse {
    package func audited(
        _ action: String, _ outcome: AuditEntry.Outcome, _ visit: LoginFlow.Visit, _ subject: String, id: String = ""
    ) -> EndpointResponse {
        audited("sso.\(action)", outcome, subject: subject, client: visit.client?.reference ?? "", tokenID: id)
    }
}
