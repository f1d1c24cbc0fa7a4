import Bytes
import Endpoints
import HTTP
import Model
import OAuthServer
import Outbound

/// The token services of Oracle Mobile & Social as requests and responses (OMS-01 to OMS-17): registration of devices,
/// logins of users, and access tokens for the challenges of Webgates.
///
/// There are three kinds of tokens, and none replaces another (OMS-07). A registration handle stands for an application
/// on a device, a user token for a session; both are random and kept in the store. An access token is a JWT of this
/// gateway for the routes of one Webgate; it names its session and ends with it.
package final class MobileSocialService: Sendable {
    let settings: MobileSocialSettings
    let steps: LoginSteps
    let sessions: SessionService
    let providers: ProvidedLogins
    private let profiles: ProfileEndpoint
    private let registration: RegistrationEndpoint
    private let login: LoginEndpoint
    private let access: AccessEndpoint
    private let session: SessionEndpoint

    package init(settings: MobileSocialSettings) {
        self.settings = settings
        let (passwords, clients) = (PasswordChecker(settings), ClientAuthenticator(settings))
        steps = LoginSteps(settings, passwords)
        sessions = SessionService(settings)
        providers = ProvidedLogins(settings, clients, sessions)
        profiles = ProfileEndpoint(settings)
        registration = RegistrationEndpoint(settings, passwords, sessions)
        login = LoginEndpoint(settings, clients, steps, sessions, providers)
        access = AccessEndpoint(settings, clients, sessions)
        session = SessionEndpoint(sessions)
    }

    /// Handlers of its endpoints.
    /// - Parameter login: the login by browser, whose logout has the same path.
    package func handlers(
        ownTokens: OwnAccessTokens, _ login: BrowserLogin?
    ) -> [EndpointDescriptor: EndpointHandler] {
        [
            .mobileSocial: { self.handle($0, ownTokens: ownTokens, now: $1) },
            .mobileLogout: { request, now in
                if let login, login.isLogout(request) { return login.logOut(request, now: now) }
                return self.session.logOut(request, ownTokens: ownTokens, now: now)
            },
        ]
    }

    /// Answers a request for a token service or an application profile. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func handle(_ request: EndpointRequest, ownTokens: OwnAccessTokens, now: Int64) -> Answer {
        .catching { () throws(MobileSocialFailure) in
            guard let path = MobileSocialPath(request.path) else { throw .unknownService }
            switch path {
            case .profile(let application): return .done(try profiles.profile(of: application, request))
            case .call(let action, let service):
                try check(request.method, for: action)
                let attributes = try RequestAttributes(request)
                let call = ServiceCall(
                    request: request, attributes: attributes, domain: try domain(of: service, attributes),
                    ownTokens: ownTokens, now: now)
                switch action {
                case .register: return try registration.register(call)
                case .authenticate: return try login.authenticate(call)
                case .access: return try access.access(call)
                case .logout: return try session.logOut(call)
                case .info, .validate: return try session.validate(call)
                }
            }
        }
    }

    private func check(_ method: Method, for action: MobileSocialPath.Action) throws(MobileSocialFailure) {
        switch action {
        case .info, .validate: guard method == .get || method == .head else { throw .notGET }
        case .register, .authenticate, .access, .logout: guard method == .post else { throw .notPOST }
        }
    }

    /// The service domain of a call. Existing clients name it in a header field and the service in the path; `Default`
    /// is the default. A path may also name the domain itself (section 1.4).
    private func domain(
        of service: String, _ attributes: RequestAttributes
    ) throws(MobileSocialFailure) -> ServiceDomain {
        let named = try attributes.field("X-IDAAS-SERVICEDOMAIN")
        let own = settings.domain(named: service)
        guard let domain = settings.domain(named: named ?? own?.name ?? LoginDomainName.standard),
            own?.name.isExactly(domain.name) == true || domain.services.contains(where: { $0.isExactly(service) })
        else { throw .unknownService }
        return domain
    }
}
