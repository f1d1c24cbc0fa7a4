import Bytes
import Identity
import TokenStorage

/// How much one user has in a service domain (`ServiceDomain.Limits`). What is new always gets in, and what was used last
/// the longest time ago makes room: a user with a new device is never kept out by those in the drawer.
extension MobileSocialService {
    /// Ends what is too much beside a session that was just opened, then goes on. Sessions that have ended without the
    /// store's knowing (with their device, their user, by lying idle) are none too much, and those that never come back go.
    func endSurplus(
        beside session: Session, _ domain: ServiceDomain, now: Int64, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let (subject, application) = (session.record.subject, session.record.application)
        let list = StoreOperation.list(application: application, subject: subject, limit: .max)
        return ask(list, now: now) { [self] answer in
            guard case .records(let records) = answer else { return .deny(.storeUnavailable) }
            let others = records.compactMap(Session.init).filter { other in
                other.facts.domain.isExactly(session.facts.domain) && !other.id.isExactly(session.id)
                    && isAlive(other, now: now)
            }
            // What they stand on is asked for where that may decide.
            if surplus(of: others, beside: session, domain.limits).isEmpty { return next() }
            return withFallen(others.flatMap(\.facts.foundations), now: now) { [self] fallen in
                var (standing, leaving): ([Session], [Session]) = ([], [])
                for other in others {
                    let stands = other.facts.foundations.allSatisfy { !fallen.contains(Array($0.utf8)) }
                    if stands { standing.append(other) } else { leaving.append(other) }
                }
                leaving += surplus(of: standing, beside: session, domain.limits)
                return revoke(leaving.flatMap(\.remains)[...], now: now, then: next)
            }
        }
    }

    /// The living sessions that are too much beside a new one.
    private func surplus(
        of others: [Session], beside session: Session, _ limits: ServiceDomain.Limits
    ) -> [Session] {
        let idle = others.sorted { usedAt($0) > usedAt($1) }
        let here = idle.filter { $0.isOnDevice(of: session) }
        return Array(idle.dropFirst(limits.sessions - 1) + here.dropFirst(limits.sessionsPerDevice - 1))
    }

    /// Goes on with those of some ids of foundations that bear nothing any more, as bytes.
    private func withFallen(
        _ ids: [String], now: Int64, _ next: @escaping @Sendable (Set<[UInt8]>) -> Answer
    ) -> Answer {
        let ids = Array(Set(ids.map { Array($0.utf8) }))
        return withFallen(ids[...], [], now: now, next)
    }

    private func withFallen(
        _ ids: ArraySlice<[UInt8]>, _ fallen: Set<[UInt8]>, now: Int64,
        _ next: @escaping @Sendable (Set<[UInt8]>) -> Answer
    ) -> Answer {
        guard let first = ids.first else { return next(fallen) }
        return ask(.find(.id(String(decoding: first, as: UTF8.self))), now: now) { [self] found in
            let bears = MobileSocialService.isFoundation(found, at: now)
            return withFallen(ids.dropFirst(), bears ? fallen : fallen.union([first]), now: now, next)
        }
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
