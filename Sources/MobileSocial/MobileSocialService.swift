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

/// The token services of Oracle Mobile & Social as requests and responses (OMS-01 to OMS-17): devices are registered,
/// users log in, and what a Webgate's challenge asks for is given.
///
/// Three kinds of tokens, none of which does for another (OMS-07): a registration handle stands for an application on a
/// device, a user token for a session, an access token opens the routes of one Webgate. The first two are random and lie
/// in the store; the third is a token of this gateway that names its session, and ends with it.
package final class MobileSocialService: Sendable {
    /// What it is made from. Immutable; a reload makes another.
    package struct Settings: Sendable {
        package var domains: [ServiceDomain] = []
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        package var store: any TokenStore
        package var key: TokenDigestKey
        /// What clients carry between the steps of a login (DEC-12).
        package var seals: BrowserSeals
        package var signer: JWTSigner
        /// `iss` and `aud` of its tokens.
        package var issuer = ""
        package var audience: [String] = []
        /// The gateway's base URL, without a trailing slash.
        package var baseURL = ""
        /// Reads what challenges carry.
        package var contexts: any RequestContextReader
        /// Where resources are.
        package var names = PublicNames()
        /// Names of the Webgates that there are.
        package var webgates: Set<String> = []
        /// How users may have logged in, by the names of the Webgates whose scheme has a form (CACHE-11); others take every
        /// session.
        package var webgateLogins: [String: [LoginClass]] = [:]
        /// Holds back those who guess passwords.
        package var throttle = LoginThrottle()
        /// Holds back those who guess the shared secrets of applications.
        package var clientThrottle = ClientThrottle()
        /// When sessions were used, for as long as the process lasts (OMS-09).
        package var sessions: SessionRegister
        /// Counts wrong passwords, for as long as the process lasts (OMS-10).
        package var attempts = LoginAttemptTable()
        /// What the data plane refuses tokens by.
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
    let verifiers: VerifierShelf

    package init(settings: Settings) {
        self.settings = settings
        verifiers = VerifierShelf(store: settings.store, key: settings.key, hasher: settings.hasher)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
        minter = AccessTokenMinter(
            signer: settings.signer, issuer: settings.issuer, audience: settings.audience)
    }

    /// A call, as far as it is the same for all of them.
    struct Call: Sendable {
        let request: EndpointRequest
        let attributes: RequestAttributes
        let domain: ServiceDomain
        let ownTokens: OwnAccessTokens
        /// Seconds since 1970.
        let now: Int64
        /// What a login at an identity provider has brought beside the session.
        var provided: ProvidedReply?
    }

    typealias Answer = Effect<EndpointResponse>

    /// What its endpoints are answered by.
    ///
    /// - Parameter login: the login by browser, whose logout has the same path; nil where there is none.
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

    /// What the body does, or the answer to its refusal.
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

    /// A call that makes one kind of tokens may say so, and nothing else.
    func check(_ call: Call, makes type: TokenType) throws(MobileSocialFailure) {
        guard let wanted = try call.attributes.attribute("New-Token-Type-To-Create") else { return }
        guard TokenType(wanted).isExactly(type) else { throw .unsupportedTokenType }
    }

    /// The service domain of a call. Clients in the field name it in a field, and the service in the path; a client that
    /// names none means `Default`. The name of a domain stands for itself in the path (section 1.4).
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

    /// Asks the store. Where it does not answer, nobody's credentials are to blame: 503.
    func ask(_ operation: StoreOperation, now: Int64, _ next: @escaping @Sendable (StoreAnswer) -> Answer) -> Answer {
        settings.store.ask(operation, now: now) { result in
            switch result {
            case .success(let answer): next(answer)
            case .failure: .deny(.storeUnavailable)
            }
        }
    }

    /// A refusal with its line for the audit log.
    func refused(
        _ failure: MobileSocialFailure, _ action: StaticString, _ client: String, subject: String = "",
        retryAfter: Int? = nil
    ) -> EndpointResponse {
        var response = failure.response(retryAfter: retryAfter)
        response.audit = AuditEntry(action: "oic.\(action)", outcome: .refused, subject: subject, client: client)
        return response
    }
}

extension ServiceDomain {
    /// What the audit log calls an application of it.
    func reference(_ application: MobileApplication) -> String { "\(name)/\(application.name)" }
}
