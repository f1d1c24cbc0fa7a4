import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Sessions: found by their user tokens, checked, opened, limited for each user, and ended.
final class SessionService: Sendable {
    private let settings: MobileSocialSettings

    init(_ settings: MobileSocialSettings) { self.settings = settings }

    /// Continues with the valid session of a token in the domain of a call.
    func with(
        _ token: String, _ call: ServiceCall,
        _ next: @escaping @Sendable (MobileSession) throws(MobileSocialFailure) -> Answer
    ) -> Answer {
        with(token, of: call.domain.name, now: call.now, next)
    }

    /// The same for any domain where none is named.
    func with(
        _ token: String, of domain: String? = nil, now: Int64,
        _ next: @escaping @Sendable (MobileSession) throws(MobileSocialFailure) -> Answer
    ) -> Answer {
        settings.ask(.find(.access(settings.key.digest(token))), now: now) { [self] found in
            .catching { () throws(MobileSocialFailure) in
                guard case .record(let record?) = found, let session = MobileSession(record),
                    domain.map(session.facts.domain.isExactly) ?? true, isValid(session, now: now)
                else { throw .invalidUserToken }
                return hasFoundations(session, now: now).then { stand in
                    .catching { () throws(MobileSocialFailure) in
                        guard let stand else { throw .storeUnavailable }
                        guard stand else { throw .invalidUserToken }
                        return try next(session)
                    }
                }
            }
        }
    }

    /// Whether the records exist which a session depends on: their end ends the session at once, in every process (OMS-16,
    /// OMS-17). Nil if the store fails.
    private func hasFoundations(_ session: MobileSession, now: Int64) -> Effect<Bool?> {
        settings.store.haveAll(session.facts.foundations[...], now: now) { SessionService.isFoundation($0, at: now) }
    }

    /// Whether the found record is valid for the sessions that depend on it, and no device to be wiped.
    static func isFoundation(_ record: TokenRecord, at now: Int64) -> Bool {
        record.accessLives(at: now) && DeviceRegistration(record)?.facts.isWiped != true
    }

    /// Whether a session is valid apart from its foundations: not expired, idle or revoked, and its user still enabled
    /// with the same password.
    func isValid(_ session: MobileSession, now: Int64) -> Bool {
        let record = session.record
        guard record.accessLives(at: now), !isIdle(session, now: now),
            let application = settings.domain(named: session.facts.domain)?.application(
                named: session.facts.application),
            // Of a login from before the profile was shortened (OMS-08).
            SessionLimits(session: (application.sessionTimeout, nil), idle: (nil, nil))
                .allow(age: now - record.issuedAt, idleFor: 0),
            record.issuedAt >= application.backend.tokensNotBefore,
            !settings.revocations.isRevoked(
                tokenID: record.tokenID, subject: record.subject, backendID: record.application,
                issuer: OwnAccessTokens.issuerName, issuedAt: record.issuedAt),
            let user = settings.user(of: session, application)
        else { return false }
        return user.enabled && record.issuedAt >= user.tokensNotBefore
    }

    /// Whether the session of an id is valid, with the records that it depends on.
    func isValid(_ id: String, now: Int64) -> Effect<Bool> {
        settings.store.ask(.find(.id(id)), now: now) { [self] result in
            guard case .success(.record(let record?)) = result, let session = MobileSession(record),
                isValid(session, now: now)
            else { return .done(false) }
            return hasFoundations(session, now: now).map { $0 == true }
        }
    }

    /// OMS-09
    private func isIdle(_ session: MobileSession, now: Int64) -> Bool {
        session.facts.idleSeconds.map { now - usedAt(session) >= $0 } ?? false
    }

    /// Time of the last use that this process or the store knows.
    func usedAt(_ session: MobileSession) -> Int64 {
        max(session.record.issuedAt, session.record.lastUsedAt, settings.sessions.usedAt(session.id) ?? 0)
    }

    /// Records a use of the session, which also keeps its access tokens from idling.
    func use(_ session: MobileSession, now: Int64) {
        guard let idle = session.facts.idleSeconds else { return }
        _ = settings.sessions.activity(
            of: session.id, idleSeconds: idle, usedAt: now, endsAt: session.record.accessExpiresAt)
    }

    // MARK: Opening

    /// Responds with the valid session of the slot, or with this one in it (CACHE-09). The store gives concurrent
    /// logins the same session.
    func open(_ session: MobileSession, _ call: ServiceCall) -> Answer {
        if session.facts.tokenType.isJWT, settings.signer.key.isSlow {
            return .offload { [self] in claim(session, token: mintUserToken(session), call) }
        }
        let token = session.facts.tokenType.isJWT ? mintUserToken(session) : TokenType.random("ut")
        return claim(session, token: token, call)
    }

    private func claim(_ session: MobileSession, token: String, _ call: ServiceCall) -> Answer {
        let proposed = session.with(token: token, settings.key)
        return settings.ask(.claim(proposed.record), now: call.now) { [self] answer in
            guard case .record(let held?) = answer else { return .deny(.storeUnavailable) }
            if held.id.isExactly(proposed.id) { return opened(proposed, token, call) }
            if let known = MobileSession(held), isValid(known, now: call.now), let token = known.token(settings.key) {
                use(known, now: call.now)
                return .done(reply(known, token, call))
            }
            return settings.ask(.replace(proposed.record), now: call.now) { [self] answer in
                guard case .record = answer else { return .deny(.storeUnavailable) }
                return opened(proposed, token, call)
            }
        }
    }

    private func opened(_ session: MobileSession, _ token: String, _ call: ServiceCall) -> Answer {
        endSurplus(beside: session, call.domain, now: call.now).map { [self] ended in
            ended ? reply(session, token, call) : MobileSocialFailure.storeUnavailable.response
        }
    }

    /// A user token that clients can parse. It is checked by its record in the store like the others; its type keeps it
    /// from being accepted as an access token (RFC 8725 section 3.11).
    private func mintUserToken(_ session: MobileSession) -> String {
        let claims = JSONWriter.object { writer in
            writer.member("iss", settings.issuer)
            writer.member("sub", session.record.subject)
            writer.member("aud", session.facts.domain)
            writer.member("iat", session.record.issuedAt)
            writer.member("exp", session.record.accessExpiresAt)
            writer.member("jti", session.id)
            if session.facts.isOffline { writer.member("offline", true) }
        }
        return String(decoding: settings.signer.sign(claims: claims, type: "ut+jwt"), as: UTF8.self)
    }

    /// The response of a login, with the members of OMS-06 beside the attested ones.
    private func reply(_ session: MobileSession, _ token: String, _ call: ServiceCall) -> EndpointResponse {
        let (facts, subject, isOffline) = (session.facts, session.record.subject, session.facts.isOffline)
        let reason: Reason = isOffline ? .userTokenIssuedOffline : .userTokenIssued
        let response = EndpointResponse.mobile(reason: reason) { writer in
            writer.token(facts.tokenType.base, token, user: subject)
            writer.member("userToken", token)
            writer.member("expires_in", session.record.accessExpiresAt - call.now)
            writer.member("level", facts.level)
            writer.member("user", subject)
            if isOffline { writer.member("offline", true) }
            call.provided?.write(to: &writer)
        }
        return response.audited(
            isOffline ? "oic.authenticate-offline" : "oic.authenticate", .granted, subject: subject,
            client: facts.reference, tokenID: session.id)
    }

    // MARK: Ending

    /// Ends the session of this id. The response is the same for a session that has ended already. A session that the
    /// store does not have, such as one without a service domain, goes on the deny list too.
    ///
    /// - Parameter until: seconds since 1970 when the last token of the session expires.
    func endSession(_ id: String, subject: String, until: Int64, now: Int64) -> Answer {
        settings.ask(.find(.id(id)), now: now) { [self] found in
            if case .record(let record?) = found, let session = MobileSession(record) { return end(session, now: now) }
            let isDenied = settings.revocations.isRevoked(tokenID: id, subject: "", backendID: nil, issuedAt: now)
            if isDenied { return .done(SessionService.loggedOut(subject, id)) }
            let entry = DenyEntry.token(id, subject: subject, until: until)
            return settings.ask(.deny(entry), now: now) { [self] _ in
                settings.revocations.apply(entry)
                return .done(SessionService.loggedOut(subject, id))
            }
        }
    }

    /// Ends a session with its access tokens, including those that the agent got for other applications, and the
    /// sessions that its token was exchanged for. All of these name the session, so its id on the deny list ends them.
    func end(_ session: MobileSession, now: Int64) -> Answer {
        settings.store.end(session.remains[...], by: settings.revocations, now: now).map { ended in
            ended
                ? SessionService.loggedOut(session.record.subject, session.id)
                : MobileSocialFailure.storeUnavailable.response
        }
    }

    private static func loggedOut(_ subject: String, _ id: String) -> EndpointResponse {
        EndpointResponse(
            status: 200, headers: [(name: "Cache-Control", value: "no-store")], body: [], reason: .loggedOut
        ).audited("oic.logout", .changed, subject: subject, tokenID: id)
    }
}

/// Limits for each user of a service domain (`ServiceDomainLimits`). A new item is always accepted, and the least
/// recently used one ends.
extension SessionService {
    /// Ends the sessions beyond the limits beside a new one. Sessions that have ended without the store's knowledge
    /// (with their device or user, or idle) do not count, and those whose foundations have ended are removed.
    /// - Returns: false if the store fails.
    func endSurplus(beside session: MobileSession, _ domain: ServiceDomain, now: Int64) -> Effect<Bool> {
        let (subject, application) = (session.record.subject, session.record.application)
        let list = StoreOperation.list(application: application, subject: subject, limit: .max)
        return settings.store.ask(list, now: now) { [self] result in
            guard case .success(.records(let records)) = result else { return .done(false) }
            let others = records.compactMap(MobileSession.init).filter { other in
                other.facts.domain.isExactly(session.facts.domain) && !other.id.isExactly(session.id)
                    && isValid(other, now: now)
            }
            // The foundations are looked up only if they matter.
            if surplus(of: others, beside: session, domain.limits).isEmpty { return .done(true) }
            return standing(others[...], now: now).then { [self] standing in
                guard let standing else { return .done(false) }
                let fallen = others.filter { other in !standing.contains { $0.id.isExactly(other.id) } }
                let leaving = fallen + surplus(of: standing, beside: session, domain.limits)
                return settings.store.end(leaving.flatMap(\.remains)[...], by: settings.revocations, now: now)
            }
        }
    }

    /// The valid sessions beyond the limits beside a new one.
    private func surplus(
        of others: [MobileSession], beside session: MobileSession, _ limits: ServiceDomainLimits
    ) -> [MobileSession] {
        let idle = others.sorted { usedAt($0) > usedAt($1) }
        let here = idle.filter { $0.isOnDevice(of: session) }
        return Array(idle.dropFirst(limits.sessions - 1) + here.dropFirst(limits.sessionsPerDevice - 1))
    }

    /// Those of the sessions whose foundations stand; nil if the store fails.
    private func standing(
        _ sessions: ArraySlice<MobileSession>, _ found: [MobileSession] = [], now: Int64
    ) -> Effect<[MobileSession]?> {
        guard let first = sessions.first else { return .done(found) }
        return hasFoundations(first, now: now).then { [self] stands in
            guard let stands else { return .done(nil) }
            return standing(sessions.dropFirst(), stands ? found + [first] : found, now: now)
        }
    }
}

extension MobileSession {
    /// Whether two sessions are on one device, or both on unknown ones.
    fileprivate func isOnDevice(of other: MobileSession) -> Bool {
        let (left, right) = (facts, other.facts)
        if !left.registration.isEmpty || !right.registration.isEmpty {
            return left.registration.isExactly(right.registration)
        }
        return left.device.isExactly(right.device)
    }
}
