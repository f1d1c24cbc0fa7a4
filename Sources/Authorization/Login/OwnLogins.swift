import Bytes
import Crypto
import Endpoints
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logins for the clients of the token service, and for pages of routes.
struct OwnLogins: LoginPlace {
    let flow: LoginFlow

    /// Maximum number of sessions of one user at a provider.
    static let maximumSessions = 256

    private var service: TokenService { flow.service }

    let name = "single sign-on"
    let purpose = LoginPurpose.Kind.client
    let action = "sso.login"
    let wrongPassword = Reason.wrongPassword
    let highestLevel = Principal.standardLevel
    let isOfDomain = false

    func address(of request: LoginRequest, now: Int64) -> (path: String, query: [(String, String)]) {
        (service.settings.paths[.login], [("request", request.sealed(flow.seals.loginRequests, now: now))])
    }

    func knownName(_ visit: Visit) -> String { visit.request.authorization?.loginHint ?? "" }

    func verify(
        _ login: PresentedLogin, in visit: Visit, then next: @escaping @Sendable (LoginStep) -> Answer
    ) -> Answer {
        service.logins.login(
            login.username, password: Array(login.password.utf8), realm: realm(of: login.username, visit),
            network: visit.browser.request.address?.subscriberBytes ?? [], now: visit.now
        ).then { result in
            switch result {
            case .success(let user):
                var session = newSession(user.username, realm: user.realm, at: LoginChoice.ownForm, visit)
                session.login.methods = ["pwd"]
                return next(.proven(proven(session, visit)))
            case .failure(.wrongPassword):
                return next(
                    .refused(
                        .wrongPassword, EndpointResponse(status: 401, headers: [], body: [], reason: wrongPassword)))
            case .failure(.throttled(let seconds)):
                let refusal = EndpointResponse(
                    status: 429, headers: [(name: "Retry-After", value: "\(seconds)")], body: [],
                    reason: TokenFailure.loginThrottled.definition.reason)
                return next(.refused(.tooManyAttempts(retryAfter: seconds), refusal))
            }
        }
    }

    /// The realm to look a user up in: the client's, or if it has no such user, the realm of the only user with this
    /// name. The user learns about the wrong realm after the password was verified (SSO-10).
    private func realm(of username: String, _ visit: Visit) -> String {
        let users = service.settings.users
        guard users.user(named: username, realm: visit.realm) == nil else { return visit.realm }
        let others = users.users(named: username, realm: nil)
        return others.count == 1 ? others[0].realm : visit.realm
    }

    /// There is none.
    func further(_ challenge: String, _ visit: Visit) throws(BrowserLoginFailure) -> FurtherStep {
        throw .foreignForm
    }

    func admit(
        _ identity: ProvidedIdentity, _ visit: Visit
    ) throws(ExternalIdentityRejection) -> AdmittedUser {
        guard let rules = flow.providers?.provider(named: identity.provider)?.rules else { throw .unknownUser }
        let catalogue = service.settings.catalogue
        let known = try rules.identify(
            identity, realm: visit.realm, users: service.settings.users, catalogue: catalogue)
        var session = newSession(known.username, realm: visit.realm, at: identity.provider, visit)
        session.login.isVirtual = known.virtual
        session.levels = identity.levels
        session.login.providerTime = visit.knownTime(of: identity)
        // Roles of an account are looked up when a token is made.
        let assigned = catalogue.names(of: catalogue.roles(named: known.user?.roles ?? []))
        session.login.roles = catalogue.names(of: known.roles).filter { role in
            !assigned.contains { $0.isExactly(role) }
        }
        let until = session.expiresAt + max(flow.settings.pageTokenSeconds(), service.longestUse)
        let login = { @Sendable [session] (foundation: String) in
            var session = session
            session.foundations = [foundation]
            // Last, since the claims have what the rest leaves of the cookie.
            if let kept = flow.settings.claimsByProvider[identity.provider] {
                flow.seals.keep(kept, of: identity.claims, in: &session)
            }
            return proven(session, visit)
        }
        return (session.subject, until, login)
    }

    // MARK: The session

    /// The session of a user who has just logged in, with a new id (against session fixation). Tokens of the same
    /// user's earlier login by this browser stay valid.
    private func newSession(
        _ subject: String, realm: String, at provider: String, _ visit: Visit
    ) -> Session {
        let earlier = flow.sealedSession(of: visit.browser).flatMap { session in
            session.subject.isExactly(subject) && session.realm.isExactly(realm)
                && session.provider.isExactly(provider) && flow.isAccepted(session) ? session : nil
        }
        let limits = flow.settings.limits(at: provider)
        var session = Session(
            id: AccessTokenMinter.randomID(), family: earlier?.family ?? AccessTokenMinter.randomID(),
            subject: subject, realm: realm, provider: provider,
            login: LoginFacts(authenticatedAt: visit.now, level: Principal.standardLevel),
            expiresAt: visit.now + limits.session)
        session.idleSeconds = limits.idle
        return session
    }

    private func proven(_ session: Session, _ visit: Visit) -> ProvenLogin {
        var record = TokenRecord(
            id: session.id, kind: .signOn, application: "sso/\(session.provider)", subject: session.subject,
            tokenID: session.id, accessExpiresAt: session.expiresAt, issuedAt: visit.now)
        record.attributes = Array("{}".utf8)
        return (session, record)
    }

    func refusal(of session: Session, _ visit: Visit) -> EndpointResponse? {
        if visit.request.page == nil { return nil }
        guard visit.isOfRealm(session) else { return flow.refuseRealm(session, visit) }
        return flow.isAccepted(session)
            ? nil : flow.otherAccount(.forbidden, status: 403, reason: .loginForbidden, visit)
    }

    func store(_ login: ProvenLogin, _ visit: Visit) -> Effect<EndpointResponse?> {
        let record = login.record
        return service.settings.store.ask(.insert(record), now: visit.now) { result in
            guard case .success(.record(_?)) = result else { return .done(SingleSignOnFailure.unavailable.response) }
            return surplus(beside: record, now: visit.now).then { surplus in
                var leaving = surplus.map { DenyEntry.token($0.id, subject: $0.subject, until: $0.accessExpiresAt) }
                if let earlier = flow.sealedSession(of: visit.browser) {
                    leaving.append(.token(earlier.id, subject: earlier.subject, until: earlier.expiresAt))
                }
                return end(leaving[...], now: visit.now).map { nil }
            }
        }
    }

    /// Ends sessions, whose cookies count on routes until they are denied. If the store fails, they last until they expire.
    private func end(_ sessions: ArraySlice<DenyEntry>, now: Int64) -> Effect<Void> {
        guard let first = sessions.first else { return .done(()) }
        return service.settings.store.ask(.deny(first), now: now) { result in
            if case .success = result { service.settings.revocations.apply(first) }
            return service.settings.store.forget([first.name], now: now).then { end(sessions.dropFirst(), now: now) }
        }
    }

    /// The oldest sessions beyond the maximum.
    private func surplus(beside record: TokenRecord, now: Int64) -> Effect<[TokenRecord]> {
        let list = StoreOperation.list(application: record.application, subject: record.subject, limit: .max)
        return service.settings.store.ask(list, now: now) { answer in
            guard case .success(.records(let records)) = answer else { return .done([]) }
            return .done(Array(records.dropFirst(OwnLogins.maximumSessions)))
        }
    }

    func counts(_ session: Session, _ visit: Visit) -> Effect<Bool> {
        guard flow.session(of: visit.browser, visit) == session else { return .done(false) }
        return flow.isStored(session, now: visit.now).map { $0 == true }
    }
}
