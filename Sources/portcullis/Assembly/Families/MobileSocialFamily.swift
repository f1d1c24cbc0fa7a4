#if Compatibility
    import Authorization
    import Bytes
    import Configuration
    import Crypto
    import Gateway
    import HTTP
    import Identity
    import Issuers
    import JOSE
    import LoginPages
    import MobileSocial
    import Model
    import OAuthServer
    import Policy
    import ServiceDomains
    import TokenStorage
    import UserProfiles

    /// Mobile & Social: service domains, and logins by browser at them.
    final class MobileSocialFamily: CompatibilityFamily, AdministeredFamily {
        /// Wrong passwords of applications of service domains.
        let attempts = LoginAttemptTable(clock: .system)

        func remains(of session: TokenRecord) -> [String] { MobileSocialService.remains(of: session) }

        var operations: [AdminOperation] {
            let unlock = AdminOperation(.delete, "lockouts/*/*/*", "lockouts.remove") {
                [attempts] (administration, request) throws(AdminFailure) in
                try DeviceAdministration(administration: administration).unlock(request, attempts)
            }
            return DeviceAdministration.operations + [unlock]
        }

        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext) {
            let assembly = ServiceDomainAssembly(context: context)
            guard let social = assembly.service(foundation, attempts) else { return }
            parts.userTokens = { social.with(userToken: $0, now: $1, $2) }
            let login = assembly.browserLogin(social, foundation)
            let handlers = social.handlers(ownTokens: foundation.tokens.ownTokens, login)
            parts.add(login == nil ? handlers : foundation.pages.dressing(handlers))
            if let login { parts.add(foundation.pages.dressing(login.handlers), returns: login.returns) }
        }
    }

    private struct ServiceDomainAssembly: AssemblyPart {
        let context: AssemblyContext

        private var logins: LoginAssembly { LoginAssembly(context: context) }

        /// What answers for the service domains; nil where there are none.
        func service(
            _ foundation: EndpointFoundation, _ attempts: LoginAttemptTable
        ) -> MobileSocialService? {
            guard !configuration.serviceDomains.isEmpty else { return nil }
            let service = configuration.tokenService
            var settings = MobileSocialSettings(
                users: foundation.users, hasher: foundation.hasher, catalogue: foundation.catalogue,
                store: foundation.store.tokens, key: foundation.store.key, seals: foundation.seals,
                signer: JWTSigner(key: foundation.key), contexts: foundation.challenges)
            for entry in configuration.serviceDomains {
                var domain = domain(entry, foundation.clients)
                domain.remote = remote(entry, foundation.modules)
                domain.loginMethods = loginMethods(entry)
                domain.passwordLogin = .password(issuer: entry.authentication.remote?.issuer)
                settings.domains.append(domain)
            }
            settings.issuer = service.issuer
            settings.audience = [service.audience]
            settings.baseURL = configuration.baseURL.description
            settings.servesUserProfiles = configuration[UserProfileSection.self].isEnabled
            settings.names = logins.publicNames()
            settings.webgates = Set(configuration.webgates.map(\.name))
            settings.webgateLogins = webgateLogins()
            settings.throttle = retained.throttle
            settings.clientThrottle = retained.clientThrottle
            settings.sessions = foundation.store.sessions
            settings.attempts = attempts
            settings.revocations = retained.revocations
            return MobileSocialService(settings: settings)
        }

        private func domain(_ entry: ServiceDomainEntry, _ clients: Clients) -> ServiceDomain {
            var domain = ServiceDomain(name: entry.name, services: entry.services, isMobile: entry.isMobile)
            let authentication = entry.authentication
            domain.scheme = authentication.scheme
            domain.level = authentication.passwordLevel(configuration.authenticationSchemes)
            domain.secondStep.question = authentication.asksQuestion
            domain.secondStep.code = authentication.asksCode
            domain.secondStep.level = authentication.strongLevel(configuration.authenticationSchemes)
            domain.secondStep.onDemand = authentication.onDemand
            domain.wipesDevices = entry.wipesDevices
            domain.deviceRules = entry.deniedDevices.map { DeviceRule(denying: $0) }
            domain.defaultApplication = entry.defaultApplication
            domain.browserApplication = entry.browserApplication?.name
            domain.limits = entry.limits
            domain.backends = clients
            domain.applications = entry.applications.compactMap { application in
                // Where the client is revoked there is no application.
                clients.clients.first { $0.reference == application.client && !$0.isRevoked }
                    .map {
                        MobileApplication(
                            application.settings, backend: $0, sharedSecret: application.sharedSecret?.value)
                    }
            }
            return domain
        }

        /// The issuer that a domain asks about passwords.
        private func remote(
            _ entry: ServiceDomainEntry, _ modules: [String: GuardedIssuer]
        ) -> RemoteAuthentication? {
            // An issuer that could not be made was reported with its own entry.
            guard let settings = entry.authentication.remote, let module = modules[settings.issuer] else { return nil }
            guard let passwords = IssuerPasswords(module) else {
                context.report(
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

        /// How users of a service domain log in by browser; empty for one that uses no provider.
        private func loginMethods(_ entry: ServiceDomainEntry) -> [ServiceDomain.LoginMethod] {
            logins.providers(entry.authentication.relyingParty?.providers ?? []).map { provider in
                if provider.kind == .local { return .form(name: provider.name, title: provider.displayName) }
                var rules = provider.users
                if let isEmail = entry.authentication.relyingParty?.usernameFromEmail {
                    rules.identity.usernameSources = isEmail ? [ClaimSource(literal: ProviderRules.emailClaim)] : []
                }
                var made = ServiceDomain.RelyingParty(provider: provider.name, rules: rules)
                made.title = provider.displayName
                made.exposesToken = entry.authentication.relyingParty?.exposesToken ?? false
                return .provider(made)
            }
        }

        /// How users may have logged in, by the Webgates whose scheme has a form.
        private func webgateLogins() -> [String: [LoginClass]] {
            var ways: [String: [LoginClass]] = [:]
            for webgate in configuration.webgates {
                guard let scheme = webgate.authenticationScheme.flatMap(logins.scheme(named:)),
                    scheme.challengeMethod == .form
                else { continue }
                ways[webgate.name] = logins.ways(ofForm: scheme)
            }
            return ways
        }

        /// The login forms of all schemes that have one (SCH-02).
        private func loginForms() -> [BrowserLogin.Form] {
            configuration.authenticationSchemes.filter { $0.challengeMethod == .form }.map { scheme in
                BrowserLogin.Form(
                    path: scheme.formPath, domain: scheme.formDomain ?? LoginDomainName.standard)
            }
        }

        /// What answers at the forms; nil where there are none.
        func browserLogin(
            _ social: MobileSocialService, _ foundation: EndpointFoundation
        ) -> BrowserLogin? {
            let forms = loginForms()
            guard !forms.isEmpty || logins.hasRelyingParties else { return nil }
            return BrowserLogin(
                social: social, tokens: foundation.tokens,
                settings: LoginFlow.Settings(seals: foundation.seals, sessions: foundation.store.sessions),
                forms: forms, providers: foundation.providers)
        }
    }
#endif
