import Bytes
import Crypto
import Identity
import Model

/// A circle of applications that trust each other's logins (OMS-01, AGT-01).
package struct ServiceDomain: Sendable {
    package var name: String
    /// The names of paths that serve it, such as `mobileoamauthentication`.
    package var services: [String]
    /// Whether clients show a registration handle wherever they ask for a token.
    package var isMobile: Bool
    /// Name of the authentication scheme; nil for none.
    package var scheme: String?
    /// Level of a login by password (CHAL-06).
    package var level = Principal.standardLevel
    /// Who verifies passwords; nil where they are those of the gateway's own users.
    package var remote: RemoteAuthentication?
    /// What a login by password counts as, for schemes that tell logins apart (CACHE-11).
    package var passwordLogin = LoginClass.password()
    /// How users log in by browser, in the order in which they may choose (RP-01); empty where passwords are the only way.
    package var ways: [LoginWay] = []
    /// What a login takes beside the password.
    package var secondStep = SecondStep()
    /// Whether its devices can be wiped (OMS-16).
    package var wipesDevices = false
    /// Devices that are turned away (OMS-15).
    package var deviceRules: [DeviceRule] = []
    package var applications: [MobileApplication] = []
    package var limits = Limits()
    /// Name of the application that a request means which names none.
    package var defaultApplication: String?
    /// Name of the application that browsers log in to (SCH-02).
    package var browserApplication: String?

    /// Questions and codes that a login asks for once the password is right (OMS-14).
    package struct SecondStep: Sendable, Equatable {
        /// Whether a question is asked whose answer the user has laid down.
        package var question = false
        /// Whether a code of a device is asked for (RFC 6238).
        package var code = false
        /// Level of a login with it.
        package var level = Principal.standardLevel + 1
        /// Whether it is asked for only where a request wants more than the password's level.
        package var onDemand = false

        package init() {}
    }

    /// How much a user has in the domain at a time. With one more the oldest ends, so that nobody is kept out by what others
    /// have left behind, and nobody fills the store by logging in.
    package struct Limits: Sendable, Equatable {
        package var registrations = 50
        package var sessions = 100
        /// Sessions on one device.
        package var sessionsPerDevice = 20

        package init() {}
    }

    /// One of the ways to log in by browser.
    package enum LoginWay: Sendable {
        /// The gateway's own form, by the name of its entry; its title is nil for the usual one.
        case form(name: String = LoginChoice.ownForm, title: String?)
        case provider(RelyingParty)

        /// Name of the provider; nil for the form.
        package var provider: String? {
            if case .provider(let party) = self { return party.provider }
            return nil
        }
    }

    /// The providers among the ways.
    var relyingParties: [RelyingParty] {
        ways.compactMap { way -> RelyingParty? in
            if case .provider(let party) = way { return party }
            return nil
        }
    }

    func relyingParty(named name: String) -> RelyingParty? {
        relyingParties.first { $0.provider.isExactly(name) }
    }

    /// Whether users have passwords: where providers ask for them, nobody else does (RP-01).
    var takesPasswords: Bool { ways.isEmpty || relyingParties.count < ways.count }

    /// How the user of a session has logged in.
    func loginClass(of facts: Session.Facts) -> LoginClass {
        facts.provision.map { .provider($0.provider) } ?? passwordLogin
    }

    /// How a domain uses an identity provider.
    package struct RelyingParty: Sendable {
        /// Name of the provider.
        package var provider: String
        /// What people know it by; nil for the name.
        package var title: String?
        /// How its claims become users here.
        package var rules: ProviderRules
        /// Whether applications are given the provider's access token (RP-03).
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

    /// The highest level that a login at it can have.
    var highestLevel: Int { secondStep.question || secondStep.code ? max(level, secondStep.level) : level }

    /// The application that logs in for all others that take part in single sign-on: the one of the lowest priority
    /// number, in the order of names where two have the same (AGT-01).
    var agent: MobileApplication? {
        applications.filter { $0.participates && $0.agentPriority != nil }
            .min { ($0.agentPriority ?? 0, $0.name) < ($1.agentPriority ?? 0, $1.name) }
    }

    /// Whether an application gets its tokens by the agent alone (AGT-02).
    func isClientOfAgent(_ application: MobileApplication) -> Bool {
        guard application.participates, let agent else { return false }
        return !agent.name.isExactly(application.name)
    }
}

/// An application of a service domain and what its profile tells (OMS-03).
package struct MobileApplication: Sendable {
    package var name: String
    /// What people know it by; nil for nothing.
    package var displayName: String?
    /// The backend whose routes its tokens open.
    package var backend: Backend
    /// What a client that is no registered device authenticates with; nil where it cannot.
    package var sharedSecret: String?
    /// The scheme of the application's own URLs, by which browsers come back to it (RP-02).
    package var urlScheme: String?
    /// Other places that they may come back to, byte by byte.
    package var redirectURIs: [String] = []
    /// Whether it takes part in single sign-on (AGT-01).
    package var participates = false
    package var agentPriority: Int?
    package var profileCacheSeconds: Int64 = 3600
    /// Seconds; 0 for no limit, nil where the application may choose (OMS-08, OMS-22).
    package var sessionTimeout: Int64?
    package var idleTimeout: Int64?
    /// Nil where the application may choose (OMS-10).
    package var maximumLoginAttempts: Int64?
    package var lockoutSeconds: Int64 = 300
    /// Nil where nothing is said (OMS-11).
    package var offlineAuthentication: Bool?
    /// Attributes that are passed on to clients (OMS-20, OMS-21, CRYPTO-02).
    package var customAttributes: [JSONMember] = []
    /// The claims of a device profile that clients are to send.
    package var claimAttributes: [String] = []
    /// How passwords are kept for logins without the server (CRYPTO-02).
    package var verifierScheme = PasswordScheme.scrypt
    /// How long its access tokens live at the most.
    package var accessTokenSeconds: Int64 = 3600

    package init(name: String, backend: Backend) {
        self.name = name
        self.backend = backend
    }
}
