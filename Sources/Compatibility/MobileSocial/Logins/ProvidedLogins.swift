import Bytes
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// Users of identity providers in service domains, and the one-time codes of their applications (RP-01 to RP-03).
final class ProvidedLogins: Sendable {
    private let settings: MobileSocialSettings
    private let clients: ClientAuthenticator
    private let sessions: SessionService

    init(_ settings: MobileSocialSettings, _ clients: ClientAuthenticator, _ sessions: SessionService) {
        self.settings = settings
        self.clients = clients
        self.sessions = sessions
    }

    func user(
        of identity: ProvidedIdentity, _ party: ServiceDomain.RelyingParty, _ application: MobileApplication
    ) throws(ExternalIdentityRejection) -> ProvidedUser {
        let found = try party.rules.identify(
            identity, realm: application.backend.realm, users: settings.users, catalogue: settings.catalogue)
        // Roles of an account are looked up when needed; these come from the claims.
        let roles = party.rules.identity.roleMapping.roles(claims: identity.claims, catalogue: settings.catalogue)
        let methods = identity.claims["amr"]?.array?.compactMap(\.string) ?? []
        return ProvidedUser(
            provider: identity.provider, subject: found.username, username: try party.rules.username(identity),
            isVirtual: found.virtual, roles: settings.catalogue.names(of: roles),
            methods: Array(methods.filter { $0.utf8.count <= 32 }.prefix(8)))
    }

    // MARK: The one-time code (RP-02)

    struct CodeRequest: Sendable {
        let identity: ProvidedIdentity
        let domain: ServiceDomain
        let party: ServiceDomain.RelyingParty
        let application: MobileApplication
        /// PKCE challenge (RFC 7636); empty for none.
        let challenge: String
    }

    struct IssuedCode: Sendable {
        let text: String
        let subject: String
    }

    enum CodeFailure: Error, Sendable {
        case identity(ExternalIdentityRejection)
        case store
    }

    func code(
        _ request: CodeRequest, _ providers: ProviderLogin, now: Int64
    ) -> Effect<Result<IssuedCode, CodeFailure>> {
        let (application, identity) = (request.application, request.identity)
        let user: ProvidedUser
        do throws(ExternalIdentityRejection) {
            user = try self.user(of: identity, request.party, application)
        } catch {
            return .done(.failure(.identity(error)))
        }
        let limit = application.sessionTimeout.flatMap { $0 == 0 ? nil : $0 } ?? MobileSession.longestSeconds
        let until = now + LoginCode.lifetimeSeconds + limit
        let login = providers.foundation(
            of: identity, subject: user.subject, until: until, unredeemed: now + LoginCode.lifetimeSeconds, now: now)
        return login.then { [self] foundation in
            guard let foundation else { return .done(.failure(.store)) }
            let text = LoginCode.random()
            let code = LoginCode(
                facts: user.facts(request.domain, application, foundation: foundation, now: now), subject: user.subject,
                username: user.username, challenge: request.challenge,
                accessToken: request.party.exposesToken ? identity.accessToken : nil)
            let record = code.record(text, application.backend, settings.key, now: now)
            return settings.store.ask(.insert(record), now: now) { answer in
                guard case .success(.record(_?)) = answer else { return .done(.failure(.store)) }
                return .done(.success(IssuedCode(text: text, subject: user.subject)))
            }
        }
    }

    /// Opens the session of a one-time code.
    func redeem(_ text: String, _ type: TokenType, _ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        let profile = try call.deviceProfile()
        let verifier = try call.attributes.member("codeVerifier")
        guard LoginCode.isCode(text) else { throw .invalidCode }
        return try clients.with(of: call, mayBeNew: true) { [self] client throws(MobileSocialFailure) in
            let application = client.application
            let limits = try call.sessionLimits(of: application)
            let refusal = MobileSocialFailure.invalidCode.refusal("authenticate", call.domain.reference(application))
            // Removed before the checks, so that a failed use invalidates it.
            return settings.ask(.revoke(.access(settings.key.digest(text))), now: call.now) { [self] answer in
                guard case .removed(let gone) = answer, let code = gone.first.flatMap({ LoginCode($0, settings.key) }),
                    gone[0].accessLives(at: call.now), code.facts.domain.isExactly(call.domain.name),
                    code.facts.application.isExactly(application.name),
                    call.domain.relyingParty(named: code.facts.provision?.provider ?? "") != nil,
                    code.isProven(by: verifier)
                else { return .done(refusal) }
                let foundation = code.facts.provision?.foundation ?? ""
                return LoginFoundation.keep(foundation, in: settings.store, now: call.now).then { [self] lasts in
                    // The provider has ended the login since.
                    guard lasts else { return .done(refusal) }
                    var facts = code.facts
                    facts.tokenType = type
                    facts.idleSeconds = limits.idle
                    facts.registration = client.registration?.id ?? ""
                    facts.device = client.registration?.facts.device ?? profile.identity
                    var reported = call
                    reported.provided = ProvidedReply(
                        username: code.username, provider: facts.provision?.provider ?? "", token: code.accessToken)
                    let session = MobileSession(
                        facts, subject: code.subject, backend: application.backend, limit: limits.session, now: call.now
                    )
                    return sessions.open(session, reported)
                }
            }
        }
    }
}
