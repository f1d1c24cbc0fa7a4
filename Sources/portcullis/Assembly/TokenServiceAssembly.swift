import Bytes
import Configuration
import Crypto
import Identity
import Issuers
import JOSE
import LoginPages
import Model
import OAuthServer
import Reactor

/// The gateway's own token service.
struct TokenServiceAssembly: AssemblyPart {
    let context: AssemblyContext

    func build(
        _ keys: [SigningKeyRing], _ possession: ClientPossession, _ modules: [String: GuardedIssuer],
        _ users: UserStore, _ clients: Clients,
        _ catalogue: RoleCatalogue, _ assertions: AssertionSources, _ store: RetainedStore.Opened,
        _ identityAssertions: IdentityAssertions?
    ) -> TokenService {
        let service = configuration.tokenService
        var published: [JSONWebKey] = []
        let issuerKeys = configuration.issuers.flatMap { modules[$0.name]?.publishedKeys ?? [] }
        for candidate in keys.flatMap(\.all) + issuerKeys {
            let kid = JWTSigner(key: candidate).keyID
            if candidate.algorithm.isSymmetric || published.contains(where: { $0.kid == kid }) { continue }
            published.append(JSONWebKey(candidate, kid: kid))
        }
        for key in context.providerKeys where !published.contains(where: { $0.kid == key.kid }) {
            published.append(key)
        }
        var settings = TokenServiceSettings(
            issuer: service.issuer, audience: [service.audience], baseURL: configuration.baseURL.description,
            keys: ServiceKeys(keys, published: KeySet(keys: published)), users: users, clients: clients,
            catalogue: catalogue, revocations: retained.revocations, store: store.tokens, storeKey: store.key)
        settings.resources = ResourceIndicators(
            routes: configuration.routes.ownResources(configuration.origins), others: service.resources)
        settings.possession = possession
        settings.throttle = retained.throttle
        settings.clientThrottle = retained.clientThrottle
        settings.deviceThrottle = retained.deviceThrottle
        settings.deviceBeginThrottle = retained.deviceBeginThrottle
        settings.registration = service.registration.flatMap { section in
            context.backendID(section.client).map {
                var settings = RegistrationSettings(section, sponsorID: $0, retained.registrationThrottle)
                settings.documents = service.clientDocuments.flatMap { ClientDocumentSettings($0, context) }
                settings.isTrustedByRoutes = configuration.routes.contains { route in
                    route.options.trustsRegisteredClients
                        && (route.clients.isEmpty || route.clients.contains(where: section.client.isExactly))
                }
                return settings
            }
        }
        settings.raceClock = RaceClock(now: { Clock.wallMilliseconds }, run: SerialQueue.run(atMillisecond:_:))
        settings.later = { second, work in SerialQueue.run(atSecond: second, most: 70, work) }
        settings.paths = configuration.tokenService.paths
        settings.terms = service.terms
        settings.assertions = assertions
        settings.identityAssertions = identityAssertions
        settings.accountProviders = configuration.allIdentityProviders.requiringAccounts
        settings.resourceServers = resourceServers()
        settings.grantIssuers = grantIssuers(modules, catalogue)
        if LoginAssembly(context: context).hasLogins {
            settings.pageLanguages = PageLook(configuration.pages).tags
        }
        for family in retained.families { family.announce(in: &settings, context) }
        return TokenService(settings: settings)
    }

    private func resourceServers() -> [ResourceServer] {
        configuration.tokenService.resourceServers.map { entry in
            ResourceServer(
                clientID: entry.clientID, clientSecret: entry.clientSecret.value,
                clients: entry.clients.map { $0.compactMap(context.backendID) })
        }
    }

    /// The modules that issue the access tokens of clients (OAUTH-09).
    private func grantIssuers(_ modules: [String: GuardedIssuer], _ catalogue: RoleCatalogue) -> [String:
        any GrantIssuer]
    {
        var issuers: [String: any GrantIssuer] = [:]
        for name in configuration.clients.compactMap(\.client.issuer) {
            guard let module = modules[name] else { continue }
            issuers[name] = ModuleGrantIssuer(module: module, catalogue: catalogue)
        }
        return issuers
    }
}
