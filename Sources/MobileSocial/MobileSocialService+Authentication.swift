import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logins (OMS-06, oam-wire 3.2 and 3.4).
extension MobileSocialService {
    func authenticate(_ call: Call) throws(MobileSocialFailure) -> Answer {
        let type = TokenType(try call.attributes.attribute("New-Token-Type-To-Create") ?? TokenType.user.text)
        if let challenge = try call.attributes.member("challengeId") { return try answer(challenge, call) }
        if type.isExactly(.client) { return try clientToken(call) }
        guard type.isUser else { throw .unsupportedTokenType }
        if let code = try call.attributes.member("code") { return try redeem(code, type, call) }
        let profile = try deviceProfile(in: call)
        let subjectType = try call.attributes.attribute("Subject-Type") ?? "USERCREDENTIAL"
        guard ["USERCREDENTIAL", "TOKEN"].contains(where: { $0.isExactly(subjectType) }) else {
            throw .malformedAttribute
        }
        return try withClient(of: call) { [self] client throws(MobileSocialFailure) in
            if subjectType.isExactly("TOKEN") { return try exchange(type, client, call) }
            return try logIn(type, profile, client, call)
        }
    }

    /// A login by name and password. The password lives in this request alone.
    private func logIn(
        _ type: TokenType, _ profile: DeviceProfile, _ client: Client, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        let (domain, application) = (call.domain, client.application)
        guard !domain.isClientOfAgent(application) else { throw .useAgent }
        let (username, password) = try credentials(in: call)
        let limit = ServerSetting.merge(
            server: application.maximumLoginAttempts, application: try call.attributes.number("maxLoginAttempts"))
        let allowed = LoginAttempts.maximum(server: application.maximumLoginAttempts, merged: limit)
        let steps = MobileSocialService.steps(of: domain, for: domain.secondStep.onDemand ? try wantedLevel(call) : 0)
        let wish = SessionWish(
            domain: domain.name, application: application, type: type, registration: client.registration?.id ?? "",
            device: client.registration?.facts.device ?? profile.identity, proof: try subjectCredential(call),
            limits: try sessionLimits(of: application, call),
            level: steps.isEmpty ? domain.level : domain.secondStep.level)
        let attempt = PasswordAttempt(
            domain: domain, application: application, login: PresentedLogin(username: username, password: password),
            wish: wish, steps: steps, allowed: allowed, address: call.request.address)
        return logIn(attempt, now: call.now) { [self] outcome in
            reply(outcome, domain.reference(application), subject: username, call)
        }
    }

    /// What the session's token is to be shown with when it is exchanged, such as the id of the device: a digest of it.
    private func subjectCredential(_ call: Call) throws(MobileSocialFailure) -> String {
        guard let text = try call.attributes.attribute("Subject-Credential") else { return "" }
        return settings.key.tokenID(of: Array(text.utf8).span)
    }

    func sessionLimits(
        of application: MobileApplication, _ call: Call
    ) throws(MobileSocialFailure) -> SessionLimits {
        SessionLimits(
            session: (application.sessionTimeout, try call.attributes.number("sessionTimeout")),
            idle: (application.idleTimeout, try call.attributes.number("idleTimeout")))
    }

    /// A living user token for another one of the same session's user, such as a JWT for one of Access Manager
    /// (oam-wire 3.4). It lasts as long as the other, and no longer.
    private func exchange(
        _ type: TokenType, _ client: Client, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        let proof = try subjectCredential(call)
        return withSession(token, call) { [self] session throws(MobileSocialFailure) in
            // What came of an exchange is not exchanged again: a logout finds all that came of its session.
            guard session.facts.parent.isEmpty, session.facts.application.isExactly(client.application.name),
                session.facts.registration.isExactly(client.registration?.id ?? ""),
                session.facts.proof.isEmpty || session.facts.proof.isExactly(proof)
            else { throw .invalidUserToken }
            var facts = session.facts
            facts.tokenType = type
            facts.parent = session.id
            let child = Session(
                facts, subject: session.record.subject, backend: client.application.backend,
                limit: session.record.accessExpiresAt - call.now, now: call.now)
            return open(child, call)
        }
    }

    /// A token of an application that is no registered device, for its profile's id and shared secret (oam-wire 3.2).
    private func clientToken(_ call: Call) throws(MobileSocialFailure) -> Answer {
        guard !call.domain.isMobile else { throw .unsupportedTokenType }
        let (name, secret) = try credentials(in: call)
        guard let application = call.domain.application(named: name) else {
            return .done(refused(.invalidClientProof, "client-token", call.domain.name))
        }
        guard let attempt = admit(application, secret, call) else {
            return .done(refused(.clientThrottled, "client-token", call.domain.reference(application)))
        }
        guard isSharedSecret(secret, of: application) else {
            attempt.failed()
            return .done(refused(.invalidClientProof, "client-token", call.domain.name))
        }
        attempt.succeeded()
        let token = TokenType.random("ct")
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .client, application: application.backend.mobileBackendID,
            subject: application.name, tokenID: "", accessExpiresAt: call.now + application.accessTokenSeconds,
            issuedAt: call.now)
        record.accessDigest = settings.key.digest(token)
        record.extra = call.domain.name
        return ask(.insert(record), now: call.now) { answer in
            guard case .record(let stored?) = answer else { return .deny(.storeUnavailable) }
            var writer = JSONWriter()
            writer.beginObject()
            writer.token(TokenType.client.text, token, user: application.name)
            writer.member("expires_in", stored.accessExpiresAt - call.now)
            writer.endObject()
            var response = EndpointResponse.mobile(writer.bytes, reason: .clientTokenIssued)
            response.audit = AuditEntry(
                action: "oic.client-token", outcome: .granted, client: call.domain.reference(application),
                tokenID: stored.id)
            return .done(response)
        }
    }
}
