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
    /// The backends as they are now, since another gateway may revoke one; nil where there are no others.
    package var backends: Clients?
    package var limits = ServiceDomainLimits()
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

    func loginClass(of facts: MobileSession.Facts) -> LoginClass {
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
        guard var application = applications.first(where: { $0.name.isExactly(name) }) else { return nil }
        guard let backends else { return application }
        // MBE-06: where the backend is revoked there is no application.
        guard let backend = backends.client(id: Array(application.backend.id.utf8).span),
            !backend.isRevoked
        else { return nil }
        application.backend = backend
        return application
    }

    /// The highest level of its logins.
    var highestLevel: Int { secondStep.question || secondStep.code ? max(level, secondStep.level) : level }

    /// The application that logs in for all others with single sign-on.
    var agent: MobileApplication? {
        applications.lazy.map(\.settings).agent.flatMap { application(named: $0.name) }
    }

    /// Whether an application gets its tokens from the agent only (AGT-02).
    func isClientOfAgent(_ application: MobileApplication) -> Bool {
        guard application.participates, let agent else { return false }
        return !agent.name.isExactly(application.name)
    }
}

/// An application of a service domain, with the members of its profile.
@dynamicMemberLookup
package struct MobileApplication: Sendable {
    package var settings: MobileApplicationSettings
    /// The backend whose routes accept its tokens.
    package var backend: Client
    /// Secret of clients that are no registered devices; nil if there are none.
    package var sharedSecret: String?

    package init(_ settings: MobileApplicationSettings, backend: Client, sharedSecret: String? = nil) {
        self.settings = settings
        self.backend = backend
        self.sharedSecret = sharedSecret
    }

    package init(name: String, backend: Client) { self.init(MobileApplicationSettings(name: name), backend: backend) }

    package subscript<Value>(dynamicMember path: WritableKeyPath<MobileApplicationSettings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
    }

    /// Hash of passwords for logins without the server (CRYPTO-02).
    var verifierScheme: PasswordScheme {
        let name = settings.customAttributes.first { $0.name == "CryptoScheme" }?.node.string
        return name.flatMap(PasswordScheme.init)?.ofVerifiers ?? .scrypt
    }
}

/// Applications of a domain, and what they may do.
extension ServiceDomain {
    /// Name of an application in the audit log.
    func reference(_ application: MobileApplication) -> String { "\(name)/\(application.name)" }

    /// The application of a session of this domain.
    func application(of session: MobileSession) throws(MobileSocialFailure) -> MobileApplication {
        guard let application = self.application(named: session.facts.application) else { throw .invalidUserToken }
        return application
    }

    /// The application of this name, if `agent` logs in for it in the domain.
    func admit(
        _ name: String, behind agent: MobileApplication
    ) throws(MobileSocialFailure) -> MobileApplication {
        guard let application = self.application(named: name), application.participates,
            let known = self.agent, known.name.isExactly(agent.name),
            // MBE-09: in another realm the name belongs to another user.
            application.backend.realm.isExactly(agent.backend.realm)
        else { throw .notInCircle }
        return application
    }

    /// The second factors of a login.
    /// - Parameter wanted: minimum level of the login.
    func steps(for wanted: Int) -> [PendingLogin.Step] {
        if secondStep.onDemand, wanted <= level { return [] }
        return (secondStep.question ? [.question] : []) + (secondStep.code ? [.code] : [])
    }
}
