import Identity
import JOSE

/// How much one user has in a service domain (`ServiceDomain.Limits`). What is new always gets in, and what was used last
/// the longest time ago makes room: a user with a new device is never kept out by those in the drawer.
extension MobileSocial {
    /// Ends what is too much beside a session that was just opened, then goes on.
    func endSurplus(
        beside session: Session, _ domain: ServiceDomain, now: Int64, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let (subject, application) = (session.record.subject, session.record.application)
        let list = StoreOperation.list(application: application, subject: subject, limit: .max)
        return ask(list, now: now) { [self] answer in
            guard case .records(let records) = answer else { return .deny(.storeUnavailable) }
            let others = records.compactMap(Session.init).filter { other in
                other.record.accessLives(at: now) && other.facts.domain.isExactly(session.facts.domain)
                    && !other.id.isExactly(session.id)
            }
            let idle = others.sorted { usedAt($0) > usedAt($1) }
            let limits = domain.limits
            var leaving = idle.dropFirst(limits.sessions - 1).map(\.id)
            let here = idle.filter { $0.isOnDevice(of: session) }
            leaving += here.dropFirst(limits.sessionsPerDevice - 1).map(\.id)
            return revoke(leaving[...], now: now, then: next)
        }
    }

    /// As far as this process and the store know.
    private func usedAt(_ session: Session) -> Int64 {
        max(session.record.issuedAt, session.record.lastUsedAt, settings.sessions.usedAt(session.id) ?? 0)
    }

    /// The same for a device. One that is to be wiped stays known, so that it learns of that (OMS-16).
    func endSurplus(
        beside registration: Registration, _ call: Call, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let subject = registration.record.subject
        let list = StoreOperation.list(application: Registration.register, subject: subject, limit: .max)
        return ask(list, now: call.now) { [self] answer in
            guard case .records(let records) = answer else { return .deny(.storeUnavailable) }
            let others = records.compactMap(Registration.init).filter { other in
                !other.facts.isWiped && other.facts.domain.isExactly(registration.facts.domain)
                    && !other.id.isExactly(registration.id)
            }
            let leaving = others.dropFirst(call.domain.limits.registrations - 1).map(\.id)
            return revoke(leaving[...], now: call.now, then: next)
        }
    }
}

extension Session {
    /// Whether two sessions are on one device, or both on none that is known.
    fileprivate func isOnDevice(of other: Session) -> Bool {
        let (left, right) = (facts, other.facts)
        if !left.registration.isEmpty || !right.registration.isEmpty {
            return left.registration.isExactly(right.registration)
        }
        return left.device.isExactly(right.device)
    }
}
