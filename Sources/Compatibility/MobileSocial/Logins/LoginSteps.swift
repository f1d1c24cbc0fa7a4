import Bytes
import Crypto
import Identity
import Model
import Outbound
import TokenStorage

/// The steps of a login, of an application by JSON or of a browser by a form. Both share the protection against
/// guessing.
final class LoginSteps: Sendable {
    private let settings: MobileSocialSettings
    private let passwords: PasswordChecker

    init(_ settings: MobileSocialSettings, _ passwords: PasswordChecker) {
        self.settings = settings
        self.passwords = passwords
    }

    /// Verifies a password, here or at another server, and continues with the outcome.
    func logIn(_ attempt: PasswordAttempt, now: Int64, _ next: @escaping @Sendable (LoginOutcome) -> Answer) -> Answer {
        let check = PasswordCheck(
            login: attempt.login, domain: attempt.domain, application: attempt.application, maximum: attempt.allowed,
            completes: attempt.steps.isEmpty, mayBeOffline: true, network: attempt.address?.subscriberBytes ?? [],
            now: now)
        return passwords.check(check) { [self] result in
            switch result {
            case .right(let user, let isOffline):
                let terms = isOffline ? attempt.session.withoutServer(attempt.domain.remote) : attempt.session
                let session = session(terms, user, now: now)
                guard attempt.steps.isEmpty else {
                    return next(
                        pending(
                            session.facts, user, sessionSeconds: terms.limits.session, steps: attempt.steps, now: now))
                }
                return next(.proven(session))
            case .wrong(let left): return next(.refused(.wrongPassword, left: left))
            case .refused(let failure, let seconds): return next(.refused(failure, retryAfter: seconds))
            }
        }
    }

    private func session(_ terms: SessionTerms, _ user: User, now: Int64) -> MobileSession {
        let facts = MobileSession.Facts(
            domain: terms.domain, application: terms.application.name, level: terms.level, methods: ["pwd"],
            authenticatedAt: now, idleSeconds: terms.limits.idle, registration: terms.registration,
            device: terms.device, proof: terms.proof, tokenType: terms.type, isOffline: terms.isOffline)
        return MobileSession(
            facts, subject: user.username, backend: terms.application.backend, limit: terms.limits.session, now: now)
    }

    // MARK: The second step (OMS-14)

    private func pending(
        _ facts: MobileSession.Facts, _ user: User, sessionSeconds: Int64?, steps: [PendingLogin.Step], now: Int64
    ) -> LoginOutcome {
        let questions = user.securityQuestions
        if steps[0] == .question ? questions.isEmpty : user.oneTimeSecret == nil { return .refused(.secondStepMissing) }
        let question = PendingLogin.choose(among: questions.count)
        let pending = PendingLogin(
            facts, username: user.username, sessionSeconds: sessionSeconds, steps: steps, question: question, now: now)
        return .pending(pending, question: steps[0] == .question ? questions[question].question : nil)
    }

    /// Checks the answer to a pending login.
    func check(
        answer text: String, to pending: PendingLogin, _ application: MobileApplication, now: Int64
    ) -> Effect<LoginOutcome> {
        guard pending.expiresAt > now, pending.facts.application.isExactly(application.name),
            let user = settings.users.user(named: pending.username, realm: application.backend.realm), user.enabled,
            pending.facts.authenticatedAt >= user.tokensNotBefore
        else { return .done(.refused(.wrongAnswer)) }
        // Counted before the check and over all logins of the user: with the password, an attacker could begin many
        // logins and send all their answers at once.
        let attempt = AnswerAttempt(
            key: LoginAttemptTable.Key(
                domain: pending.facts.domain, application: application.name, user: user.username),
            guess: settings.key.digest(text),
            maximum: max(application.maximumLoginAttempts ?? 0, Int64(PendingLogin.maximumAnswers)),
            application: application)
        switch settings.attempts.begin(attempt.key, guess: attempt.guess, maximum: attempt.maximum, now: now) {
        case .locked: return .done(.refused(.attemptsExceeded))
        case .busy: return .done(.refused(.loginThrottled, retryAfter: 1))
        case .admitted: break
        }
        let outcome = count(pending, 1, now) { [self] left in
            check(text, pending, user, now) { [self] isRight in
                isRight
                    ? proceed(pending, user, application, now) : .done(.refused(.wrongAnswer, left: Int64(left)))
            }
        }
        return outcome.map { [self] outcome in conclude(attempt, outcome, now) }
    }

    /// An answer that is being checked.
    private struct AnswerAttempt: Sendable {
        let key: LoginAttemptTable.Key
        let guess: [UInt8]
        let maximum: Int64
        let application: MobileApplication
    }

    /// Every wrong answer counts like a wrong password.
    private func conclude(_ attempt: AnswerAttempt, _ outcome: LoginOutcome, _ now: Int64) -> LoginOutcome {
        if case .refused(.wrongAnswer, let left?, _) = outcome {
            let allowed = settings.attempts.fail(
                attempt.key, guess: attempt.guess, maximum: attempt.maximum,
                lockoutSeconds: attempt.application.lockoutSeconds,
                now: now)
            return .refused(.wrongAnswer, left: min(left, allowed))
        }
        let isLogin = if case .proven = outcome { true } else { false }
        settings.attempts.end(attempt.key, guess: attempt.guess, isLogin: isLogin)
        return outcome
    }

    private typealias Outcome = Effect<LoginOutcome>

    /// Counts an answer before the check, over all processes; continues with the number of remaining answers.
    private func count(
        _ pending: PendingLogin, _ place: Int, _ now: Int64, _ next: @escaping @Sendable (Int) -> Outcome
    ) -> Outcome {
        guard place <= PendingLogin.maximumAnswers else { return .done(.refused(.wrongAnswer)) }
        return takeOnce("oic\u{1f}answer\u{1f}\(pending.id)\u{1f}\(place)", until: pending.expiresAt, now) {
            [self] isFirst in
            isFirst ? next(PendingLogin.maximumAnswers - place) : count(pending, place + 1, now, next)
        }
    }

    private func takeOnce(
        _ key: String, until: Int64, _ now: Int64, _ next: @escaping @Sendable (Bool) -> Outcome
    ) -> Outcome {
        settings.store.ask(.remember(key: key, until: until), now: now) { result in
            guard case .success(let answer) = result else { return .done(.refused(.storeUnavailable)) }
            return next(answer == .fresh(true))
        }
    }

    private func check(
        _ text: String, _ pending: PendingLogin, _ user: User, _ now: Int64,
        _ next: @escaping @Sendable (Bool) -> Outcome
    ) -> Outcome {
        switch pending.steps[0] {
        case .question:
            guard user.securityQuestions.indices.contains(pending.question) else { return next(false) }
            let stored = user.securityQuestions[pending.question].answer
            let folded = SecurityQuestion.folded(text)
            return .hash { [self] in next(settings.hasher.verify(folded.span, stored: stored)) }
        case .code:
            guard let secret = user.oneTimeSecret, let step = OneTimeCode.step(of: text, secret: secret, now: now)
            else { return next(false) }
            // RFC 6238 section 5.2: a code is accepted once.
            let key = "oic\u{1f}code\u{1f}\(user.realm)\u{1f}\(user.username)\u{1f}\(step)"
            return takeOnce(key, until: (step + 2) * OneTimeCode.stepSeconds, now, next)
        }
    }

    /// Continues after a right answer, once: with the next factor or the session.
    private func proceed(
        _ pending: PendingLogin, _ user: User, _ application: MobileApplication, _ now: Int64
    ) -> Outcome {
        takeOnce("oic\u{1f}answered\u{1f}\(pending.id)", until: pending.expiresAt, now) { [self] isFirst in
            guard isFirst else { return .done(.refused(.wrongAnswer)) }
            var facts = pending.facts
            facts.methods.append(pending.steps[0] == .question ? "kba" : "otp")
            let rest = Array(pending.steps.dropFirst())
            guard rest.isEmpty else {
                return .done(
                    self.pending(facts, user, sessionSeconds: pending.sessionSeconds, steps: rest, now: now))
            }
            facts.methods.append("mfa")
            let session = MobileSession(
                facts, subject: user.username, backend: application.backend, limit: pending.sessionSeconds, now: now)
            return .done(.proven(session))
        }
    }
}
