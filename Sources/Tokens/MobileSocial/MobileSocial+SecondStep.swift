import Bytes
import Crypto
import HTTP
import Identity
import JOSE

/// Questions and codes beside the password (OMS-14).
extension MobileSocial {
    /// The steps of a login that are to come after its password.
    func steps(of call: Call) throws(MobileSocialFailure) -> [PendingLogin.Step] {
        let second = call.domain.secondStep
        if second.onDemand, try wantedLevel(call) <= call.domain.level { return [] }
        return (second.question ? [.question] : []) + (second.code ? [.code] : [])
    }

    /// The level that a client wants its login to have: that of the challenge which it answers, or a number.
    private func wantedLevel(_ call: Call) throws(MobileSocialFailure) -> Int {
        if let text = try call.attributes.attribute("Application-Context", or: "requestContext") {
            guard let context = settings.contexts.open(Array(text.utf8).span, now: call.now) else {
                throw .invalidContext
            }
            return context.level
        }
        return Int(try call.attributes.number("level") ?? 0)
    }

    /// Asks for the next answer of a login.
    func ask(
        _ facts: Session.Facts, _ user: User, sessionSeconds: Int64?, steps: [PendingLogin.Step], _ call: Call
    ) -> Answer {
        let questions = user.securityQuestions
        if steps[0] == .question ? questions.isEmpty : user.oneTimeSecret == nil {
            return .done(
                refused(.secondStepMissing, "authenticate", MobileSocial.reference(facts), subject: user.username))
        }
        let question = questions.isEmpty ? 0 : Int(SecureRandom.uint64() % UInt64(questions.count))
        let pending = PendingLogin(
            facts, username: user.username, sessionSeconds: sessionSeconds, steps: steps, question: question,
            now: call.now)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", "challenge")
        writer.member("type", steps[0].rawValue)
        writer.member("challengeId", pending.sealed(settings.key))
        if steps[0] == .question { writer.member("question", questions[question].question) }
        writer.member("expires_in", PendingLogin.lifetimeSeconds)
        writer.endObject()
        return .done(.mobile(writer.bytes, reason: "second_step_asked"))
    }

    /// The answer to what was asked, by `challengeId` and `answer`.
    func answer(_ challenge: String, _ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let text = try call.attributes.member("answer") else { throw .missingAttribute }
        guard let pending = PendingLogin(challenge, settings.key), pending.expiresAt > call.now,
            pending.facts.domain.isExactly(call.domain.name)
        else { throw .wrongAnswer }
        return try withClient(of: call) { [self] client throws(MobileSocialFailure) in
            guard pending.facts.application.isExactly(client.application.name),
                pending.facts.registration.isExactly(client.registration?.id ?? ""),
                let user = settings.users.user(named: pending.username, realm: client.application.backend.realm),
                user.enabled, pending.facts.authenticatedAt >= user.tokensNotBefore
            else { throw .wrongAnswer }
            guard !settings.attempts.isLocked(MobileSocial.attemptKey(pending.facts, user.username), now: call.now)
            else { throw .attemptsExceeded }
            return count(pending, 1, call) { [self] left in
                check(text, pending, user, call) { [self] isRight in
                    isRight
                        ? proceed(pending, user, client.application, call)
                        : refuseAnswer(pending, client.application, left: left, call)
                }
            }
        }
    }

    /// Counts an answer before it is looked at, whichever process it comes to; goes on with how many are left.
    private func count(
        _ pending: PendingLogin, _ place: Int, _ call: Call, _ next: @escaping @Sendable (Int) -> Answer
    ) -> Answer {
        guard place <= PendingLogin.maximumAnswers else { return .deny(.wrongAnswer) }
        return takeOnce("oic\u{1f}answer\u{1f}\(pending.id)\u{1f}\(place)", until: pending.expiresAt, call) {
            [self] isFirst in
            isFirst ? next(PendingLogin.maximumAnswers - place) : count(pending, place + 1, call, next)
        }
    }

    private func takeOnce(
        _ key: String, until: Int64, _ call: Call, _ next: @escaping @Sendable (Bool) -> Answer
    ) -> Answer {
        ask(.remember(key: key, until: until), now: call.now) { next($0 == .fresh(true)) }
    }

    private func check(
        _ text: String, _ pending: PendingLogin, _ user: User, _ call: Call,
        _ next: @escaping @Sendable (Bool) -> Answer
    ) -> Answer {
        switch pending.steps[0] {
        case .question:
            guard user.securityQuestions.indices.contains(pending.question) else { return next(false) }
            let stored = user.securityQuestions[pending.question].answer
            let folded = SecurityQuestion.folded(text)
            return .hash { [self] in next(settings.hasher.verify(folded.span, stored: stored)) }
        case .code:
            guard let secret = user.oneTimeSecret,
                let step = OneTimeCode.step(of: text, secret: secret, now: call.now)
            else { return next(false) }
            // RFC 6238 section 5.2: a code is good for one use.
            let key = "oic\u{1f}code\u{1f}\(user.realm)\u{1f}\(user.username)\u{1f}\(step)"
            return takeOnce(key, until: (step + 2) * OneTimeCode.stepSeconds, call, next)
        }
    }

    /// What comes after a right answer, once: another question, or the session.
    private func proceed(
        _ pending: PendingLogin, _ user: User, _ application: MobileApplication, _ call: Call
    ) -> Answer {
        takeOnce("oic\u{1f}answered\u{1f}\(pending.id)", until: pending.expiresAt, call) { [self] isFirst in
            guard isFirst else { return .deny(.wrongAnswer) }
            var facts = pending.facts
            facts.methods.append(pending.steps[0] == .question ? "kba" : "otp")
            let rest = Array(pending.steps.dropFirst())
            guard rest.isEmpty else {
                return ask(facts, user, sessionSeconds: pending.sessionSeconds, steps: rest, call)
            }
            settings.attempts.forget(MobileSocial.attemptKey(facts, user.username))
            facts.methods.append("mfa")
            let session = Session(
                facts, subject: user.username, backend: application.backend, limit: pending.sessionSeconds,
                now: call.now)
            return open(session, call)
        }
    }

    /// Every wrong answer counts like a wrong password, over all the logins that it was given in: otherwise who has the
    /// password could begin one after the other, and try answers without end.
    private func refuseAnswer(
        _ pending: PendingLogin, _ application: MobileApplication, left: Int, _ call: Call
    ) -> Answer {
        let maximum = max(application.maximumLoginAttempts ?? 0, Int64(PendingLogin.maximumAnswers))
        let allowed = settings.attempts.fail(
            MobileSocial.attemptKey(pending.facts, pending.username), maximum: maximum,
            lockoutSeconds: application.lockoutSeconds, now: call.now)
        let remaining = min(Int64(left), allowed)
        var response = MobileSocialFailure.wrongAnswer.response { $0.member("remainingAttempts", remaining) }
        response.audit =
            refused(
                .wrongAnswer, "authenticate", MobileSocial.reference(pending.facts), subject: pending.username
            ).audit
        return .done(response)
    }

    static func attemptKey(_ facts: Session.Facts, _ user: String) -> LoginAttemptTable.Key {
        LoginAttemptTable.Key(domain: facts.domain, application: facts.application, user: user)
    }

    static func reference(_ facts: Session.Facts) -> String { "\(facts.domain)/\(facts.application)" }
}
