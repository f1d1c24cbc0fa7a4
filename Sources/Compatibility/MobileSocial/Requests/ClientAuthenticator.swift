import Bytes
import Crypto
import Model
import OAuthServer
import TokenStorage

/// Authentication of clients: the calling application and its device.
final class ClientAuthenticator: Sendable {
    private let settings: MobileSocialSettings

    init(_ settings: MobileSocialSettings) { self.settings = settings }

    /// Continues with the client of a call. In a mobile domain it must present a registration handle (oam-wire 8.1,
    /// rule 5); elsewhere a proof is optional, but checked.
    ///
    /// - Parameters:
    ///   - mayBeNew: whether a device of a mobile domain may call without a handle, because it registers with the user
    ///     token of this call.
    ///   - standard: the application of a call that names none; nil for the domain's default.
    func with(
        of call: ServiceCall, mayBeNew: Bool = false, standard: MobileApplication? = nil,
        _ next: @escaping @Sendable (MobileClient) throws(MobileSocialFailure) -> Answer
    ) throws(MobileSocialFailure) -> Answer {
        guard let proof = try proof(in: call, standard) else {
            if call.domain.isMobile, !mayBeNew { throw .missingClientProof }
            let application = try call.namedApplication(standard)
            return .catching { () throws(MobileSocialFailure) in
                try next(MobileClient(application: application, registration: nil))
            }
        }
        guard let application = call.domain.application(named: proof.application) else { throw .invalidClientProof }
        if let named = try call.applicationName(), !named.isExactly(application.name) { throw .invalidClientProof }
        // Handles and tokens cannot be guessed, so the throttle of secrets does not apply to them.
        let isGuess = !call.domain.isMobile && application.sharedSecret != nil
        let attempt = isGuess ? admit(application, proof.secret, call) : nil
        if attempt != nil, isSharedSecret(proof.secret, of: application) {
            attempt?.succeeded()
            return try next(MobileClient(application: application, registration: nil))
        }
        return settings.ask(.find(.access(settings.key.digest(proof.secret))), now: call.now) { [self] found in
            .catching { () throws(MobileSocialFailure) in
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
    func admit(_ application: MobileApplication, _ secret: String, _ call: ServiceCall) -> ClientThrottle.Attempt? {
        settings.clientThrottle.admit(
            call.domain.reference(application), secret: Array(secret.utf8),
            from: ClientOrigin(call.request, now: call.now))
    }

    /// The client with the handle or token of a record.
    private func client(
        _ record: TokenRecord, _ application: MobileApplication, _ domain: ServiceDomain
    ) throws(MobileSocialFailure) -> MobileClient {
        if let registration = DeviceRegistration(record), registration.facts.domain.isExactly(domain.name),
            registration.facts.application.isExactly(application.name)
        {
            // OMS-16: only the holder of the handle learns this.
            if registration.facts.isWiped { throw .deviceWiped }
            return MobileClient(application: application, registration: registration)
        }
        guard record.kind == .client, !domain.isMobile, record.subject.isExactly(application.name),
            record.extra.isExactly(domain.name)
        else { throw .invalidClientProof }
        return MobileClient(application: application, registration: nil)
    }

    private func proof(
        in call: ServiceCall, _ standard: MobileApplication?
    ) throws(MobileSocialFailure) -> ClientProof? {
        if let field = try call.attributes.field("X-Idaas-Rest-Authorization") {
            guard let proof = ClientProof(field) else { throw .invalidClientProof }
            return proof
        }
        guard let handle = try call.attributes.member("registrationHandle") else { return nil }
        return ClientProof(application: try call.namedApplication(standard).name, secret: handle)
    }

    /// In constant time for any content and length.
    func isSharedSecret(_ presented: String, of application: MobileApplication) -> Bool {
        guard let secret = application.sharedSecret else { return false }
        let (expected, given) = (settings.key.digest(secret), settings.key.digest(presented))
        return constantTimeEqual(expected.span, given.span)
    }
}

/// The application that calls, and its device.
struct MobileClient: Sendable {
    let application: MobileApplication
    /// Nil for an unregistered device.
    let registration: DeviceRegistration?
}
