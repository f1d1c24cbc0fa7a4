import Bytes
import Configuration
import Crypto
import Foundation
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
struct Assembly {
    let loaded: LoadedConfiguration
    let configuration: GatewayConfiguration
    /// Whether missing key files are created; `check` does not write files.
    let makesKeys: Bool
    let retained: RetainedState
    /// The listeners of a running process.
    private let bound: BoundListeners?
    var diagnostics: [Diagnostic] = []
    /// Indices in `diagnostics` of warnings that do not prevent a start and that `check` reports as errors.
    private var raised: Set<Int> = []
    /// Keys of issuers that publish theirs.
    var issuerKeys: [IssuerKeys] = []
    /// Public keys with which the gateway authenticates to servers of others, under the names in its assertions.
    var providerKeys: [JSONWebKey] = []

    init?(
        _ loaded: LoadedConfiguration, retained: RetainedState = RetainedState(), makesKeys: Bool,
        bound: BoundListeners? = nil
    ) {
        guard let configuration = loaded.configuration else { return nil }
        self.loaded = loaded
        self.configuration = configuration
        self.retained = retained
        self.makesKeys = makesKeys
        self.bound = bound
    }

    /// The snapshot, or nil with errors among the diagnostics.
    mutating func snapshot(generation: UInt64) -> GatewaySnapshot? {
        for pointer in CompatibilityFamilies.unmet(configuration) {
            report(
                pointer, "this program is built without the trait Compatibility",
                expected: "swift build --traits Compatibility", severity: .error)
        }
        let catalogue = RoleCatalogue(configuration.roles.names)
        let hasher = PasswordHasher(aesKey: configuration.passwords.aesKey)
        let users = UserStore(users: configuration.users, hasher: hasher, withdrawn: retained.withdrawn)
        let backends = backendStore()
        let keys = signingKeys()
        let modules = tokenIssuers(keys?.active)
        let sealing = sealingKeys()
        // Last, so that a configuration that is refused for another reason creates no file.
        guard let keys, let sealing, let store = tokenStore() else { return nil }
        let proofs = configuration.challenge.proofs.verifier(sealing, retained.proofs)
        let challenges = ChallengeIssuer(
            keys: sealing, lifetimeSeconds: configuration.challenge.lifetime.components.seconds,
            possession: PossessionRules(proofs, origins: configuration.origins))
        let seals = BrowserSeals(keys: sealing, store: store.life)

        var settings = PolicySettings(
            backends: backends, users: users, revocations: retained.revocations, challenges: challenges)
        settings.generation = generation
        settings.throttle = retained.throttle
        settings.passwordCacheSeconds = configuration.passwords.cache.components.seconds
        settings.ownOrigins = configuration.origins
        settings.allowOrigin = configuration.policies.allowOrigin
        settings.cors = configuration.cors
        settings.roles = catalogue
        settings.errors = configuration.errors
        settings.consumers = configuration.consumers
        settings.passwordVerifiers = RoutePasswords.verifiers(&self, modules)
        let webgates = webgates(modules)
        var origins: [Int] = []
        for (index, entry) in configuration.routes.enumerated() {
            let parts = routes(entry, at: "/routes/\(index)", modules, webgates)
            settings.routes += parts
            origins += parts.map { _ in index }
        }
        settings.endpoints = EndpointFamily.routes(configuration.endpointSettings)
        settings.issuers = [ownIssuer(keys)] + trustedIssuers()
        settings.introspectedIssuers = introspectedIssuers(retained.outbound)
        settings.policyServers = configuration.policies.askers(&self)
        if !issuerKeys.isEmpty { settings.keyEpoch = retained.keys.epoch }
        settings.liveRoles = configuration.tokenService.liveRoles
        if configuration.backends.contains(where: { $0.backend.issuer != nil }) {
            settings.grantedTokens = GrantRecords(store: store.tokens, key: store.key)
        }
        settings.seals = hasLoginForms || offersSignOn || hasRelyingParties ? seals : nil
        settings.browserDomains = browserDomains()
        let assertions = assertionSources(catalogue)
        settings.assertions = RouteAssertions.settings(&self, assertions, store.tokens)
        let providers = providerLogin(seals, store, assertions)
        let possession = ClientPossession(proofs, origins: configuration.origins)
        let tokens = tokenService(keys, possession, modules, users, backends, catalogue, assertions, store)
        let pages = PageLook(configuration.pages)
        let foundation = EndpointFoundation(
            users: users, hasher: hasher, catalogue: catalogue, backends: backends, key: keys.active, store: store,
            seals: seals, challenges: challenges, modules: modules, tokens: tokens, providers: providers,
            pages: pages)
        let endpoints = endpoints(on: foundation)
        settings.opaqueTokens = endpoints.opaqueTokens
        settings.activities = endpoints.activities
        settings.socialVerifier = endpoints.socialVerifier
        let upstreams = upstreams()
        let listeners = listeners()
        let tracer = configuration.log.tracing?.tracer(&self)
        if hasErrors { return nil }
        let policy = PolicySnapshot(settings)
        if configuration.routes.isEmpty {
            report(
                "/routes", "there is no route: nothing is forwarded", expected: "routes.json", severity: .warning)
        }
        warnOfCredentials()
        let rateLimits = rateLimits(origins)
        retained.keys.keep(only: issuerKeys.map(\.keys))
        if let key = store.nextKey { store.key.adopt(key) }
        retained.formerKeys.use(store.tokens, store.key)
        retained.cleaner.use(
            store.tokens,
            minuteOfDay: configuration.tokenCleaner.isEnabled ? configuration.tokenCleaner.minuteOfDay : nil)
        return GatewaySnapshot(
            generation: generation, policy: policy, injections: injections(policy, modules),
            tokens: tokens, endpoints: endpoints.handlers, backends: backends,
            upstreamWebgates: upstreamWebgates(policy, modules),
            upstreams: upstreams, limits: limits(),
            listeners: bound?.follow(configuration.listeners, listeners) ?? listeners,
            adminToken: configuration.admin?.token.map { Array($0.value.utf8) },
            adminHosts: configuration.admin?.hosts ?? [], names: publicNames(),
            proxies: TrustedProxies(configuration.trustedProxies, family: configuration.forwardedFields),
            managedNames: managedNames,
            rateLimits: rateLimits, issuerKeys: issuerKeys,
            issuers: modules.values.map(\.gate).sorted { $0.name < $1.name },
            accessFields: configuration.log.fields, accessSample: configuration.log.sample,
            pages: pages, tracer: tracer)
    }

    /// The endpoints of all families.
    private mutating func endpoints(on foundation: EndpointFoundation) -> EndpointParts {
        var parts = EndpointParts()
        parts.add(foundation.tokens.handlers)
        parts.add(ProtectedResources(configuration).handlers)
        for family in retained.families { family.build(&parts, on: foundation, &self) }
        parts.add(foundation.pages.dressing(foundation.providers.handlers(parts.returns)))
        return parts
    }

    private mutating func warnOfCredentials() {
        for (index, consumer) in configuration.consumers.enumerated() {
            guard let warning = consumer.warning(now: Clock.wallSeconds) else { continue }
            report(
                "/consumers/\(index)/keys", warning, expected: "another key, made by `portcullis keys rotate`",
                severity: .warning)
        }
        let length = ClientThrottle.unguessableLength
        guard loaded.isForProduction, let token = configuration.admin?.token, token.value.utf8.count < length else {
            return
        }
        report(
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

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The diagnostics as `check` reports them.
    var checked: [Diagnostic] {
        diagnostics.enumerated().map { place, diagnostic in
            var diagnostic = diagnostic
            if raised.contains(place) { diagnostic.severity = .error }
            return diagnostic
        }
    }

    /// Reports a warning that `check` reports as an error.
    mutating func errorOfCheck(_ pointer: String, _ message: String, expected: String? = nil) {
        raised.insert(diagnostics.count)
        report(pointer, message, expected: expected, severity: .warning)
    }

    mutating func error(_ pointer: String, _ message: String) {
        diagnostics.append(loaded.diagnostic(pointer: pointer, message: message, severity: .error))
    }

    /// Reports an expired certificate: a warning, or an error of `check --production`.
    mutating func expired(_ pointer: String, _ message: String) {
        if loaded.isForProduction { errorOfCheck(pointer, message) } else { warning(pointer, message) }
    }

    mutating func warning(_ pointer: String, _ message: String) {
        diagnostics.append(loaded.diagnostic(pointer: pointer, message: message, severity: .warning))
    }

    mutating func report(
        _ pointer: String, _ message: String, expected: String?, severity: Severity
    ) {
        diagnostics.append(
            loaded.diagnostic(pointer: pointer, message: message, severity: severity, expected: expected))
    }
}
