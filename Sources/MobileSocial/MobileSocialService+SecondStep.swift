import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Questions and codes beside the password, as applications ask for them (OMS-14).
extension MobileSocialService {
    /// The level that a client wants its login to have: that of the challenge which it answers, or a number.
    func wantedLevel(_ call: Call) throws(MobileSocialFailure) -> Int {
        if let text = try call.attributes.attribute("Application-Context", or: "requestContext") {
            guard let context = settings.contexts.open(Array(text.utf8).span, now: call.now) else {
                throw .invalidContext
            }
            return context.level
        }
        return Int(try call.attributes.number("level") ?? 0)
    }

    /// The answer to what was asked, by `challengeId` and `answer`.
    func answer(_ challenge: String, _ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let text = try call.attributes.member("answer") else { throw .missingAttribute }
        guard let pending = try? PendingLogin(challenge, settings.seals.pendingLogins, now: call.now),
            pending.facts.domain.isExactly(call.domain.name), call.domain.takesPasswords
        else { throw .wrongAnswer }
        return try withClient(of: call) { [self] client throws(MobileSocialFailure) in
            guard pending.facts.application.isExactly(client.application.name),
                pending.facts.registration.isExactly(client.registration?.id ?? "")
            else { throw .wrongAnswer }
            return check(answer: text, to: pending, client.application, now: call.now).then { [self] outcome in
                reply(outcome, MobileSocialService.reference(pending.facts), subject: pending.username, call)
            }
        }
    }

    /// What an application is told of a login's course.
    /// - Parameter client: what the audit log calls it.
    func reply(_ outcome: LoginOutcome, _ client: String, subject: String, _ call: Call) -> Answer {
        switch outcome {
        case .proven(let session): return open(session, call)
        case .pending(let pending, let question): return .done(ask(pending, question))
        case .refused(let failure, let left, let seconds):
            var response = refused(failure, "authenticate", client, subject: subject, retryAfter: seconds)
            if let left {
                let audit = response.audit
                response = failure.response { $0.member("remainingAttempts", left) }
                response.audit = audit
            }
            return .done(response)
        }
    }

    private func ask(_ pending: PendingLogin, _ question: String?) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", "challenge")
        writer.member("type", pending.steps[0].rawValue)
        writer.member("challengeId", pending.sealed(settings.seals.pendingLogins))
        if let question { writer.member("question", question) }
        writer.member("expires_in", PendingLogin.lifetimeSeconds)
        writer.endObject()
        return .mobile(writer.bytes, reason: .secondStepAsked)
    }

    static func reference(_ facts: Session.Facts) -> String { "\(facts.domain)/\(facts.application)" }
}
