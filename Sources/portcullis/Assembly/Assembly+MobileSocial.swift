import Bytes
import Configuration
import Crypto
import Gateway
import Identity
import Issuers
import JOSE
import Model
import Policy
import Tokens

/// Service domains of Mobile & Social, and the schemes by which users log in.
extension Assembly {
    /// What answers for the service domains; nil where there are none.
    mutating func mobileSocial(
        _ users: UserStore, _ hasher: PasswordHasher, _ catalogue: RoleCatalogue, _ key: SigningKey,
        _ store: LastingStore.Opened, _ seals: BrowserSeals, _ contexts: any RequestContextReader,
        _ backends: BackendStore,
        _ modules: [String: GuardedIssuer]
    ) -> MobileSocial? {
        guard !configuration.serviceDomains.isEmpty else { return nil }
        let service = configuration.tokenService
        var settings = MobileSocial.Settings(
            users: users, hasher: hasher, catalogue: catalogue, store: store.tokens, key: store.key, seals: seals,
            signer: JWTSigner(key: key), contexts: contexts)
        let list = backends.backends
        for entry in configuration.serviceDomains {
            var domain = domain(entry, list)
            domain.remote = remote(entry, modules)
            domain.ways = loginWays(entry)
            domain.passwordLogin = passwordLogin(entry)
            settings.domains.append(domain)
        }
        settings.issuer = service.issuer
        settings.audience = [service.audience]
        settings.baseURL = configuration.baseURL.description
        settings.names = publicNames()
        settings.webgates = Set(configuration.webgates.map(\.name))
        settings.webgateLogins = webgateLogins()
        settings.throttle = lasting.throttle
        settings.clientThrottle = lasting.clientThrottle
        settings.sessions = store.sessions
        settings.attempts = lasting.loginAttempts
        settings.revocations = lasting.revocations
        return MobileSocial(settings: settings)
    }

    /// The names by which clients reach the gateway.
    func publicNames() -> PublicNames {
        PublicNames(
            origins: configuration.origins,
            hosts: configuration.routes.flatMap(\.hosts))
    }

    private func domain(_ entry: ServiceDomainEntry, _ backends: [Backend]) -> ServiceDomain {
        var domain = ServiceDomain(name: entry.name, services: entry.services, isMobile: entry.isMobile)
        let authentication = entry.authentication
        domain.scheme = authentication.scheme
        domain.level = configuration.passwordLevel(at: entry)
        domain.secondStep.question = authentication.asksQuestion
        domain.secondStep.code = authentication.asksCode
        domain.secondStep.level = configuration.strongLevel(at: entry)
        domain.secondStep.onDemand = authentication.onDemand
        domain.wipesDevices = entry.wipesDevices
        domain.deviceRules = entry.deniedDevices.map { DeviceRule(denying: $0) }
        domain.defaultApplication = entry.defaultApplication
        domain.browserApplication = entry.browserApplication?.name
        domain.limits.registrations = entry.maximumRegistrations
        domain.limits.sessions = entry.maximumSessions
        domain.limits.sessionsPerDevice = entry.maximumSessionsPerDevice
        domain.applications = entry.applications.compactMap { application in
            // MBE-06: where the backend is revoked there is no application.
            backends.first { $0.reference == application.backend && !$0.isRevoked }
                .map { Assembly.application(application, $0) }
        }
        return domain
    }

    /// The issuer that a domain asks about passwords.
    private mutating func remote(
        _ entry: ServiceDomainEntry, _ modules: [String: GuardedIssuer]
    ) -> RemoteAuthentication? {
        // An issuer that could not be made was reported with its own entry.
        guard let settings = entry.authentication.remote, let module = modules[settings.issuer] else { return nil }
        guard let passwords = IssuerPasswords(module) else {
            report(
                "/serviceDomains/\(entry.name)/authentication/issuer",
                "the issuer \"\(settings.issuer)\" of module \(module.kind) verifies no passwords",
                expected: "one of module oauth2, oam, or http with {password}", severity: .error)
            return nil
        }
        var remote = RemoteAuthentication(passwords: passwords)
        remote.connectivity = settings.connectivity
        remote.guestRoles = settings.guestRoles
        // Revocations are remembered for a year.
        remote.verifierSeconds = min(max(1, settings.verifierLifetime.components.seconds), 31_536_000)
        remote.maximumVerifiers = settings.maximumVerifiers
        remote.offlineSessionSeconds = Int64(settings.offlineSessionSeconds)
        return remote
    }

    /// Whose logins by browser count, by service domain.
    func browserDomains() -> [String: BrowserDomain] {
        let domains = configuration.serviceDomains.map { entry in
            let ways = loginWays(entry)
            var domain = BrowserDomain()
            domain.providers = ways.compactMap(\.provider)
            domain.takesPasswords = ways.isEmpty || domain.providers.count < ways.count
            domain.passwordLogin = passwordLogin(entry)
            domain.guestRoles = entry.authentication.remote?.guestRoles
            return (entry.name, domain)
        }
        return Dictionary(uniqueKeysWithValues: domains)
    }

    private static func application(_ entry: MobileApplicationEntry, _ backend: Backend) -> MobileApplication {
        var application = MobileApplication(name: entry.name, backend: backend)
        application.sharedSecret = entry.sharedSecret?.value
        application.displayName = entry.displayName
        application.urlScheme = entry.urlScheme
        application.redirectURIs = entry.redirectURIs
        application.participates = entry.participates
        application.agentPriority = entry.agentPriority
        application.profileCacheSeconds = Int64(entry.profileCacheSeconds)
        application.sessionTimeout = entry.sessionTimeout.map(Int64.init)
        application.idleTimeout = entry.idleTimeout.map(Int64.init)
        application.maximumLoginAttempts = entry.maximumLoginAttempts.map(Int64.init)
        application.lockoutSeconds = Int64(entry.lockoutSeconds)
        application.offlineAuthentication = entry.offlineAuthentication
        application.customAttributes = entry.customAttributes
        let scheme = entry.customAttributes.first { $0.name == "CryptoScheme" }?.node.string
        application.verifierScheme = scheme.flatMap(PasswordScheme.init)?.ofVerifiers ?? .scrypt
        application.claimAttributes = entry.claimAttributes
        application.accessTokenSeconds = Int64(entry.accessTokenSeconds)
        return application
    }

    // MARK: Schemes

    func scheme(named name: String) -> AuthenticationSchemeEntry? {
        configuration.authenticationSchemes.first { $0.name == name }
    }

    func scheme(_ entry: AuthenticationSchemeEntry) -> AuthenticationScheme {
        var scheme = AuthenticationScheme(
            name: entry.name, level: entry.level, method: entry.challengeMethod, formTarget: entry.formTarget)
        if let application = configuration.application(ofForm: entry),
            let realm = configuration.backends.first(where: { $0.reference == application.backend })?.realm
        {
            scheme.backends = configuration.backends.filter { $0.realm == realm }.map(\.mobileBackendID)
        }
        scheme.logins = logins(ofForm: entry)
        return scheme
    }

    /// What a login by password at a service domain counts as (CACHE-11).
    private func passwordLogin(_ entry: ServiceDomainEntry) -> LoginClass {
        .password(issuer: entry.authentication.remote?.issuer)
    }

    /// How users log in by the form of a scheme; empty for a scheme without one.
    private func logins(ofForm scheme: AuthenticationSchemeEntry) -> [LoginClass] {
        guard scheme.challengeMethod == .form else { return [] }
        let name = scheme.formDomain ?? BrowserLogin.standardDomain
        guard let domain = configuration.serviceDomains.first(where: { $0.name == name }) else { return [] }
        let ways = loginWays(domain)
        if ways.isEmpty { return [passwordLogin(domain)] }
        return ways.map { way in way.provider.map { .provider($0) } ?? passwordLogin(domain) }
    }

    /// How users may have logged in, by the Webgates whose scheme has a form.
    private func webgateLogins() -> [String: [LoginClass]] {
        var logins: [String: [LoginClass]] = [:]
        for webgate in configuration.webgates {
            guard let scheme = webgate.authenticationScheme.flatMap(scheme(named:)), scheme.challengeMethod == .form
            else { continue }
            logins[webgate.name] = self.logins(ofForm: scheme)
        }
        return logins
    }

    /// The login forms of all schemes that have one (SCH-02).
    func loginForms() -> [BrowserLogin.Form] {
        configuration.authenticationSchemes.filter { $0.challengeMethod == .form }.map { scheme in
            BrowserLogin.Form(path: scheme.formPath, domain: scheme.formDomain ?? BrowserLogin.standardDomain)
        }
    }

    /// What answers at the forms; nil where there are none.
    func browserLogin(
        _ social: MobileSocial?, _ seals: BrowserSeals, _ providers: ProviderLogin?
    ) -> BrowserLogin? {
        let forms = loginForms()
        guard let social, !forms.isEmpty || hasRelyingParties else { return nil }
        return BrowserLogin(social: social, seals: seals, forms: forms, providers: providers)
    }
}
