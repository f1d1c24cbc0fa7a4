import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// Submitted forms.
extension BrowserLogin {
    /// Longest accepted name and password in bytes.
    private static let longestText = 1024
    /// Default number of consecutive wrong passwords, higher than for applications, since users mistype (AMB-26).
    private static let standardAttempts: Int64 = 5

    func submit(_ visit: Visit) -> Answer {
        var visit = visit
        let browser = visit.browser
        guard let fields = browser.form else { return .done(again(visit, .foreignForm)) }
        let pending: PendingLogin?
        do throws(BrowserLoginFailure) {
            pending = try self.pending(fields, now: browser.now)
            let ticket = try LoginTicket(
                fields.first("ticket") ?? "", for: pending.map(visit.answerPurpose) ?? visit.loginPurpose,
                nonce: browser.nonce, seals.tickets, now: browser.now)
            (visit.page.target, visit.page.level) = (ticket.target, ticket.level)
        } catch {
            return .done(again(visit, error))
        }
        if let pending { return answer(pending, fields.first("answer") ?? "", visit) }
        return logIn(LoginForm(fields), visit)
    }

    /// The login that the form continues; nil for a new one.
    private func pending(_ fields: FormFields, now: Int64) throws(BrowserLoginFailure) -> PendingLogin? {
        guard let text = fields.first("challenge") else { return nil }
        do throws(SealedRecord.Failure) {
            return try PendingLogin(text, seals.pendingLogins, now: now)
        } catch {
            throw error == .expired ? .expiredForm : .foreignForm
        }
    }

    /// The form again, after one with a foreign or expired ticket.
    private func again(_ visit: Visit, _ failure: BrowserLoginFailure) -> EndpointResponse {
        form(visit, notice: Page.Notice(failure), status: failure.status, reason: failure.reason)
    }

    private func logIn(_ form: LoginForm, _ visit: Visit) -> Answer {
        let (username, password) = (form.username, form.password)
        let (domain, application) = (visit.domain, visit.application)
        guard (1...BrowserLogin.longestText).contains(username.utf8.count) else {
            return .done(refuse(.wrongPassword, visit, username: ""))
        }
        guard (1...BrowserLogin.longestText).contains(password.utf8.count) else {
            return .done(refuse(.wrongPassword, visit, username: username))
        }
        let steps = domain.steps(for: visit.page.level)
        let level = steps.isEmpty ? domain.level : domain.secondStep.level
        let attempt = PasswordAttempt(
            domain: domain, application: application, login: PresentedLogin(username: username, password: password),
            session: SessionTerms(
                domain: domain.name, application: application, limits: BrowserLogin.limits(application), level: level),
            steps: steps,
            allowed: max(application.maximumLoginAttempts ?? BrowserLogin.standardAttempts, 1),
            address: visit.browser.request.address)
        return social.steps.logIn(attempt, now: visit.browser.now) { [self] in
            proceed($0, visit, username: username)
        }
    }

    static func limits(_ application: MobileApplication) -> SessionLimits {
        SessionLimits(
            session: (application.sessionTimeout ?? BrowserLogin.standardSeconds, nil),
            idle: (application.idleTimeout, nil))
    }

    private func answer(_ pending: PendingLogin, _ text: String, _ visit: Visit) -> Answer {
        guard pending.facts.domain.isExactly(visit.domain.name), text.utf8.count <= BrowserLogin.longestText else {
            return .done(again(visit, .foreignForm))
        }
        return social.steps.check(answer: text, to: pending, visit.application, now: visit.browser.now).then {
            [self] outcome in
            if case .refused(.wrongAnswer, let left?, _) = outcome, left > 0 {
                return .done(
                    ask(pending, question: question(of: pending, visit), visit, notice: .wrongAnswer)
                        .audited(.refused, visit, pending.username))
            }
            return proceed(outcome, visit, username: pending.username)
        }
    }

    private func question(of pending: PendingLogin, _ visit: Visit) -> String? {
        guard pending.steps[0] == .question else { return nil }
        let user = social.settings.users.user(named: pending.username, realm: visit.application.backend.realm)
        guard let questions = user?.securityQuestions, questions.indices.contains(pending.question) else { return nil }
        return questions[pending.question].question
    }

    private func proceed(_ outcome: LoginOutcome, _ visit: Visit, username: String) -> Answer {
        switch outcome {
        case .proven(let session): open(session.alone, visit)
        case .pending(let pending, let question): .done(ask(pending, question: question, visit))
        case .refused(let failure, _, let seconds):
            .done(refuse(failure, visit, username: username, retryAfter: seconds))
        }
    }

    private func ask(
        _ pending: PendingLogin, question: String?, _ visit: Visit, notice: Page.Notice? = nil
    ) -> EndpointResponse {
        let (ticket, cookie) = ticket(visit.answerPurpose(pending), visit)
        let page = Page.answer(
            to: question, of: pending.username, action: action(visit), ticket: ticket,
            challenge: pending.sealed(seals.pendingLogins), notice: notice)
        return notice == nil
            ? page.response(status: 200, reason: .secondStepAsked, fields: cookie)
            : page.response(status: 401, reason: .oicWrongAnswer, fields: cookie)
    }

    /// The form with a notice that does not reveal what was wrong (CHAL-07).
    private func refuse(
        _ failure: MobileSocialFailure, _ visit: Visit, username: String, retryAfter: Int? = nil
    ) -> EndpointResponse {
        let plain = failure.response(retryAfter: retryAfter)
        var response = form(
            visit, username: username, notice: Page.Notice(failure, retryAfter: retryAfter), status: plain.status,
            reason: plain.reason)
        response.headers += plain.headers.filter { $0.name == "Retry-After" }
        return response.audited(.refused, visit, username)
    }

    // MARK: The session

    /// Stores the session, sets its cookie, and ends the browser's earlier session.
    func open(_ session: MobileSession, _ visit: Visit) -> Answer {
        let browser = visit.browser
        if let obstacle = obstacle(to: session, visit) { return .done(insufficient(obstacle, session, visit)) }
        let (store, value) = (social.settings.store, seals.seal(browserSession(session, visit)))
        return store.ask(.insert(session.record), now: browser.now) { [self] answer in
            guard case .success(.record(_?)) = answer else {
                return .done(refuse(.storeUnavailable, visit, username: session.record.subject))
            }
            // The earlier session ends first, so that it does not count for the limits.
            return endEarlier(browser).then { [self] in
                social.sessions.endSurplus(beside: session, visit.domain, now: browser.now) { [self] in
                    .done(opened(session, value, visit))
                }
            }
        }
    }

    /// Ends the browser's earlier session. If the store fails, the session lasts until it expires.
    private func endEarlier(_ browser: BrowserRequest) -> Effect<Void> {
        guard let earlier = session(of: browser) else { return .done(()) }
        return social.sessions.endSession(
            earlier.id, subject: earlier.subject, until: earlier.expiresAt, now: browser.now
        ).map { _ in }
    }

    /// The page for a login that is not the one that was asked for. No session is opened, and the earlier one stays.
    private func insufficient(_ failure: BrowserLoginFailure, _ session: MobileSession, _ visit: Visit)
        -> EndpointResponse
    {
        let link = Page.Link(.tryAgain, to: action(visit))
        return Page.failure(failure.text, link: link)
            .response(status: failure.status, reason: failure.reason)
            .audited(.refused, visit, session.record.subject)
    }

    /// Why a session cannot be opened: it exceeds a cookie, or the page would send the browser here again and again.
    func obstacle(to session: MobileSession, _ visit: Visit) -> BrowserLoginFailure? {
        let browser = browserSession(session, visit)
        guard BrowserCookie.domainSession.holds(seals.seal(browser)) else { return .oversizedSession }
        guard let gap = visit.page.demand?.gap(of: browser.authentication, now: visit.browser.now) else { return nil }
        return gap == .level ? .tooWeak : .tooOld
    }

    private func browserSession(_ session: MobileSession, _ visit: Visit) -> Session {
        let (record, facts, provision) = (session.record, session.facts, session.facts.provision)
        var login = LoginFacts(authenticatedAt: facts.authenticatedAt, level: facts.level)
        login.methods = facts.methods
        login.isVirtual = provision?.isVirtual ?? false
        login.roles = provision?.roles ?? []
        login.providerTime = provision?.authenticatedAt
        var browser = Session(
            id: session.id, subject: record.subject, realm: visit.application.backend.realm,
            provider: provision?.provider ?? LoginChoice.ownForm, login: login, expiresAt: record.accessExpiresAt)
        browser.levels = provision?.levels ?? []
        browser.foundations = facts.foundations
        browser.idleSeconds = facts.idleSeconds
        browser.usedAt = record.issuedAt
        var place = Session.Place(domain: visit.domain.name, backendID: record.application)
        place.isGuest = provision == nil && social.settings.isGuest(record.subject, visit.application)
        browser.place = place
        return browser
    }

    private func opened(_ session: MobileSession, _ value: String, _ visit: Visit) -> EndpointResponse {
        // The browser's half of forms stays, for logins in its other tabs.
        let fields = [cookie(.domainSession, value, visit.browser)]
        return EndpointResponse.redirect(303, to: visit.page.target.text, reason: .browserLoggedIn, fields: fields)
            .audited(.granted, visit, session.record.subject, session: session.id)
    }
}

extension EndpointResponse {
    func audited(
        _ outcome: AuditEntry.Outcome, _ visit: BrowserLogin.Visit, _ subject: String, session: String = ""
    ) -> EndpointResponse {
        audited("browser.login", outcome, subject: subject, client: visit.reference, tokenID: session)
    }
}

extension Page.Notice {
    /// - Parameter seconds: to wait, as in `Retry-After`; nil where it is not known.
    init(_ failure: MobileSocialFailure, retryAfter seconds: Int? = nil) {
        switch failure {
        case .wrongPassword: self = .wrongPassword
        case .wrongAnswer: self.init(.startAgain)
        case .loginThrottled, .attemptsExceeded: self = .tooManyAttempts(retryAfter: seconds)
        case .loginForbidden: self.init(.forbidden)
        case .secondStepMissing: self.init(.noSecondStep)
        default: self.init(.unavailable)
        }
    }
}
