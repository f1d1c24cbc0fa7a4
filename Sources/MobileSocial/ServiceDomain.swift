import Bytes
import Crypto
import Identity
import Model

/// A set of applications that trust each other's logins (OMS-01, AGT-01).
package struct ServiceDomain: Sendable {
    package var name: String
    /// Names of its services in paths, such as `mobileoamauthentication`.
    package var services: [String]
    /// Whether clients must present a registration handle to get a token.
    package var isMobile: Bool
    /// Name of the authentication scheme.
    package var scheme: String?
    /// Authentication level of a login by password (CHAL-06).
    package var level = Principal.standardLevel
    /// The server that verifies passwords; nil for the gateway's own users.
    package var remote: RemoteAuthentication?
    /// Class of a login by password, for schemes that restrict classes (CACHE-11).
    package var passwordLogin = LoginClass.password()
    /// How users log in by browser, in the order of the choices (RP-01); empty for passwords only.
    package var loginMethods: [LoginMethod] = []
    package var secondStep = SecondStep()
    /// Whether its devices can be wiped (OMS-16).
    package var wipesDevices = false
    /// Devices that are refused (OMS-15).
    package var deviceRules: [DeviceRule] = []
    package var applications: [MobileApplication] = []
    package var limits = Limits()
    /// Name of the application for requests that name none.
    package var defaultApplication: String?
    /// Name of the application for logins of browsers (SCH-02).
    package var browserApplication: String?

    /// Second factors of a login (OMS-14).
    package struct SecondStep: Sendable, Equatable {
        /// Whether a login needs the answer to a security question.
        package var question = false
        /// Whether a login needs a one-time code (RFC 6238).
        package var code = false
        /// Level of a login with a second factor.
        package var level = Principal.standardLevel + 1
        /// Whether it is required only if a request needs more than the level of a password.
        package var onDemand = false

        package init() {}
    }

    /// Maximum numbers for one user of the domain. A new item ends the oldest, so that old items lock no user out and
    /// logins cannot fill the store.
    package struct Limits: Sendable, Equatable {
        package var registrations = 50
        package var sessions = 100
        package var sessionsPerDevice = 20

        package init() {}
    }

    /// A method to log in by browser.
    package enum LoginMethod: Sendable {
        /// The gateway's own form, by the name of its entry; a title of nil is the default title.
        case form(name: String = LoginChoice.ownForm, title: String?)
        case provider(RelyingParty)

        package var provider: RelyingParty? { if case .provider(let party) = self { party } else { nil } }
    }

    var relyingParties: [RelyingParty] { loginMethods.compactMap(\.provider) }

    func relyingParty(named name: String) -> RelyingParty? {
        relyingParties.first { $0.provider.isExactly(name) }
    }

    /// Whether users log in by passwords. A domain with providers only accepts none (RP-01).
    var acceptsPasswords: Bool { loginMethods.isEmpty || relyingParties.count < loginMethods.count }

    func loginClass(of facts: Session.Facts) -> LoginClass {
        facts.provision.map { .provider($0.provider) } ?? passwordLogin
    }

    /// How a domain uses an identity provider.
    package struct RelyingParty: Sendable {
        /// Name of the provider.
        package var provider: String
        /// Display name; nil for the name.
        package var title: String?
        /// Mapping of its claims to users.
        package var rules: ProviderRules
        /// Whether applications get the provider's access token (RP-03).
        package var exposesToken = false

        package init(provider: String, rules: ProviderRules) {
            self.provider = provider
            self.rules = rules
        }
    }

    package init(name: String, services: [String], isMobile: Bool) {
        self.name = name
        self.services = services
        self.isMobile = isMobile
    }

    func application(named name: String) -> MobileApplication? {
        applications.first { $0.name.isExactly(name) }
    }

    /// The highest level of its logins.
    var highestLevel: Int { secondStep.question || secondStep.code ? max(level, secondStep.level) : level }

    /// The application that logs in for all others with single sign-on: the one with the lowest priority number, in the
    /// order of names for equal priorities (AGT-01).
    var agent: MobileApplication? {
        applications.filter { $0.participates && $0.agentPriority != nil }
            .min { ($0.agentPriority ?? 0, $0.name) < ($1.agentPriority ?? 0, $1.name) }
    }

    /// Whether an application gets its tokens from the agent only (AGT-02).
    func isClientOfAgent(_ application: MobileApplication) -> Bool {
        guard application.participates, let agent else { return false }
        return !agent.name.isExactly(application.name)
    }
}

/// An application of a service domain and its profile (OMS-03).
package struct MobileApplication: Sendable {
    package var name: String
    package var displayName: String?
    /// The backend whose routes accept its tokens.
    package var backend: Backend
    /// Secret of clients that are no registered devices; nil if there are none.
    package var sharedSecret: String?
    /// The application's own URL scheme, for redirects of browsers (RP-02).
    package var urlScheme: String?
    /// Other allowed redirect URIs, compared byte by byte.
    package var redirectURIs: [String] = []
    /// Whether it participates in single sign-on (AGT-01).
    package var participates = false
    package var agentPriority: Int?
    package var profileCacheSeconds: Int64 = 3600
    /// Seconds; 0 for no limit, nil for the application's choice (OMS-08, OMS-22).
    package var sessionTimeout: Int64?
    package var idleTimeout: Int64?
    /// Nil for the application's choice (OMS-10).
    package var maximumLoginAttempts: Int64?
    package var lockoutSeconds: Int64 = 300
    /// Nil if not configured (OMS-11).
    package var offlineAuthentication: Bool?
    /// Attributes for clients (OMS-20, OMS-21, CRYPTO-02).
    package var customAttributes: [JSONMember] = []
    /// The claims that clients must send in device profiles.
    package var claimAttributes: [String] = []
    /// Hash of passwords for logins without the server (CRYPTO-02).
    package var verifierScheme = PasswordScheme.scrypt
    /// Maximum lifetime of its access tokens.
    package var accessTokenSeconds: Int64 = 3600

    package init(name: String, backend: Backend) {
        self.name = name
        self.backend = backend
    }
}
