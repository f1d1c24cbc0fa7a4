import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// Forms that were filled in.
extension BrowserLogin {
    /// Longest name and password that are looked at, in bytes.
    private static let longestText = 1024
    /// Wrong passwords in a row where the application says nothing: whoever types makes mistakes (AMB-26).
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
            (visit.target, visit.level) = (ticket.target, ticket.level)
        } catch {
            return .done(again(visit, error))
        }
        if let pending { return answer(pending, fields.first("answer") ?? "", visit) }
        return logIn(fields.first("username") ?? "", fields.first("password") ?? "", visit)
    }

    /// The login that the form goes on with; nil where it begins one.
    private func pending(_ fields: FormFields, now: Int64) throws(BrowserLoginFailure) -> PendingLogin? {
        guard let text = fields.first("challenge") else { return nil }
        do throws(SealedRecord.Failure) {
            return try PendingLogin(text, seals.pendingLogins, now: now)
        } catch {
            throw error == .expired ? .expiredForm : .foreignForm
        }
    }

    /// The form once more, since the one that came was none of ours, or is too old.
    private func again(_ visit: Visit, _ failure: BrowserLoginFailure) -> EndpointResponse {
        form(visit, notice: Page.Notice(failure), status: failure.status, reason: failure.reason)
    }

    private func logIn(_ username: String, _ password: String, _ visit: Visit) -> Answer {
        let (domain, application) = (visit.domain, visit.application)
        guard (1...BrowserLogin.longestText).contains(username.utf8.count),
            (1...BrowserLogin.longestText).contains(password.utf8.count)
        else { return .done(refuse(.wrongPassword, visit, username: "")) }
        let steps = MobileSocialService.steps(of: domain, for: visit.level)
        let level = steps.isEmpty ? domain.level : domain.secondStep.level
        let limits = SessionLimits(
            session: (application.sessionTimeout ?? BrowserLogin.standardSeconds, nil),
            idle: (application.idleTimeout, nil))
        let attempt = MobileSocialService.PasswordAttempt(
            domain: domain, application: application, login: PresentedLogin(username: username, password: password),
            wish: MobileSocialService.SessionWish(
                domain: domain.name, application: application, limits: limits, level: level),
            steps: steps,
            allowed: max(application.maximumLoginAttempts ?? BrowserLogin.standardAttempts, 1),
            address: visit.browser.request.address)
        return social.logIn(attempt, now: visit.browser.now) { [self] in
            proceed($0, visit, username: username)
        }
    }

    private func answer(_ pending: PendingLogin, _ text: String, _ visit: Visit) -> Answer {
        guard pending.facts.domain.isExactly(visit.domain.name), text.utf8.count <= BrowserLogin.longestText else {
            return .done(again(visit, .foreignForm))
        }
        return social.check(answer: text, to: pending, visit.application, now: visit.browser.now).then {
            [self] outcome in
            if case .refused(.wrongAnswer, let left?, _) = outcome, left > 0 {
                var response = ask(pending, question: question(of: pending, visit), visit, notice: .wrongAnswer)
                response.audit = audit(.refused, visit, pending.username)
                return .done(response)
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

    private func proceed(_ outcome: MobileSocialService.LoginOutcome, _ visit: Visit, username: String) -> Answer {
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

    /// The form once more, with a word that tells nobody what was wrong (CHAL-07).
    private func refuse(
        _ failure: MobileSocialFailure, _ visit: Visit, username: String, retryAfter: Int? = nil
    ) -> EndpointResponse {
        let plain = failure.response(retryAfter: retryAfter)
        var response = form(
            visit, username: username, notice: Page.Notice(failure), status: plain.status, reason: plain.reason)
        response.headers += plain.headers.filter { $0.name == "Retry-After" }
        response.audit = audit(.refused, visit, username)
        return response
    }

    func audit(
        _ outcome: AuditEntry.Outcome, _ visit: Visit, _ subject: String, session: String = ""
    ) -> AuditEntry {
        AuditEntry(
            action: "browser.login", outcome: outcome, subject: subject, client: visit.reference, tokenID: session)
    }

    // MARK: The session

    /// A session of its own in the store, and the cookie for it. What the browser was logged in by before ends.
    func open(_ session: Session, _ visit: Visit) -> Answer {
        let browser = visit.browser
        let store = social.settings.store
        let value = cookie(of: session, visit)
        guard BrowserCookie.session.holds(value) else { return .done(BrowserLoginFailure.oversizedSession.response) }
        return store.ask(.insert(session.record), now: browser.now) { [self] answer in
            guard case .success(.record(_?)) = answer else {
                return .done(refuse(.storeUnavailable, visit, username: session.record.subject))
            }
            // First, so that a login in the place of another one costs no third its session.
            return endEarlier(browser).then { [self] in
                social.endSurplus(beside: session, visit.domain, now: browser.now) { [self] in
                    .done(opened(session, value, visit))
                }
            }
        }
    }

    /// Ends what the browser was logged in by before. A store that fails now keeps it until it ends by itself.
    private func endEarlier(_ browser: BrowserRequest) -> Effect<Void> {
        guard let value = browser.session,
            let earlier = try? seals.session(Array(value.utf8).span, now: browser.now)
        else { return .done(()) }
        return social.endSession(
            earlier.id, subject: earlier.subject, until: earlier.expiresAt, now: browser.now
        ).map { _ in }
    }

    private func cookie(of session: Session, _ visit: Visit) -> String {
        let record = session.record
        return seals.seal(
            BrowserSession(
                id: session.id, subject: record.subject, backendID: record.application, level: session.facts.level,
                issuedAt: record.issuedAt, expiresAt: record.accessExpiresAt, idleSeconds: session.facts.idleSeconds,
                domain: visit.domain.name,
                isGuest: session.facts.provision == nil && social.isGuest(record.subject, visit.application),
                provision: session.facts.provision))
    }

    private func opened(_ session: Session, _ value: String, _ visit: Visit) -> EndpointResponse {
        var response = EndpointResponse(
            status: 303,
            headers: [
                (name: "Location", value: visit.target.text), (name: "Cache-Control", value: "no-store"),
                cookie(.session, value, visit.browser), removal(.login, visit.browser),
            ],
            body: [], reason: .browserLoggedIn)
        response.audit = audit(.granted, visit, session.record.subject, session: session.id)
        return response
    }
}
