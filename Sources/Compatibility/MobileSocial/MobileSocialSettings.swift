import Bytes
import Crypto
import Identity
import JOSE
import Model
import OAuthServer
import TokenStorage

/// What the services of Mobile & Social work with. Immutable; a reload builds others.
package struct MobileSocialSettings: Sendable {
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
    /// Whether application profiles name the user profile service.
    package var servesUserProfiles = true
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

extension MobileSocialSettings {
    func domain(named name: String) -> ServiceDomain? { domains.first { $0.name.isExactly(name) } }

    /// Asks the store; 503 if it does not answer.
    func ask(_ operation: StoreOperation, now: Int64, _ next: @escaping @Sendable (StoreAnswer) -> Answer) -> Answer {
        store.ask(operation, now: now) { result in
            switch result {
            case .success(let answer): next(answer)
            case .failure: .deny(.storeUnavailable)
            }
        }
    }

    // MARK: Users

    /// The local user of a name, or a guest with the guest roles of the domain. A name that differs from a local user's
    /// only in spelling is no guest, since that user may be disabled here.
    func user(named name: String, _ application: MobileApplication, _ domain: ServiceDomain) -> User? {
        let realm = application.backend.realm
        if let known = users.user(named: name, realm: realm) { return known }
        guard users.namesakes(of: name, realm: realm).isEmpty else { return nil }
        return domain.remote?.guestRoles.map { User(username: name, realm: realm, roles: $0) }
    }

    /// Whether a user is known to the other server only.
    func isGuest(_ name: String, _ application: MobileApplication) -> Bool {
        users.user(named: name, realm: application.backend.realm) == nil
    }

    /// The current user of a session. Nil if the domain has not the session's provider any more, or accepts no
    /// passwords.
    func user(of session: MobileSession, _ application: MobileApplication) -> User? {
        guard let domain = domain(named: session.facts.domain) else { return nil }
        guard let provision = session.facts.provision else {
            return domain.acceptsPasswords ? user(named: session.record.subject, application, domain) : nil
        }
        guard let party = domain.relyingParty(named: provision.provider) else { return nil }
        let (name, realm) = (session.record.subject, application.backend.realm)
        // A user known to the provider only is not the local user of the same name (JWT-13).
        if provision.isVirtual {
            return party.rules.identity.virtualUserEnabled
                ? User(username: name, realm: realm, roles: provision.roles) : nil
        }
        var account = users.user(named: name, realm: realm)
        account?.roles += provision.roles
        return account
    }
}
