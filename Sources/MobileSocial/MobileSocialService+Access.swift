import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Access tokens for the challenges of Webgates (CHAL-10, oam-wire 3.5).
extension MobileSocialService {
    func access(_ call: Call) throws(MobileSocialFailure) -> Answer {
        try check(call, makes: .access)
        let context = try context(of: call)
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        let behalf = try clientOfAgent(call)
        let (proof, name) = (try call.attributes.field("X-Idaas-Rest-Authorization"), try applicationName(in: call))
        guard proof == nil, name == nil else { return try access(token, behalf, nil, context, call) }
        // The user token names the default application (oam-wire 3.5). It is validated later.
        return ask(.find(.access(settings.key.digest(token))), now: call.now) { [self] found in
            answer { () throws(MobileSocialFailure) in
                var application: MobileApplication?
                if case .record(let record?) = found, let session = Session(record),
                    session.facts.domain.isExactly(call.domain.name)
                {
                    application = call.domain.application(named: session.facts.application)
                }
                return try access(token, behalf, application, context, call)
            }
        }
    }

    /// - Parameters:
    ///   - name: application that the token is for; nil for the caller's own.
    ///   - standard: application of a call that names none.
    private func access(
        _ token: String, _ name: String?, _ standard: MobileApplication?, _ context: RequestContext, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        try withClient(of: call, standard: standard) { [self] client throws(MobileSocialFailure) in
            withSession(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try ownApplication(of: session, call.domain)
                // OMS-15: a session of a registered device is used on that device only.
                guard own.name.isExactly(client.application.name),
                    session.facts.registration.isExactly(client.registration?.id ?? "")
                else { throw .invalidUserToken }
                let application = try name.map { name throws(MobileSocialFailure) in
                    try admit(name, behind: own, call.domain)
                }
                return try grant(session, client, application ?? own, context, call)
            }
        }
    }

    /// The request context of the challenge, which must match the resource that the client names.
    private func context(of call: Call) throws(MobileSocialFailure) -> RequestContext {
        guard let text = try call.attributes.attribute("Application-Context", or: "requestContext") else {
            throw .missingAttribute
        }
        // CHAL-03
        guard let context = settings.contexts.open(Array(text.utf8).span, now: call.now),
            settings.webgates.contains(context.webgate)
        else { throw .invalidContext }
        if let text = try call.attributes.attribute("Application-Resource") {
            guard let resource = ChallengedResource(text) else { throw .resourceMismatch }
            // The context covers the path only; the origin is checked by the configuration and not by the client's
            // `Host`.
            if let origin = resource.origin, !settings.names.include(origin) { throw .foreignResource }
            guard resource.isSame(as: context) else { throw .resourceMismatch }
        } else if call.attributes.dialect == .attested {
            throw .missingAttribute
        }
        return context
    }

    /// Grants a token for Webgate, user, level and session. It is bound to no URL: clients keep one for each Webgate
    /// (DEC-06).
    private func grant(
        _ session: Session, _ caller: Client, _ application: MobileApplication, _ context: RequestContext, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        let client = call.domain.reference(application)
        let subject = session.record.subject
        if session.facts.level < context.level {
            let isPlain = call.attributes.dialect == .plain
            let response = MobileSocialFailure.levelTooLow.response(status: isPlain ? 403 : nil) {
                if isPlain { $0.member("required_level", context.level) }
            }
            return .done(response.audited("oic.access", .refused, subject: subject, client: client))
        }
        let login = call.domain.loginClass(of: session.facts)
        if let accepted = settings.webgateLogins[context.webgate], !accepted.contains(login) {
            return .done(refused(.wrongScheme, "access", client, subject: subject))
        }
        // Nothing binds the tokens of a session.
        guard let user = user(of: session, application), application.backend.grants.isSatisfied(by: nil) else {
            throw .invalidUserToken
        }
        use(session, now: call.now)
        let end = min(
            session.record.accessExpiresAt,
            caller.registration?.record.accessExpiresAt ?? session.record.accessExpiresAt)
        var grant = AccessTokenMinter.Grant(
            subject: subject, kind: .user, backend: application.backend,
            lifetimeSeconds: min(application.accessTokenSeconds, end - call.now))
        grant.roles = settings.catalogue.names(of: settings.catalogue.roles(named: user.roles))
        grant.level = session.facts.level
        grant.authenticatedAt = session.facts.authenticatedAt
        grant.methods = session.facts.methods
        grant.webgate = context.webgate
        grant.session = session.id
        grant.login = login
        // The end of one of these ends the token too (OMS-16, OMS-17).
        grant.origins = session.facts.foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        grant.idleSeconds = session.facts.idleSeconds
        grant.virtual = session.facts.provision?.isVirtual ?? isGuest(session.record.subject, application)
        grant.isOffline = session.facts.isOffline
        if minter.isSlow { return .offload { [self, grant] in .done(reply(grant, client, call)) } }
        return .done(reply(grant, client, call))
    }

    private func reply(_ grant: AccessTokenMinter.Grant, _ client: String, _ call: Call) -> EndpointResponse {
        let id = AccessTokenMinter.randomID()
        let token = String(decoding: minter.mint(grant, tokenID: id, now: call.now), as: UTF8.self)
        let response = EndpointResponse.mobile(reason: .webgateTokenIssued) { writer in
            writer.token(TokenType.access.text, token, user: grant.subject)
            writer.member("access_token", token)
            writer.member("token_type", "Bearer")
            writer.member("expires_in", grant.lifetimeSeconds)
            writer.member("webgate", grant.webgate ?? "")
            writer.member("level", grant.level)
        }
        return response.audited("oic.access", .granted, subject: grant.subject, client: client, tokenID: id)
    }
}

/// Validation of tokens (oam-wire 3.6) and logout (OMS-17).
extension MobileSocialService {
    /// 200 with the token for a valid one, 401 for every other.
    func validate(_ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        if let claims = try liveAccessToken(token, call) {
            return .done(
                MobileSocialService.valid(.access, token, user: claims.subject, endsAt: claims.expiresAt, call))
        }
        return withSession(token, call) { session throws(MobileSocialFailure) in
            .done(
                MobileSocialService.valid(
                    session.facts.tokenType, token, user: session.record.subject,
                    endsAt: session.record.accessExpiresAt, call))
        }
    }

    /// The claims of a valid access token of a session; nil for any other token.
    private func liveAccessToken(_ token: String, _ call: Call) throws(MobileSocialFailure) -> AccessTokenClaims? {
        do throws(TokenFailure) {
            guard let claims = try call.ownTokens.live(token, now: call.now), claims.session != nil else { return nil }
            return claims
        } catch {
            throw .storeUnavailable
        }
    }

    private static func valid(
        _ type: TokenType, _ token: String, user: String, endsAt: Int64, _ call: Call
    ) -> EndpointResponse {
        .mobile(reason: .tokenValid) { writer in
            writer.token(type.base, token, user: user)
            writer.member("expires_in", endsAt - call.now)
            writer.member("user", user)
        }
    }

    // MARK: Logout

    /// `POST .../logout` with a user token.
    func logOut(_ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        return withSession(token, call) { [self] session throws(MobileSocialFailure) in
            end(session, now: call.now)
        }
    }

    /// `GET /oam/server/logout` with an access token of the session (oam-wire 2), which may have ended already.
    func logOut(_ request: EndpointRequest, ownTokens: OwnAccessTokens, now: Int64) -> Answer {
        answer { () throws(MobileSocialFailure) in
            guard request.method == .get || request.method == .post else { throw .methodNotAllowed }
            guard let token = MobileSocialService.presentedToken(request),
                let claims = ownTokens.signed(token, now: now),
                let id = claims.session
            else { throw .invalidUserToken }
            return endSession(id, subject: claims.subject, until: now + Session.longestSeconds, now: now)
        }
    }

    /// Ends the session of this id. The response is the same for a session that has ended already. A session that the
    /// store does not have, such as one without a service domain, goes on the deny list too.
    ///
    /// - Parameter until: seconds since 1970 when the last token of the session expires.
    func endSession(_ id: String, subject: String, until: Int64, now: Int64) -> Answer {
        ask(.find(.id(id)), now: now) { [self] found in
            if case .record(let record?) = found, let session = Session(record) { return end(session, now: now) }
            let isDenied = settings.revocations.isRevoked(tokenID: id, subject: "", backendID: nil, issuedAt: now)
            if isDenied { return .done(MobileSocialService.loggedOut(subject, id)) }
            let entry = DenyEntry.token(id, subject: subject, until: until)
            return ask(.deny(entry), now: now) { [self] _ in
                settings.revocations.apply(entry)
                return .done(MobileSocialService.loggedOut(subject, id))
            }
        }
    }

    /// Ends a session with its access tokens, including those that the agent got for other applications, and the
    /// sessions that its token was exchanged for. All of these name the session, so its id on the deny list ends them.
    private func end(_ session: Session, now: Int64) -> Answer {
        revoke(session.remains[...], now: now) {
            .done(MobileSocialService.loggedOut(session.record.subject, session.id))
        }
    }

    /// Revokes records one after the other.
    func revoke(_ ids: ArraySlice<String>, now: Int64, then: @escaping @Sendable () -> Answer) -> Answer {
        guard let first = ids.first else { return then() }
        return ask(.revoke(.id(first)), now: now) { [self] answer in
            if case .removed(let gone) = answer {
                for record in gone where !record.tokenID.isEmpty {
                    settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt)
                }
            }
            return revoke(ids.dropFirst(), now: now, then: then)
        }
    }

    private static func loggedOut(_ subject: String, _ id: String) -> EndpointResponse {
        EndpointResponse(
            status: 200, headers: [(name: "Cache-Control", value: "no-store")], body: [], reason: .loggedOut
        ).audited("oic.logout", .changed, subject: subject, tokenID: id)
    }
}
