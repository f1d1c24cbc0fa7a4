import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Devices with applications on them (OMS-15, oam-wire 3.3).
extension MobileSocialService {
    /// Gives a handle to whoever shows a user's password or user token: anonymous requests are refused.
    func register(_ call: Call) throws(MobileSocialFailure) -> Answer {
        try check(call, makes: .handle)
        let profile = try deviceProfile(in: call)
        if let token = try userToken(in: call) {
            let application = try clientOfAgent(call)
            let named = try applicationName(in: call)
            return withSession(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try ownApplication(of: session, call.domain)
                // A session is of one application, whatever the body says.
                if let named, application == nil, !named.isExactly(own.name) { throw .notInCircle }
                // AGT-02: the agent alone acquires handles for others.
                let target = try application.map { wanted throws(MobileSocialFailure) in
                    try admit(wanted, behind: own, call.domain)
                }
                return store(
                    profile, target ?? own, subject: session.record.subject, origin: session.facts.registration, call)
            }
        }
        let application = try namedApplication(call)
        guard !call.domain.isClientOfAgent(application) else { throw .useAgent }
        let (username, password) = try credentials(in: call)
        // OMS-10: wrong passwords count wherever they are tried. A device is let in by the server itself, not by what is
        // remembered of a login at it.
        let check = PasswordCheck(
            login: PresentedLogin(username: username, password: password), domain: call.domain,
            application: application,
            maximum: LoginAttempts.maximum(
                server: application.maximumLoginAttempts, merged: application.maximumLoginAttempts),
            completes: false, mayBeOffline: false, network: call.request.address?.subscriberBytes ?? [], now: call.now)
        let client = call.domain.reference(application)
        return self.check(check) { [self] result in
            switch result {
            case .right(let user, _): return store(profile, application, subject: user.username, origin: "", call)
            case .wrong: return .done(refused(.wrongPassword, "register", client, subject: username))
            case .refused(let failure, let seconds):
                return .done(refused(failure, "register", client, subject: username, retryAfter: seconds))
            }
        }
    }

    /// User name and password of a call: attributes, members, or `Authorization: Basic`.
    func credentials(in call: Call) throws(MobileSocialFailure) -> (username: String, password: String) {
        let type = try call.attributes.attribute("Subject-Type") ?? "USERCREDENTIAL"
        guard type.isExactly("USERCREDENTIAL") else { throw .malformedAttribute }
        let username = try call.attributes.attribute("Subject-Username", or: "username")
        let password = try call.attributes.attribute("Subject-Password", or: "password")
        if let username, let password { return (username, password) }
        guard username == nil, password == nil else { throw .missingAttribute }
        guard call.request.authorization.count == 1,
            let pair = PresentedSecret.pair(call.request.authorization[0]),
            let name = String(streamSafe: pair.id),
            let secret = String(streamSafe: pair.secret)
        else { throw .missingAttribute }
        return (name, secret)
    }

    private func store(
        _ profile: DeviceProfile, _ application: MobileApplication, subject: String, origin: String, _ call: Call
    ) -> Answer {
        let handle = TokenType.random("crh")
        let facts = Registration.Facts(
            domain: call.domain.name, application: application.name, device: profile.identity, profile: profile.json,
            origin: origin)
        let registration = Registration(facts, subject: subject, handle: handle, settings.key, now: call.now)
        return ask(.insert(registration.record), now: call.now) { [self] answer in
            guard case .record = answer else { return .deny(.storeUnavailable) }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("X-Idaas-Rest-Token-Type", TokenType.handle.text)
            writer.member("X-Idaas-Rest-Token-Value", handle)
            writer.member("registrationHandle", handle)
            writer.member("expires_in", Registration.lifetimeSeconds)
            writer.endObject()
            // Clients in the field take 200 for success; OMS-15 has 201 for its own names.
            let status = call.attributes.dialect == .attested ? 200 : 201
            var response = EndpointResponse.mobile(status: status, writer.bytes, reason: .deviceRegistered)
            response.audit = AuditEntry(
                action: "oic.register", outcome: .granted, subject: subject,
                client: call.domain.reference(application), tokenID: registration.id)
            return endSurplus(beside: registration, call) { [response] in .done(response) }
        }
    }
}
