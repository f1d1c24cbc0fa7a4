import Bytes
import Endpoints
import Identity
import Model
import Outbound
import TokenStorage

/// Registration of devices (OMS-15, oam-wire 3.3).
final class RegistrationEndpoint: Sendable {
    private let settings: MobileSocialSettings
    private let passwords: PasswordChecker
    private let sessions: SessionService

    init(_ settings: MobileSocialSettings, _ passwords: PasswordChecker, _ sessions: SessionService) {
        self.settings = settings
        self.passwords = passwords
        self.sessions = sessions
    }

    /// Grants a handle for a user's password or user token; anonymous requests are refused.
    func register(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        try call.check(makes: .handle)
        let profile = try call.deviceProfile()
        if let token = try call.userToken() {
            let application = try call.clientOfAgent()
            let named = try call.applicationName()
            return sessions.with(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try call.domain.application(of: session)
                // A session belongs to one application.
                if let named, application == nil, !named.isExactly(own.name) { throw .notInCircle }
                // AGT-02: only the agent gets handles for other applications.
                let target = try application.map { wanted throws(MobileSocialFailure) in
                    try call.domain.admit(wanted, behind: own)
                }
                return store(
                    profile, target ?? own, subject: session.record.subject, origin: session.facts.registration, call)
            }
        }
        let application = try call.namedApplication()
        guard !call.domain.isClientOfAgent(application) else { throw .useAgent }
        let (username, password) = try call.credentials()
        // OMS-10: wrong passwords count here too. A registration needs the server itself and not the offline verifier.
        let check = PasswordCheck(
            login: PresentedLogin(username: username, password: password), domain: call.domain,
            application: application,
            maximum: LoginAttempts.maximum(
                server: application.maximumLoginAttempts, merged: application.maximumLoginAttempts),
            completes: false, mayBeOffline: false, network: call.request.address?.subscriberBytes ?? [], now: call.now)
        let client = call.domain.reference(application)
        return passwords.check(check) { [self] result in
            switch result {
            case .right(let user, _): return store(profile, application, subject: user.username, origin: "", call)
            case .wrong: return .done(MobileSocialFailure.wrongPassword.refusal("register", client, subject: username))
            case .refused(let failure, let seconds):
                return .done(failure.refusal("register", client, subject: username, retryAfter: seconds))
            }
        }
    }

    private func store(
        _ profile: DeviceProfile, _ application: MobileApplication, subject: String, origin: String, _ call: ServiceCall
    ) -> Answer {
        let handle = TokenType.random("crh")
        let facts = DeviceRegistration.Facts(
            domain: call.domain.name, application: application.name, device: profile.identity, profile: profile.json,
            origin: origin)
        let registration = DeviceRegistration(facts, subject: subject, handle: handle, settings.key, now: call.now)
        return settings.ask(.insert(registration.record), now: call.now) { [self] answer in
            guard case .record = answer else { return .deny(.storeUnavailable) }
            // Existing clients expect 200; OMS-15 has 201 for the short names.
            let status = call.attributes.dialect == .attested ? 200 : 201
            let response = EndpointResponse.mobile(status: status, reason: .deviceRegistered) { writer in
                writer.member("X-Idaas-Rest-Token-Type", TokenType.handle.text)
                writer.member("X-Idaas-Rest-Token-Value", handle)
                writer.member("registrationHandle", handle)
                writer.member("expires_in", DeviceRegistration.lifetimeSeconds)
            }.audited(
                "oic.register", .granted, subject: subject, client: call.domain.reference(application),
                tokenID: registration.id)
            return endSurplus(beside: registration, call) { .done(response) }
        }
    }

    /// The same for a device. Devices to be wiped keep their registration, so that they learn about it (OMS-16).
    private func endSurplus(
        beside registration: DeviceRegistration, _ call: ServiceCall, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let subject = registration.record.subject
        let list = StoreOperation.list(application: DeviceRegistration.register, subject: subject, limit: .max)
        return settings.ask(list, now: call.now) { [self] answer in
            guard case .records(let records) = answer else { return .deny(.storeUnavailable) }
            let others = records.compactMap(DeviceRegistration.init).filter { other in
                !other.facts.isWiped && other.facts.domain.isExactly(registration.facts.domain)
                    && !other.id.isExactly(registration.id)
            }
            let leaving = others.dropFirst(call.domain.limits.registrations - 1).map(\.id)
            return settings.store.end(leaving[...], by: settings.revocations, now: call.now).then {
                $0 ? next() : .deny(.storeUnavailable)
            }
        }
    }
}
