import Authorization
import Bytes
import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logins (OMS-06, oam-wire 3.2 and 3.4).
final class LoginEndpoint: Sendable {
    private let settings: MobileSocialSettings
    private let clients: ClientAuthenticator
    private let steps: LoginSteps
    private let sessions: SessionService
    private let providers: ProvidedLogins

    init(
        _ settings: MobileSocialSettings, _ clients: ClientAuthenticator, _ steps: LoginSteps,
        _ sessions: SessionService, _ providers: ProvidedLogins
    ) {
        self.settings = settings
        self.clients = clients
        self.steps = steps
        self.sessions = sessions
        self.providers = providers
    }

    func authenticate(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        let type = TokenType(try call.attributes.attribute("New-Token-Type-To-Create") ?? TokenType.user.text)
        if let challenge = try call.attributes.member("challengeId") { return try answer(challenge, call) }
        if type.isExactly(.client) { return try clientToken(call) }
        guard type.isUser else { throw .unsupportedTokenType }
        if let code = try call.attributes.member("code") { return try providers.redeem(code, type, call) }
        let profile = try call.deviceProfile()
        let subjectType = try call.attributes.attribute("Subject-Type") ?? "USERCREDENTIAL"
        guard ["USERCREDENTIAL", "TOKEN"].contains(where: { $0.isExactly(subjectType) }) else {
            throw .malformedAttribute
        }
        return try clients.with(of: call) { [self] client throws(MobileSocialFailure) in
            if subjectType.isExactly("TOKEN") { return try exchange(type, client, call) }
            return try logIn(type, profile, client, call)
        }
    }

    /// A login by name and password. The password is kept for this request only.
    private func logIn(
        _ type: TokenType, _ profile: DeviceProfile, _ client: MobileClient, _ call: ServiceCall
    ) throws(MobileSocialFailure) -> Answer {
        let (domain, application) = (call.domain, client.application)
        guard !domain.isClientOfAgent(application) else { throw .useAgent }
        let (username, password) = try call.credentials()
        let limit = ServerSetting.merge(
            server: application.maximumLoginAttempts, application: try call.attributes.number("maxLoginAttempts"))
        let allowed = LoginAttempts.maximum(server: application.maximumLoginAttempts, merged: limit)
        let steps = domain.steps(for: domain.secondStep.onDemand ? try wantedLevel(call) : 0)
        let session = SessionTerms(
            domain: domain.name, application: application, type: type, registration: client.registration?.id ?? "",
            device: client.registration?.facts.device ?? profile.identity, proof: try subjectCredentials(call)[0],
            limits: try call.sessionLimits(of: application),
            level: steps.isEmpty ? domain.level : domain.secondStep.level)
        let attempt = PasswordAttempt(
            domain: domain, application: application, login: PresentedLogin(username: username, password: password),
            session: session, steps: steps, allowed: allowed, address: call.request.address)
        return self.steps.logIn(attempt, now: call.now) { [self] outcome in
            reply(outcome, domain.reference(application), subject: username, call)
        }
    }

    /// Digest of a credential, such as the id of the device, that an exchange of the session's token must present.
    /// - Returns: the digests under all keys, that of the one in use in front; an empty text without a credential.
    private func subjectCredentials(_ call: ServiceCall) throws(MobileSocialFailure) -> [String] {
        guard let text = try call.attributes.attribute("Subject-Credential") else { return [""] }
        return settings.key.keyedNames(of: Array(text.utf8))
    }

    /// Exchanges a valid user token for one of another type with the same lifetime, such as a JWT for one of Access
    /// Manager (oam-wire 3.4).
    private func exchange(
        _ type: TokenType, _ client: MobileClient, _ call: ServiceCall
    ) throws(MobileSocialFailure) -> Answer {
        guard let token = try call.userToken() else { throw .missingAttribute }
        let proofs = try subjectCredentials(call)
        return sessions.with(token, call) { [self] session throws(MobileSocialFailure) in
            // An exchanged token cannot be exchanged again, so that a logout finds all tokens of its session.
            guard session.facts.parent.isEmpty, session.facts.application.isExactly(client.application.name),
                session.facts.registration.isExactly(client.registration?.id ?? ""),
                session.facts.proof.isEmpty || proofs.contains(where: session.facts.proof.isExactly)
            else { throw .invalidUserToken }
            var facts = session.facts
            facts.tokenType = type
            facts.parent = session.id
            let child = MobileSession(
                facts, subject: session.record.subject, backend: client.application.backend,
                limit: session.record.accessExpiresAt - call.now, now: call.now)
            return sessions.open(child, call)
        }
    }

    /// A client token for the name and shared secret of an application (oam-wire 3.2).
    private func clientToken(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        guard !call.domain.isMobile else { throw .unsupportedTokenType }
        let (name, secret) = try call.credentials()
        guard let application = call.domain.application(named: name) else {
            return .done(MobileSocialFailure.invalidClientProof.refusal("client-token", call.domain.name))
        }
        guard let attempt = clients.admit(application, secret, call) else {
            return .done(
                MobileSocialFailure.clientThrottled.refusal("client-token", call.domain.reference(application)))
        }
        guard clients.isSharedSecret(secret, of: application) else {
            attempt.failed()
            return .done(MobileSocialFailure.invalidClientProof.refusal("client-token", call.domain.name))
        }
        attempt.succeeded()
        let token = TokenType.random("ct")
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .client, application: application.backend.id,
            subject: application.name, tokenID: "", accessExpiresAt: call.now + application.accessTokenSeconds,
            issuedAt: call.now)
        record.accessDigest = settings.key.digest(token)
        record.extra = call.domain.name
        return settings.ask(.insert(record), now: call.now) { answer in
            guard case .record(let stored?) = answer else { return .deny(.storeUnavailable) }
            let response = EndpointResponse.mobile(reason: .clientTokenIssued) { writer in
                writer.token(TokenType.client.text, token, user: application.name)
                writer.member("expires_in", stored.accessExpiresAt - call.now)
            }
            return .done(
                response.audited(
                    "oic.client-token", .granted, client: call.domain.reference(application), tokenID: stored.id))
        }
    }

    // MARK: The second step (OMS-14)

    /// The level that the login must have: that of the challenge in the request, or a number.
    func wantedLevel(_ call: ServiceCall) throws(MobileSocialFailure) -> Int {
        if let text = try call.attributes.attribute("Application-Context", or: "requestContext") {
            guard let context = settings.contexts.open(Array(text.utf8).span, now: call.now) else {
                throw .invalidContext
            }
            return context.level
        }
        return Int(try call.attributes.number("level") ?? 0)
    }

    /// Continues a pending login by `challengeId` and `answer`.
    func answer(_ challenge: String, _ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        guard let text = try call.attributes.member("answer") else { throw .missingAttribute }
        guard let pending = try? PendingLogin(challenge, settings.seals.pendingLogins, now: call.now),
            pending.facts.domain.isExactly(call.domain.name), call.domain.acceptsPasswords
        else { throw .wrongAnswer }
        return try clients.with(of: call) { [self] client throws(MobileSocialFailure) in
            guard pending.facts.application.isExactly(client.application.name),
                pending.facts.registration.isExactly(client.registration?.id ?? "")
            else { throw .wrongAnswer }
            return steps.check(answer: text, to: pending, client.application, now: call.now).then { [self] outcome in
                reply(outcome, pending.facts.reference, subject: pending.username, call)
            }
        }
    }

    /// - Parameter client: name of the application in the audit log.
    func reply(_ outcome: LoginOutcome, _ client: String, subject: String, _ call: ServiceCall) -> Answer {
        switch outcome {
        case .proven(let session): return sessions.open(session, call)
        case .pending(let pending, let question): return .done(challenge(pending, question))
        case .refused(let failure, let left, let seconds):
            let response = failure.response(retryAfter: left == nil ? seconds : nil) { writer in
                if let left { writer.member("remainingAttempts", left) }
            }
            return .done(response.audited("oic.authenticate", .refused, subject: subject, client: client))
        }
    }

    private func challenge(_ pending: PendingLogin, _ question: String?) -> EndpointResponse {
        .mobile(reason: .secondStepAsked) { writer in
            writer.member("status", "challenge")
            writer.member("type", pending.steps[0].rawValue)
            writer.member("challengeId", pending.sealed(settings.seals.pendingLogins))
            if let question { writer.member("question", question) }
            writer.member("expires_in", PendingLogin.lifetimeSeconds)
        }
    }
}
