import Bytes
import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Access tokens for what a Webgate has challenged (CHAL-10, oam-wire 3.5).
extension MobileSocialService {
    func access(_ call: Call) throws(MobileSocialFailure) -> Answer {
        try check(call, makes: .access)
        let context = try context(of: call)
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        let behalf = try clientOfAgent(call)
        let (proof, name) = (try call.attributes.field("X-Idaas-Rest-Authorization"), try applicationName(in: call))
        guard proof == nil, name == nil else { return try access(token, behalf, nil, context, call) }
        // The user token names its application, so that a client need not (oam-wire 3.5). Whether it is good shows later.
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
    ///   - name: of the application that the token is for; nil for the caller's own.
    ///   - standard: the application of a call that names none.
    private func access(
        _ token: String, _ name: String?, _ standard: MobileApplication?, _ context: RequestContext, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        try withClient(of: call, standard: standard) { [self] client throws(MobileSocialFailure) in
            withSession(token, call) { [self] session throws(MobileSocialFailure) in
                let own = try ownApplication(of: session, call.domain)
                // OMS-15: what was opened on a registered device is used there, in whichever kind of domain.
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

    /// The context of the challenge, which is to be about the resource that the client names.
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
            // The context vouches for the path; whose host it was the configuration knows, and not the client's `Host`.
            if let origin = resource.origin, !settings.names.include(origin) { throw .foreignResource }
            guard resource.isSame(as: context) else { throw .resourceMismatch }
        } else if call.attributes.dialect == .attested {
            throw .missingAttribute
        }
        return context
    }

    /// The token, bound to Webgate, user, level and session, and to no URL: clients keep one for each Webgate (DEC-06).
    private func grant(
        _ session: Session, _ caller: Client, _ application: MobileApplication, _ context: RequestContext, _ call: Call
    ) throws(MobileSocialFailure) -> Answer {
        let client = call.domain.reference(application)
        let subject = session.record.subject
        if session.facts.level < context.level {
            let isPlain = call.attributes.dialect == .plain
            var response = MobileSocialFailure.levelTooLow.response(status: isPlain ? 403 : nil) {
                if isPlain { $0.member("required_level", context.level) }
            }
            response.audit = refused(.levelTooLow, "access", client, subject: subject).audit
            return .done(response)
        }
        let login = call.domain.loginClass(of: session.facts)
        if let accepted = settings.webgateLogins[context.webgate], !accepted.contains(login) {
            return .done(refused(.wrongScheme, "access", client, subject: subject))
        }
        guard let user = user(of: session, application) else { throw .invalidUserToken }
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
        // It ends with these, too, and needs nobody to look for it (OMS-16, OMS-17).
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
        var writer = JSONWriter()
        writer.beginObject()
        writer.token(TokenType.access.text, token, user: grant.subject)
        writer.member("access_token", token)
        writer.member("token_type", "Bearer")
        writer.member("expires_in", grant.lifetimeSeconds)
        writer.member("webgate", grant.webgate ?? "")
        writer.member("level", grant.level)
        writer.endObject()
        var response = EndpointResponse.mobile(writer.bytes, reason: .webgateTokenIssued)
        response.audit = AuditEntry(
            action: "oic.access", outcome: .granted, subject: grant.subject, client: client, tokenID: id)
        return response
    }
}
