import ACME
import Authorization
import Configuration
import Crypto
import Gateway
import HTTP
import Identity
import Issuers
import JOSE
import LoginPages
import Model
import OAuthServer
import Policy
import Reactor
import TokenStorage

/// The composition root: builds a snapshot from a configuration.
///
/// Errors that only show here (an unreadable key file, an invalid JWK set) are reported at their place in the
/// configuration, and there is no snapshot then.
struct Assembly: AssemblyPart {
    let context: AssemblyContext
    /// The listeners of a running process.
    private let bound: BoundListeners?
    /// What an expectation that is not met is; nil where none is looked at.
    var unmetExpectations: Severity? = .error

    init?(
        _ loaded: LoadedConfiguration, retained: RetainedState? = nil, makesKeys: Bool,
        bound: BoundListeners? = nil
    ) {
        let retained = retained ?? RetainedState(families: CompatibilityFamilies.all())
        guard let context = AssemblyContext(loaded, retained: retained, makesKeys: makesKeys) else { return nil }
        self.context = context
        self.bound = bound
    }

    /// The snapshot, or nil with errors among the diagnostics.
    func snapshot(generation: UInt64) -> GatewaySnapshot? {
        let catalogue = RoleCatalogue(configuration.roles.names)
        let hasher = configuration.passwords.hasher
        let users = UserStore(users: configuration.users, hasher: hasher, withdrawn: retained.withdrawn)
        let clients = ClientAssembly(context: context).clients()
        let keys = KeyAssembly(context: context).signingKeys()
        var modules = IssuerAssembly(context: context).tokenIssuers(keys?[0].active)
        let sealing = KeyAssembly(context: context).sealingKeys()
        // Last, so that a configuration that is refused for another reason creates no file.
        guard let keys, let sealing, let store = StoreAssembly(context: context).tokenStore() else { return nil }
        let proofs = configuration.challenge.proofs.verifier(sealing, retained.proofs)
        let challenges = ChallengeIssuer(
            keys: sealing, lifetimeSeconds: configuration.challenge.lifetime.components.seconds,
            possession: PossessionRules(proofs, origins: configuration.origins))
        let seals = BrowserSeals(
            keys: sealing, store: store.life, cookieDomain: configuration.sessions.cookieDomain)

        var settings = PolicySettings(
            clients: clients, users: users, revocations: retained.revocations, challenges: challenges)
        settings.generation = generation
        settings.withdrawn = retained.withdrawn
        settings.throttle = retained.throttle
        settings.background = retained.background
        settings.passwordCacheSeconds = configuration.passwords.cache.components.seconds
        settings.roles = catalogue
        copySections(to: &settings)
        settings.passwordVerifiers = RoutePasswords.verifiers(context, modules)
        let assertions = AssertionAssembly(context: context).assertionSources(catalogue)
        let providers = ProviderAssembly(context: context).providerLogin(seals, store, assertions)
        let source = ProviderAssembly(context: context).tokenSource(providers)
        modules[InjectionEntry.login] = IssuerAssembly(context: context).loginTokens(source)
        let routes = RouteAssembly(context: context)
        let webgates = routes.webgates(modules)
        var origins: [Int] = []
        for (index, entry) in configuration.routes.enumerated() {
            let parts = routes.parts(of: entry, at: "/routes/\(index)", modules, webgates)
            settings.routes += parts
            origins += parts.map { _ in index }
        }
        settings.endpoints = GatewayEndpoints.all.routes(configuration.endpointSettings)
        let trusted = TrustAssembly(context: context).trustedIssuers()
        settings.issuers = [TrustAssembly(context: context).ownIssuer(keys[0])] + trusted.ofRoutes
        settings.introspectedIssuers = IntrospectionAssembly(context: context).introspectedIssuers(retained.outbound)
        settings.policyServers = configuration.policies.askers(context)
        if !context.issuerKeys.isEmpty { settings.keyEpoch = retained.keys.epoch }
        if configuration.clients.contains(where: { $0.client.issuer != nil }) {
            settings.grantedTokens = GrantRecords(store: store.tokens, key: store.key)
        }
        let logins = LoginAssembly(context: context)
        logins.add(to: &settings, seals)
        settings.credentials += RouteAssertions.settings(context, assertions, store.tokens).map { [$0] } ?? []
        let possession = ClientPossession(proofs, origins: configuration.origins)
        let tokens = TokenServiceAssembly(context: context).build(
            keys, possession, modules, users, clients, catalogue, assertions, store, trusted.assertions)
        var pages = PageLook(configuration.pages)
        pages.start = logins.startPage()
        let foundation = EndpointFoundation(
            users: users, hasher: hasher, catalogue: catalogue, clients: clients, key: keys[0].active, store: store,
            seals: seals, challenges: challenges, modules: modules, tokens: tokens, providers: providers,
            logins: logins.flow(tokens, store, seals: seals, providers: providers), pages: pages)
        let endpoints = endpoints(on: foundation, accountKey: CertificateAssembly(context: context).begin())
        settings.opaqueTokens = endpoints.opaqueTokens
        settings.activities = store.sessions
        settings.socialVerifier = endpoints.socialVerifier
        let upstreams = UpstreamAssembly(context: context).upstreams()
        let listeners = ListenerAssembly(context: context).listeners()
        let tracer = configuration.log.tracing?.tracer(context)
        guard ExpectationCheck(context: context).admits(settings, unmet: unmetExpectations) else { return nil }
        let policy = PolicySnapshot(settings)
        if configuration.routes.isEmpty {
            context.report(
                "/routes", "there is no route: nothing is forwarded", expected: "routes.json", severity: .warning)
        }
        warnOfCredentials()
        let limits = LimitAssembly(context: context)
        let rateLimits = limits.rateLimits(origins)
        retained.keys.keep(only: context.issuerKeys.map(\.keys))
        if let key = store.nextKey { store.key.adopt(key) }
        retained.formerKeys.use(store.tokens, store.key)
        retained.cleaner.use(
            store.tokens,
            minuteOfDay: configuration.tokenCleaner.isEnabled ? configuration.tokenCleaner.minuteOfDay : nil)
        return GatewaySnapshot(
            generation: generation, policy: policy, injections: routes.injections(policy, modules, logins: source),
            tokens: tokens, endpoints: endpoints.handlers, clients: clients,
            upstreamWebgates: routes.upstreamWebgates(policy, modules),
            upstreams: upstreams, limits: limits.ofClients(),
            listeners: bound?.follow(configuration.listeners, listeners) ?? listeners,
            adminToken: configuration.admin?.token.map { Array($0.value.utf8) },
            adminHosts: configuration.admin?.hosts ?? [], names: logins.publicNames(),
            proxies: TrustedProxies(configuration.trustedProxies, family: configuration.forwardedFields),
            managedNames: managedNames, rateLimits: rateLimits, issuerKeys: context.issuerKeys,
            issuers: modules.values.map(\.gate).sorted { $0.name < $1.name },
            accessFields: configuration.log.fields, accessSample: configuration.log.sample,
            logsAdmin: configuration.admin?.isLogged ?? true,
            errorPage: pages.errorPage, tracer: tracer,
            certificates: context.certificates.map { pointer, certificate in
                CertificateEnd(pointer: pointer, name: certificate.shownNames, end: certificate.notAfter)
            })
    }

    /// What decisions take over as it is.
    private func copySections(to settings: inout PolicySettings) {
        settings.ownOrigins = configuration.origins
        settings.allowOrigin = configuration.policies.allowOrigin
        settings.clientOrigins = configuration.clients.compactMap(\.client.grants.allowedOrigins)
        settings.cors = configuration.cors
        settings.errors = configuration.errors
        settings.consumers = configuration.consumers
        settings.liveRoles = configuration.tokenService.liveRoles
    }

    /// The endpoints of all families.
    /// - Parameter accountKey: at the authority of certificates; nil for none.
    private func endpoints(on foundation: EndpointFoundation, accountKey: SigningKey?) -> EndpointParts {
        var parts = EndpointParts()
        parts.add(ACMEChallenge.handlers(accountKey))
        parts.add(foundation.tokens.handlers)
        parts.add(ProtectedResources(configuration).handlers)
        if let flow = foundation.logins {
            let service = AuthorizationService(flow: flow)
            parts.add(foundation.pages.dressing(service.handlers), returns: service.returns)
        }
        for family in retained.families { family.build(&parts, on: foundation, context) }
        parts.add(foundation.pages.dressing(foundation.providers.handlers(parts.returns)))
        return parts
    }

    private func warnOfCredentials() {
        for (index, consumer) in configuration.consumers.enumerated() {
            guard let warning = consumer.warning(now: Clock.wallSeconds) else { continue }
            context.report(
                "/consumers/\(index)/keys", warning, expected: "another key, made by `portcullis keys rotate`",
                severity: .warning)
        }
        let length = ClientThrottle.unguessableLength
        guard context.loaded.isForProduction, let token = configuration.admin?.token, token.value.utf8.count < length
        else {
            return
        }
        context.report(
            "/admin/adminToken", "the token is short: administrators can be held back for the guesses of others",
            expected: "\(length) characters or more, as `openssl rand -base64 32` makes them", severity: .warning)
    }

    /// With the names by which any route says who is calling: a route that does not must not pass them on from clients.
    private var managedNames: ManagedNames {
        let identities = configuration.routes.flatMap {
            $0.options.requestFields?.lines.filter(\.value.isIdentity) ?? []
        }
        let answers = configuration.policies.servers.flatMap(\.rules.answerHeaders)
        let signs = configuration.routes.contains { $0.options.requestFields?.signsIdentity == true }
        let names =
            configuration.managedHeaders + identities.map(\.name) + answers
            + (signs ? [FieldRules.identityAssertion] : [])
        return names.isEmpty ? .standard : ManagedNames(names)
    }
}

extension PasswordsSection {
    /// Checks stored passwords, and makes those that are newly set.
    var hasher: PasswordHasher { PasswordHasher(aesKey: aesKey, leastLength: minLength) }
}
