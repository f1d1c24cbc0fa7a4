import Authorization
import Bytes
import Crypto
import Endpoints
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// The login form of a service domain. Passwords are verified, counted and throttled like those of Mobile & Social, and its
/// sessions are those of the domain.
struct DomainLogin: LoginPlace {
    /// Duration of a session if the application's profile has none.
    private static let standardSeconds: Int64 = 28_800
    /// Default number of consecutive wrong passwords, higher than for applications, since users mistype (AMB-26).
    private static let standardAttempts: Int64 = 5

    let social: MobileSocialService
    let domain: ServiceDomain
    let application: MobileApplication
    private let path: String
    private let seals: BrowserSeals

    /// Nil if there is no such form.
    init?(_ social: MobileSocialService, at form: BrowserLogin.Form?, _ seals: BrowserSeals) {
        guard let form, let domain = social.settings.domain(named: form.domain),
            let application = domain.browserApplication.flatMap(domain.application(named:))
        else { return nil }
        self.social = social
        self.domain = domain
        self.application = application
        path = form.path
        self.seals = seals
    }

    func visit(_ request: LoginRequest, _ browser: BrowserRequest) -> LoginFlow.Visit {
        LoginFlow.Visit(
            request, browser, at: self, title: application.displayName, reference: domain.reference(application),
            realm: application.backend.realm, choices: choices(level: request.page?.level ?? 0))
    }

    /// The ways of the domain that reach a level (CHAL-06).
    private func choices(level: Int) -> [LoginChoice] {
        guard !domain.loginMethods.isEmpty else { return [LoginChoice(LoginChoice.ownForm)] }
        return domain.loginMethods.compactMap { method -> LoginChoice? in
            switch method {
            case .form(let name, let title): return LoginChoice(LoginChoice.ownForm, name: name, title: title)
            case .provider(let party):
                return level <= domain.level ? LoginChoice(party.provider, title: party.title) : nil
            }
        }
    }

    var name: String { "login \(domain.name)" }
    let purpose = LoginPurpose.Kind.form
    let action = "browser.login"
    let wrongPassword = MobileSocialFailure.wrongPassword.reason
    var highestLevel: Int { domain.highestLevel }
    let isOfDomain = true

    func address(of request: LoginRequest, now: Int64) -> (path: String, query: [(String, String)]) {
        let target = seals.seal(request.page ?? RequestedPage(.root), now: now)
        return (path, [("serviceDomain", domain.name), ("target", target)])
    }

    /// That of the session whose level is too low.
    func knownName(_ visit: Visit) -> String {
        visit.browser.session(seals, ofDomain: true)?.subject ?? ""
    }

    /// How long sessions last.
    var limits: SessionLimits {
        SessionLimits(
            session: (application.sessionTimeout ?? DomainLogin.standardSeconds, nil),
            idle: (application.idleTimeout, nil))
    }

    // MARK: Password and further steps

    func verify(
        _ login: PresentedLogin, in visit: Visit, then next: @escaping @Sendable (LoginStep) -> Answer
    ) -> Answer {
        let steps = domain.steps(for: visit.request.page?.level ?? 0)
        let level = steps.isEmpty ? domain.level : domain.secondStep.level
        let attempt = PasswordAttempt(
            domain: domain, application: application, login: login,
            session: SessionTerms(domain: domain.name, application: application, limits: limits, level: level),
            steps: steps, allowed: max(application.maximumLoginAttempts ?? DomainLogin.standardAttempts, 1),
            address: visit.browser.request.address)
        return social.steps.logIn(attempt, now: visit.now) { next(step($0, visit)) }
    }

    func further(_ challenge: String, _ visit: Visit) throws(BrowserLoginFailure) -> FurtherStep {
        let pending: PendingLogin
        do throws(SealedRecord.Failure) {
            pending = try PendingLogin(challenge, seals.pendingLogins, now: visit.now)
        } catch {
            throw error == .expired ? .expiredForm : .foreignForm
        }
        guard pending.facts.domain.isExactly(domain.name) else { throw .foreignForm }
        return further(pending, asking: question(of: pending), visit)
    }

    private func further(_ pending: PendingLogin, asking question: String?, _ visit: Visit) -> FurtherStep {
        FurtherStep(
            id: pending.id, username: pending.username, question: question,
            challenge: pending.sealed(seals.pendingLogins)
        ) { answer in
            social.steps.check(answer: answer, to: pending, application, now: visit.now).map { outcome in
                if case .refused(.wrongAnswer, let left?, _) = outcome, left > 0 {
                    return .further(
                        further(pending, asking: question, visit), after: MobileSocialFailure.wrongAnswer.reason)
                }
                return step(outcome, visit)
            }
        }
    }

    private func question(of pending: PendingLogin) -> String? {
        guard pending.steps[0] == .question else { return nil }
        let user = social.settings.users.user(named: pending.username, realm: application.backend.realm)
        guard let questions = user?.securityQuestions, questions.indices.contains(pending.question) else { return nil }
        return questions[pending.question].question
    }

    private func step(_ outcome: LoginOutcome, _ visit: Visit) -> LoginStep {
        switch outcome {
        case .proven(let session): return .proven(proven(session))
        case .pending(let pending, let question):
            return .further(further(pending, asking: question, visit), after: nil)
        case .refused(let failure, _, let seconds):
            return .refused(Page.Notice(failure, retryAfter: seconds), failure.response(retryAfter: seconds))
        }
    }

    // MARK: The session

    func admit(
        _ identity: ProvidedIdentity, _ visit: Visit
    ) throws(ExternalIdentityRejection) -> AdmittedUser {
        guard let party = domain.relyingParty(named: identity.provider) else { throw .unknownUser }
        let user = try social.providers.user(of: identity, party, application)
        let now = visit.now
        let login = { @Sendable (foundation: String) in
            var facts = user.facts(domain, application, foundation: foundation, now: now)
            facts.idleSeconds = limits.idle
            facts.provision?.levels = identity.levels
            facts.provision?.authenticatedAt = visit.knownTime(of: identity)
            return proven(
                MobileSession(
                    facts, subject: user.subject, backend: application.backend, limit: limits.session, now: now))
        }
        return (user.subject, now + (limits.session ?? MobileSession.longestSeconds), login)
    }

    /// A login with its own session, in no slot: against session fixation.
    func proven(_ session: MobileSession) -> ProvenLogin {
        let (record, facts, provision) = (session.alone.record, session.facts, session.facts.provision)
        var login = LoginFacts(authenticatedAt: facts.authenticatedAt, level: facts.level)
        login.methods = facts.methods
        login.isVirtual = provision?.isVirtual ?? false
        login.roles = provision?.roles ?? []
        login.providerTime = provision?.authenticatedAt
        var browser = Session(
            id: session.id, subject: record.subject, realm: application.backend.realm,
            provider: provision?.provider ?? LoginChoice.ownForm, login: login, expiresAt: record.accessExpiresAt)
        browser.levels = provision?.levels ?? []
        browser.foundations = facts.foundations
        browser.idleSeconds = facts.idleSeconds
        browser.usedAt = record.issuedAt
        var place = Session.Place(domain: domain.name, backendID: record.application)
        place.isGuest = provision == nil && social.settings.isGuest(record.subject, application)
        browser.place = place
        return (browser, record)
    }

    func refusal(of session: Session, _ visit: Visit) -> EndpointResponse? { nil }

    func store(_ login: ProvenLogin, _ visit: Visit) -> Effect<EndpointResponse?> {
        let failure = Page.unavailable(503, .storeUnavailable)
        return social.settings.store.ask(.insert(login.record), now: visit.now) { result in
            guard case .success(.record(let stored?)) = result, let session = MobileSession(stored) else {
                return .done(failure)
            }
            // The earlier session ends first, so that it does not count for the limits.
            return endEarlier(visit).then {
                social.sessions.endSurplus(beside: session, domain, now: visit.now).map { $0 ? nil : failure }
            }
        }
    }

    /// Ends the browser's earlier session. If the store fails, the session lasts until it expires.
    private func endEarlier(_ visit: Visit) -> Effect<Void> {
        guard let earlier = visit.browser.session(seals, ofDomain: true) else { return .done(()) }
        return social.sessions.endSession(
            earlier.id, subject: earlier.subject, until: earlier.expiresAt, now: visit.now
        ).map { _ in }
    }

    func counts(_ session: Session, _ visit: Visit) -> Effect<Bool> {
        guard session.place?.domain.isExactly(domain.name) == true else { return .done(false) }
        return social.sessions.isValid(session.id, now: visit.now)
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
