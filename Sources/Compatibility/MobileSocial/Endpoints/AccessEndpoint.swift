import Bytes
import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Access tokens for the challenges of Webgates (CHAL-10, oam-wire 3.5).
final class AccessEndpoint: Sendable {
    private let settings: MobileSocialSettings
    private let clients: ClientAuthenticator
    private let sessions: SessionService
    private let minter: AccessTokenMinter

    init(_ settings: MobileSocialSettings, _ clients: ClientAuthenticator, _ sessions: SessionService) {
        self.settings = settings
        self.clients = clients
        self.sessions = sessions
        minter = AccessTokenMinter(
            signer: settings.signer, issuer: settings.issuer, audience: settings.audience)
    }

    func access(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        try call.check(makes: .access)
        let context = try context(of: call)
        guard let token = try call.userToken() else { throw .missingAttribute }
        let behalf = try call.clientOfAgent()
        let (proof, name) = (try call.attributes.field("X-Idaas-Rest-Authorization"), try call.applicationName())
        guard proof == nil, name == nil else { return try access(token, behalf, nil, context, call) }
        // The user token names the default application (oam-wire 3.5). It is validated later.
        return settings.ask(.find(.access(settings.key.digest(token))), now: call.now) { [self] found in
            .catching { () throws(MobileSocialFailure) in
                var application: MobileApplication?
                if case .record(let record?) = found, let session = MobileSession(record),
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
        _ token: String, _ name: String?, _ standard: MobileApplication?, _ context: RequestContext, _ call: ServiceCall
    ) throws(MobileSocialFailure) -> Answer {
        try clients.with(of: call, standard: standard) { [self] client throws(MobileSocialFailure) in
            sessions.with(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try call.domain.application(of: session)
                // OMS-15: a session of a registered device is used on that device only.
                guard own.name.isExactly(client.application.name),
                    session.facts.registration.isExactly(client.registration?.id ?? "")
                else { throw .invalidUserToken }
                let application = try name.map { name throws(MobileSocialFailure) in
                    try call.domain.admit(name, behind: own)
                }
                return try grant(session, client, application ?? own, context, call)
            }
        }
    }

    /// The request context of the challenge, which must match the resource that the client names.
    private func context(of call: ServiceCall) throws(MobileSocialFailure) -> RequestContext {
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
        _ session: MobileSession, _ caller: MobileClient, _ application: MobileApplication, _ context: RequestContext,
        _ call: ServiceCall
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
            return .done(MobileSocialFailure.wrongScheme.refusal("access", client, subject: subject))
        }
        // Nothing binds the tokens of a session.
        guard let user = settings.user(of: session, application), application.backend.grants.isSatisfied(by: nil) else {
            throw .invalidUserToken
        }
        sessions.use(session, now: call.now)
        let end = min(
            session.record.accessExpiresAt,
            caller.registration?.record.accessExpiresAt ?? session.record.accessExpiresAt)
        var grant = AccessTokenMinter.Grant(
            subject: subject, kind: .user, client: application.backend,
            lifetimeSeconds: min(application.accessTokenSeconds, end - call.now))
        grant.roles = settings.catalogue.names(of: settings.catalogue.roles(named: user.roles))
        grant.level = session.facts.level
        grant.authenticatedAt = session.facts.authenticatedAt
        grant.methods = session.facts.methods
        grant.webgate = context.webgate
        grant.session = session.id
        grant.login = login.text
        // The end of one of these ends the token too (OMS-16, OMS-17).
        grant.origins = session.facts.foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        grant.idleSeconds = session.facts.idleSeconds
        grant.virtual = session.facts.provision?.isVirtual ?? settings.isGuest(session.record.subject, application)
        grant.isOffline = session.facts.isOffline
        if minter.isSlow { return .offload { [self, grant] in .done(reply(grant, client, call)) } }
        return .done(reply(grant, client, call))
    }

    private func reply(_ grant: AccessTokenMinter.Grant, _ client: String, _ call: ServiceCall) -> EndpointResponse {
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
