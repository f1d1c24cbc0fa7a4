import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Sessions by their user tokens.
extension MobileSocialService {
    /// The user token of a call: the subject, a member, or a bearer token (CHAL-10). Nil for a call without one.
    func userToken(in call: Call) throws(MobileSocialFailure) -> String? {
        if let type = try call.attributes.attribute("Subject-Type") {
            guard type.isExactly("TOKEN") else { return nil }
            guard let token = try call.attributes.attribute("Subject-Value") else { throw .missingAttribute }
            return token
        }
        if let token = try call.attributes.attribute("Subject-Value", or: "userToken") { return token }
        return MobileSocialService.presentedToken(call.request)
    }

    /// What follows `Bearer` or `OAM-Auth`.
    static func presentedToken(_ request: EndpointRequest) -> String? {
        guard request.authorization.count == 1 else { return nil }
        let field = Array(request.authorization[0].utf8)
        guard let (name, rest) = Credentials.split(field.span), !rest.isEmpty else { return nil }
        let scheme = field[name.range].map(ASCII.lowercased)
        guard scheme == Array("bearer".utf8) || scheme == Array("oam-auth".utf8) else { return nil }
        return String(validating: field[rest.range], as: UTF8.self)
    }

    /// Goes on with the living session of a token in the domain of a call.
    func withSession(
        _ token: String, _ call: Call, _ next: @escaping @Sendable (Session) throws(MobileSocialFailure) -> Answer
    ) -> Answer {
        ask(.find(.access(settings.key.digest(token))), now: call.now) { [self] found in
            answer { () throws(MobileSocialFailure) in
                guard case .record(let record?) = found, let session = Session(record),
                    session.facts.domain.isExactly(call.domain.name), isAlive(session, now: call.now)
                else { throw .invalidUserToken }
                return withFoundations(session.facts.foundations[...], call) { () throws(MobileSocialFailure) in
                    try next(session)
                }
            }
        }
    }

    /// Asks the store for what a session stands on: whoever ends that ends the session with the same step, in every process
    /// and however many sessions there are (OMS-16, OMS-17).
    private func withFoundations(
        _ ids: ArraySlice<String>, _ call: Call, _ next: @escaping @Sendable () throws(MobileSocialFailure) -> Answer
    ) -> Answer {
        answer { () throws(MobileSocialFailure) in
            guard let first = ids.first else { return try next() }
            return ask(.find(.id(first)), now: call.now) { [self] found in
                guard MobileSocialService.isFoundation(found, at: call.now) else { return .deny(.invalidUserToken) }
                return withFoundations(ids.dropFirst(), call, next)
            }
        }
    }

    /// Whether what the store has found bears a session: it is there, in time, and no device that is to be wiped.
    static func isFoundation(_ found: StoreAnswer, at now: Int64) -> Bool {
        guard case .record(let record?) = found, record.accessLives(at: now) else { return false }
        return Registration(record)?.facts.isWiped != true
    }

    /// Whether a session goes on by itself: in time, not revoked, its user still welcome with the password of the login.
    func isAlive(_ session: Session, now: Int64) -> Bool {
        let record = session.record
        guard record.accessLives(at: now), !isIdle(session, now: now),
            let application = domain(named: session.facts.domain)?.application(named: session.facts.application),
            record.issuedAt >= application.backend.tokensNotBefore,
            !settings.revocations.isRevoked(
                tokenID: record.tokenID, subject: record.subject, backendID: record.application,
                issuer: OwnAccessTokens.issuerName, issuedAt: record.issuedAt),
            let user = user(of: session, application)
        else { return false }
        return user.enabled && record.issuedAt >= user.tokensNotBefore
    }

    /// OMS-09
    private func isIdle(_ session: Session, now: Int64) -> Bool {
        session.facts.idleSeconds.map { now - usedAt(session) >= $0 } ?? false
    }

    /// When a session was used last, as far as this process and the store know.
    func usedAt(_ session: Session) -> Int64 {
        max(session.record.issuedAt, session.record.lastUsedAt, settings.sessions.usedAt(session.id) ?? 0)
    }

    /// Notes that a session was used, for whoever holds its access tokens as well.
    func use(_ session: Session, now: Int64) {
        guard let idle = session.facts.idleSeconds else { return }
        _ = settings.sessions.activity(
            of: session.id, idleSeconds: idle, usedAt: now, endsAt: session.record.accessExpiresAt)
    }

    /// The user of a session, as the gateway knows it now.
    func user(of session: Session, _ application: MobileApplication) -> User? {
        // A provider that looks after the domain no more vouches for nobody in it, nor do passwords where it has none now.
        guard let domain = domain(named: session.facts.domain) else { return nil }
        guard let provision = session.facts.provision else {
            return domain.takesPasswords ? user(named: session.record.subject, application, domain) : nil
        }
        guard domain.relyingParty(named: provision.provider) != nil else { return nil }
        let (name, realm) = (session.record.subject, application.backend.realm)
        // Whom a provider alone knows is not who has an account of the same name (JWT-13).
        if provision.isVirtual { return User(username: name, realm: realm, roles: provision.roles) }
        var account = settings.users.user(named: name, realm: realm)
        account?.roles += provision.roles
        return account
    }

    func ownApplication(
        of session: Session, _ domain: ServiceDomain
    ) throws(MobileSocialFailure) -> MobileApplication {
        guard let application = domain.application(named: session.facts.application) else { throw .invalidUserToken }
        return application
    }

    // MARK: On behalf of others (AGT-02)

    /// The application that the caller asks for something for; nil where that is itself.
    func clientOfAgent(_ call: Call) throws(MobileSocialFailure) -> String? {
        try call.attributes.member("onBehalfOf")
    }

    /// The application of this name, if one that logs in by `agent` in the circle of trust of the domain.
    func admit(
        _ name: String, behind agent: MobileApplication, _ domain: ServiceDomain
    ) throws(MobileSocialFailure) -> MobileApplication {
        guard let application = domain.application(named: name), application.participates,
            let known = domain.agent, known.name.isExactly(agent.name),
            // MBE-09: in another realm the name is somebody else's.
            application.backend.realm.isExactly(agent.backend.realm)
        else { throw .notInCircle }
        return application
    }

    // MARK: Opening

    /// The living session of its slot, or this one in it (CACHE-09). Of logins at the same time one opens the session, and
    /// the store gives it to the others.
    func open(_ session: Session, _ call: Call) -> Answer {
        if session.facts.tokenType.isJWT, minter.isSlow {
            return .offload { [self] in claim(session, token: mintUserToken(session), call) }
        }
        let token = session.facts.tokenType.isJWT ? mintUserToken(session) : TokenType.random("ut")
        return claim(session, token: token, call)
    }

    private func claim(_ session: Session, token: String, _ call: Call) -> Answer {
        let proposed = session.with(token: token, settings.key)
        return ask(.claim(proposed.record), now: call.now) { [self] answer in
            guard case .record(let held?) = answer else { return .deny(.storeUnavailable) }
            if held.id.isExactly(proposed.id) { return opened(proposed, token, call) }
            if let known = Session(held), isAlive(known, now: call.now), let token = known.token(settings.key) {
                use(known, now: call.now)
                return .done(reply(known, token, call))
            }
            return ask(.replace(proposed.record), now: call.now) { [self] answer in
                guard case .record = answer else { return .deny(.storeUnavailable) }
                return opened(proposed, token, call)
            }
        }
    }

    private func opened(_ session: Session, _ token: String, _ call: Call) -> Answer {
        endSurplus(beside: session, call.domain, now: call.now) { [self] in .done(reply(session, token, call)) }
    }

    /// A user token that is a JWT, for clients that look into it. It is a token like the others: what counts is the
    /// record in the store. Its type keeps it from being taken for an access token (RFC 8725 section 3.11).
    private func mintUserToken(_ session: Session) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", session.record.subject)
        writer.member("aud", session.facts.domain)
        writer.member("iat", session.record.issuedAt)
        writer.member("exp", session.record.accessExpiresAt)
        writer.member("jti", session.id)
        if session.facts.isOffline { writer.member("offline", true) }
        writer.endObject()
        return String(decoding: settings.signer.sign(claims: writer.bytes, type: "ut+jwt"), as: UTF8.self)
    }

    /// The reply of a login, with the members of OMS-06 beside the attested ones.
    private func reply(_ session: Session, _ token: String, _ call: Call) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.token(session.facts.tokenType.base, token, user: session.record.subject)
        writer.member("userToken", token)
        writer.member("expires_in", session.record.accessExpiresAt - call.now)
        writer.member("level", session.facts.level)
        writer.member("user", session.record.subject)
        let isOffline = session.facts.isOffline
        if isOffline { writer.member("offline", true) }
        call.provided?.write(to: &writer)
        writer.endObject()
        var response = EndpointResponse.mobile(
            writer.bytes, reason: isOffline ? .userTokenIssuedOffline : .userTokenIssued)
        response.audit = AuditEntry(
            action: isOffline ? "oic.authenticate-offline" : "oic.authenticate", outcome: .granted,
            subject: session.record.subject,
            client: "\(session.facts.domain)/\(session.facts.application)", tokenID: session.id)
        return response
    }
}

extension JSONWriter {
    /// The attested members of a reply with a token (oam-wire 3.4).
    mutating func token(_ type: String, _ value: String, user: String) {
        member("X-Idaas-Rest-Provider-Type", "OAM_11G")
        member("X-Idaas-Rest-Token-Type", type)
        member("X-Idaas-Rest-Token-Value", value)
        member("X-Idaas-Rest-User-Principal", user)
    }
}
