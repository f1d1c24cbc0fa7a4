import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The token services of Oracle Mobile & Social as requests and responses (OMS-01 to OMS-17): registration of devices,
/// logins of users, and access tokens for the challenges of Webgates.
///
/// There are three kinds of tokens, and none replaces another (OMS-07). A registration handle stands for an application
/// on a device, a user token for a session; both are random and kept in the store. An access token is a JWT of this
/// gateway for the routes of one Webgate; it names its session and ends with it.
package final class MobileSocialService: Sendable {
    /// Immutable; a reload builds others.
    package struct Settings: Sendable {
        package var domains: [ServiceDomain] = []
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        package var store: any TokenStore
        package var key: TokenDigestKey
        /// Seals the state that clients carry between the steps of a login (DEC-12).
        package var seals: BrowserSeals
        package var signer: JWTSigner
        /// `iss` and `aud` of its tokens.
        package var issuer = ""
        package var audience: [String] = []
        /// The gateway's base URL, without a trailing slash.
        package var baseURL = ""
        /// Opens the request contexts of challenges.
        package var contexts: any RequestContextReader
        /// The origins of resources.
        package var names = PublicNames()
        /// Names of the Webgates.
        package var webgates: Set<String> = []
        /// Accepted login classes by Webgate, for those whose scheme has a form (CACHE-11); others accept every
        /// session.
        package var webgateLogins: [String: [LoginClass]] = [:]
        package var throttle = LoginThrottle()
        package var clientThrottle = ClientThrottle()
        /// Last uses of sessions, for the lifetime of the process (OMS-09).
        package var sessions: SessionRegister
        /// Counts wrong passwords, for the lifetime of the process (OMS-10).
        package var attempts = LoginAttemptTable()
        /// The deny list of the data plane.
        package var revocations = RevocationList()

        package init(
            users: UserStore, hasher: PasswordHasher, catalogue: RoleCatalogue, store: any TokenStore,
            key: TokenDigestKey, seals: BrowserSeals, signer: JWTSigner, contexts: any RequestContextReader
        ) {
            self.users = users
            self.hasher = hasher
            self.catalogue = catalogue
            self.store = store
            sessions = SessionRegister(store: store)
            self.key = key
            self.seals = seals
            self.signer = signer
            self.contexts = contexts
        }
    }

    let settings: Settings
    let logins: PasswordLogin
    let minter: AccessTokenMinter
    let verifiers: OfflineVerifierStore

    package init(settings: Settings) {
        self.settings = settings
        verifiers = OfflineVerifierStore(store: settings.store, key: settings.key, hasher: settings.hasher)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
        minter = AccessTokenMinter(
            signer: settings.signer, issuer: settings.issuer, audience: settings.audience)
    }

    /// A call of a service.
    struct Call: Sendable {
        let request: EndpointRequest
        let attributes: RequestAttributes
        let domain: ServiceDomain
        let ownTokens: OwnAccessTokens
        /// Seconds since 1970.
        let now: Int64
        /// Members of the response after a login at an identity provider.
        var provided: ProvidedReply?
    }

    typealias Answer = Effect<EndpointResponse>

    /// Handlers of its endpoints.
    /// - Parameter login: the login by browser, whose logout has the same path.
    package func handlers(
        ownTokens: OwnAccessTokens, _ login: BrowserLogin?
    ) -> [EndpointDescriptor: EndpointHandler] {
        [
            .mobileSocial: { self.handle($0, ownTokens: ownTokens, now: $1) },
            .mobileLogout: { request, now in
                if let login, login.isLogout(request) { return login.logOut(request, now: now) }
                return self.logOut(request, ownTokens: ownTokens, now: now)
            },
        ]
    }

    /// Answers a request for a token service or an application profile. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, ownTokens: OwnAccessTokens, now: Int64) -> Answer {
        answer { () throws(MobileSocialFailure) in
            guard let path = MobileSocialPath(request.path) else { throw .unknownService }
            switch path {
            case .profile(let application): return .done(try profile(of: application, request))
            case .call(let action, let service):
                try check(request.method, for: action)
                let attributes = try RequestAttributes(request)
                let call = Call(
                    request: request, attributes: attributes, domain: try domain(of: service, attributes),
                    ownTokens: ownTokens, now: now)
                switch action {
                case .register: return try register(call)
                case .authenticate: return try authenticate(call)
                case .access: return try access(call)
                case .logout: return try logOut(call)
                case .info, .validate: return try validate(call)
                }
            }
        }
    }

    /// Turns a thrown failure into its response.
    func answer(_ body: () throws(MobileSocialFailure) -> Answer) -> Answer {
        do throws(MobileSocialFailure) { return try body() } catch { return .deny(error) }
    }

    private func check(_ method: Method, for action: MobileSocialPath.Action) throws(MobileSocialFailure) {
        switch action {
        case .info, .validate: if method == .get || method == .head { return }
        case .register, .authenticate, .access, .logout: if method == .post { return }
        }
        throw .methodNotAllowed
    }

    /// Refuses a call that names another token type than the one it makes.
    func check(_ call: Call, makes type: TokenType) throws(MobileSocialFailure) {
        guard let wanted = try call.attributes.attribute("New-Token-Type-To-Create") else { return }
        guard TokenType(wanted).isExactly(type) else { throw .unsupportedTokenType }
    }

    /// The service domain of a call. Existing clients name it in a header field and the service in the path; `Default`
    /// is the default. A path may also name the domain itself (section 1.4).
    private func domain(
        of service: String, _ attributes: RequestAttributes
    ) throws(MobileSocialFailure) -> ServiceDomain {
        let named = try attributes.field("X-IDAAS-SERVICEDOMAIN")
        let own = domain(named: service)
        guard let domain = domain(named: named ?? own?.name ?? BrowserLoginEndpoints.standardDomain),
            own?.name.isExactly(domain.name) == true || domain.services.contains(where: { $0.isExactly(service) })
        else { throw .unknownService }
        return domain
    }

    func domain(named name: String) -> ServiceDomain? { settings.domains.first { $0.name.isExactly(name) } }

    // MARK: The store

    /// Asks the store; 503 if it does not answer.
    func ask(_ operation: StoreOperation, now: Int64, _ next: @escaping @Sendable (StoreAnswer) -> Answer) -> Answer {
        settings.store.ask(operation, now: now) { result in
            switch result {
            case .success(let answer): next(answer)
            case .failure: .deny(.storeUnavailable)
            }
        }
    }

    /// A refusal with its audit entry.
    func refused(
        _ failure: MobileSocialFailure, _ action: StaticString, _ client: String, subject: String = "",
        retryAfter: Int? = nil
    ) -> EndpointResponse {
        failure.response(retryAfter: retryAfter)
            .audited("oic.\(action)", .refused, subject: subject, client: client)
    }
}

extension ServiceDomain {
    /// Name of an application in the audit log.
    func reference(_ application: MobileApplication) -> String { "\(name)/\(application.name)" }
}

/// The profiles that applications request at their start (OMS-03, oam-wire 4). They hold no secret and are public.
extension MobileSocialService {
    func profile(of application: String, _ request: EndpointRequest) throws(MobileSocialFailure) -> EndpointResponse {
        guard request.method == .get || request.method == .head else { throw .methodNotAllowed }
        let attributes = try RequestAttributes(request)
        // OMS-01: 404 for an unknown domain or application. Here the domain is a query parameter.
        let named = try attributes.field("X-IDAAS-SERVICEDOMAIN")
        guard let name = attributes.parameter("serviceDomain") ?? named, let domain = domain(named: name) else {
            throw .unknownService
        }
        guard let application = domain.application(named: application) else { throw .unknownApplication }
        let body = json(of: application, domain)
        let tag = EntityTag.tag(of: body)
        // OMS-04
        let caching = [
            (name: "ETag", value: tag),
            (name: "Cache-Control", value: "private, max-age=\(application.profileCacheSeconds)"),
        ]
        if let known = request.field("if-none-match"), EntityTag.isKnown(tag, to: known) {
            return EndpointResponse(status: 304, headers: caching, body: [], reason: .profileUnchanged)
        }
        return EndpointResponse(
            status: 200, headers: [(name: "Content-Type", value: "application/json")] + caching, body: body,
            reason: .profile)
    }

    private func json(of application: MobileApplication, _ domain: ServiceDomain) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("applicationName", application.name)
            writer.member("name", application.name)
            writer.member("serviceDomain", domain.name)
            if let service = domain.services.first {
                let path = "\(MobileSocialEndpoints.path)\(PathSegment.encode(service))"
                writer.member("registrationService", "\(path)/register")
                writer.member("userAuthService", "\(path)/authenticate")
                writer.member("accessService", "\(path)/access")
                writer.member("validateService", "\(path)/tokens/info")
                writer.member("deleteService", "\(path)/logout")
            }
            writer.member("endpoints") { writeEndpoints(of: domain, to: &$0) }
            writer.member("profileCacheDuration", application.profileCacheSeconds)
            if let scheme = domain.scheme { writer.member("authenticationScheme", scheme) }
            if let scheme = application.urlScheme { writer.member("urlScheme", scheme) }
            writer.member("securityPolicy") { application.settings.writePolicy(domain, to: &$0) }
            writer.member("mobileAppConfig") { $0.member("claimAttributes", application.claimAttributes) }
            writer.member("mobileCustomAttributes", JSONNode(.object(application.customAttributes)))
            writer.member("sso") { writer in
                writer.member("participate", application.participates)
                if let priority = application.agentPriority { writer.member("agentPriority", priority) }
                if application.participates, let agent = domain.agent { writer.member("agent", agent.name) }
            }
        }
    }

    /// Absolute URLs with the name of the domain, so that clients need not name it elsewhere.
    private func writeEndpoints(of domain: ServiceDomain, to writer: inout JSONWriter) {
        let base = "\(settings.baseURL)\(MobileSocialEndpoints.path)"
        let own = "\(base)\(PathSegment.encode(domain.name))"
        writer.member("registration", "\(own)/register")
        writer.member("authentication", "\(own)/authenticate")
        writer.member("authorization", "\(own)/access")
        writer.member("validation", "\(own)/tokens/info")
        writer.member("logout", "\(own)/logout")
        writer.member("userProfile", "\(base)userprofile")
    }
}

extension MobileApplicationSettings {
    /// The settings of the server for its clients (OMS-22); the application chooses the absent ones.
    fileprivate func writePolicy(_ domain: ServiceDomain, to writer: inout JSONWriter) {
        if let allowed = offlineAuthentication { writer.member("offlineAuthentication", allowed) }
        if let seconds = sessionTimeout { writer.member("sessionTimeout", seconds) }
        if let seconds = idleTimeout { writer.member("idleTimeout", seconds) }
        if let count = maximumLoginAttempts { writer.member("maxLoginAttempts", count) }
        writer.member("lockoutSeconds", lockoutSeconds)
        writer.member("authenticationLevel", domain.level)
        writer.member("kba", domain.secondStep.question)
        writer.member("otp", domain.secondStep.code)
        writer.member("registrationRequired", domain.isMobile)
    }
}
