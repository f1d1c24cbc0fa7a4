import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Authentication of clients: the calling application and its device.
extension MobileSocialService {
    struct Client: Sendable {
        let application: MobileApplication
        /// Nil for an unregistered device.
        let registration: Registration?
    }

    /// Continues with the client of a call. In a mobile domain it must present a registration handle (oam-wire 8.1,
    /// rule 5); elsewhere a proof is optional, but checked.
    ///
    /// - Parameters:
    ///   - mayBeNew: whether a device of a mobile domain may call without a handle, because it registers with the user
    ///     token of this call.
    ///   - standard: the application of a call that names none; nil for the domain's default.
    func withClient(
        of call: Call, mayBeNew: Bool = false, standard: MobileApplication? = nil,
        _ next: @escaping @Sendable (Client) throws(MobileSocialFailure) -> Answer
    ) throws(MobileSocialFailure) -> Answer {
        guard let proof = try proof(in: call, standard) else {
            if call.domain.isMobile, !mayBeNew { throw .missingClientProof }
            let application = try namedApplication(call, standard)
            return answer { () throws(MobileSocialFailure) in
                try next(Client(application: application, registration: nil))
            }
        }
        guard let application = call.domain.application(named: proof.application) else { throw .invalidClientProof }
        if let named = try applicationName(in: call), !named.isExactly(application.name) { throw .invalidClientProof }
        // Handles and tokens cannot be guessed, so the throttle of secrets does not apply to them.
        let isGuess = !call.domain.isMobile && application.sharedSecret != nil
        let attempt = isGuess ? admit(application, proof.secret, call) : nil
        if attempt != nil, isSharedSecret(proof.secret, of: application) {
            attempt?.succeeded()
            return try next(Client(application: application, registration: nil))
        }
        return ask(.find(.access(settings.key.digest(proof.secret))), now: call.now) { [self] found in
            answer { () throws(MobileSocialFailure) in
                guard case .record(let record?) = found, record.accessLives(at: call.now) else {
                    attempt?.failed()
                    throw isGuess && attempt == nil ? .clientThrottled : .invalidClientProof
                }
                let client = try client(record, application, call.domain)
                attempt?.withdraw()
                return try next(client)
            }
        }
    }

    /// Nil if too many shared secrets of the application were wrong from the address.
    func admit(_ application: MobileApplication, _ secret: String, _ call: Call) -> ClientThrottle.Attempt? {
        settings.clientThrottle.admit(
            call.domain.reference(application), secret: Array(secret.utf8),
            from: ClientOrigin(call.request, now: call.now))
    }

    /// The client with the handle or token of a record.
    private func client(
        _ record: TokenRecord, _ application: MobileApplication, _ domain: ServiceDomain
    ) throws(MobileSocialFailure) -> Client {
        if let registration = Registration(record), registration.facts.domain.isExactly(domain.name),
            registration.facts.application.isExactly(application.name)
        {
            // OMS-16: only the holder of the handle learns this.
            if registration.facts.isWiped { throw .deviceWiped }
            return Client(application: application, registration: registration)
        }
        guard record.kind == .client, !domain.isMobile, record.subject.isExactly(application.name),
            record.extra.isExactly(domain.name)
        else { throw .invalidClientProof }
        return Client(application: application, registration: nil)
    }

    private func proof(
        in call: Call, _ standard: MobileApplication?
    ) throws(MobileSocialFailure) -> ClientProof? {
        if let field = try call.attributes.field("X-Idaas-Rest-Authorization") {
            guard let proof = ClientProof(field) else { throw .invalidClientProof }
            return proof
        }
        guard let handle = try call.attributes.member("registrationHandle") else { return nil }
        return ClientProof(application: try namedApplication(call, standard).name, secret: handle)
    }

    /// The application named by the body: `clientId` of existing clients, `appName` in OMS-06.
    func applicationName(in call: Call) throws(MobileSocialFailure) -> String? {
        let (attested, plain) = (try call.attributes.member("clientId"), try call.attributes.member("appName"))
        if let attested, let plain, !attested.isExactly(plain) { throw .conflictingAttribute }
        return attested ?? plain
    }

    /// The application named by the body, or the default.
    func namedApplication(
        _ call: Call, _ standard: MobileApplication? = nil
    ) throws(MobileSocialFailure) -> MobileApplication {
        if let standard, try applicationName(in: call) == nil { return standard }
        let standard = call.domain.applications.count == 1 ? call.domain.applications[0].name : nil
        guard let name = try applicationName(in: call) ?? call.domain.defaultApplication ?? standard else {
            throw .missingAttribute
        }
        guard let application = call.domain.application(named: name) else { throw .unknownApplication }
        return application
    }

    /// In constant time for any content and length.
    func isSharedSecret(_ presented: String, of application: MobileApplication) -> Bool {
        guard let secret = application.sharedSecret else { return false }
        let (expected, given) = (settings.key.digest(secret), settings.key.digest(presented))
        return constantTimeEqual(expected.span, given.span)
    }

    /// The device profile of the call, if the domain accepts such devices (OMS-15).
    func deviceProfile(in call: Call) throws(MobileSocialFailure) -> DeviceProfile {
        guard let node = call.attributes.node("deviceProfile"), !node.isNull else { return .none }
        guard node.members != nil else { throw .malformedAttribute }
        guard let profile = DeviceProfile.read(node) else { throw .deviceProfileTooLong }
        if call.domain.deviceRules.contains(where: { $0.denies(profile) }) { throw .deviceDenied }
        return profile
    }
}

/// Registration of devices (OMS-15, oam-wire 3.3).
extension MobileSocialService {
    /// Grants a handle for a user's password or user token; anonymous requests are refused.
    func register(_ call: Call) throws(MobileSocialFailure) -> Answer {
        try check(call, makes: .handle)
        let profile = try deviceProfile(in: call)
        if let token = try userToken(in: call) {
            let application = try clientOfAgent(call)
            let named = try applicationName(in: call)
            return withSession(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try ownApplication(of: session, call.domain)
                // A session belongs to one application.
                if let named, application == nil, !named.isExactly(own.name) { throw .notInCircle }
                // AGT-02: only the agent gets handles for other applications.
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
        // OMS-10: wrong passwords count here too. A registration needs the server itself and not the offline verifier.
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
            // Existing clients expect 200; OMS-15 has 201 for the short names.
            let status = call.attributes.dialect == .attested ? 200 : 201
            let response = EndpointResponse.mobile(status: status, reason: .deviceRegistered) { writer in
                writer.member("X-Idaas-Rest-Token-Type", TokenType.handle.text)
                writer.member("X-Idaas-Rest-Token-Value", handle)
                writer.member("registrationHandle", handle)
                writer.member("expires_in", Registration.lifetimeSeconds)
            }.audited(
                "oic.register", .granted, subject: subject, client: call.domain.reference(application),
                tokenID: registration.id)
            return endSurplus(beside: registration, call) { .done(response) }
        }
    }
}
