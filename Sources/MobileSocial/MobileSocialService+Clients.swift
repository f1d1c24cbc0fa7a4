import Bytes
import Crypto
import Identity
import OAuthServer
import TokenStorage

/// Which application calls, and on which device.
extension MobileSocialService {
    struct Client: Sendable {
        let application: MobileApplication
        /// Nil for a client that is no registered device.
        let registration: Registration?
    }

    /// Goes on with the client of a call. In a mobile domain it has a registration handle (oam-wire 8.1, rule 5);
    /// elsewhere it may do without, and whatever it shows is checked.
    ///
    /// - Parameters:
    ///   - mayBeNew: whether a device of a mobile domain may come without a handle: one that gets its first user token by
    ///     other means than a password registers with that.
    ///   - standard: the application of a call that names none; nil for that of the domain.
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
        // Handles and tokens are random, and nobody guesses one: they are good however many secrets were wrong.
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

    /// Nil where too many shared secrets of the application were wrong from there.
    func admit(_ application: MobileApplication, _ secret: String, _ call: Call) -> ClientThrottle.Attempt? {
        settings.clientThrottle.admit(
            call.domain.reference(application), secret: Array(secret.utf8),
            from: ClientOrigin(call.request, now: call.now))
    }

    /// The client whose handle or token a record is.
    private func client(
        _ record: TokenRecord, _ application: MobileApplication, _ domain: ServiceDomain
    ) throws(MobileSocialFailure) -> Client {
        if let registration = Registration(record), registration.facts.domain.isExactly(domain.name),
            registration.facts.application.isExactly(application.name)
        {
            // OMS-16: told to whoever has the handle, and to nobody else.
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

    /// The name that the body gives: `clientId` in the field, `appName` in OMS-06.
    func applicationName(in call: Call) throws(MobileSocialFailure) -> String? {
        let (attested, plain) = (try call.attributes.member("clientId"), try call.attributes.member("appName"))
        if let attested, let plain, !attested.isExactly(plain) { throw .conflictingAttribute }
        return attested ?? plain
    }

    /// The application that the body names, or that of requests which name none.
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

    /// The time taken tells neither content nor length.
    func isSharedSecret(_ presented: String, of application: MobileApplication) -> Bool {
        guard let secret = application.sharedSecret else { return false }
        let (expected, given) = (settings.key.digest(secret), settings.key.digest(presented))
        return constantTimeEqual(expected.span, given.span)
    }

    /// What the client tells of its device, where the domain lets such devices in (OMS-15).
    func deviceProfile(in call: Call) throws(MobileSocialFailure) -> DeviceProfile {
        guard let node = call.attributes.node("deviceProfile"), !node.isNull else { return .none }
        guard node.members != nil else { throw .malformedAttribute }
        guard let profile = DeviceProfile.read(node) else { throw .deviceProfileTooLong }
        if call.domain.deviceRules.contains(where: { $0.denies(profile) }) { throw .deviceDenied }
        return profile
    }
}
