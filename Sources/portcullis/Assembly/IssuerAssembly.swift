import Configuration
import Crypto
import Issuers
import Model
import Reactor

/// The issuers of `issuers.json`, each an instance of a module.
struct IssuerAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The modules that `issuers.json` can name.
    static let modules: [IssuerModule] = [.embedded, .fixed, .oauth2, .login] + CompatibilityFamilies.issuerModules

    /// The issuers of `issuers.json` by name.
    func tokenIssuers(_ serviceKey: SigningKey?) -> [String: GuardedIssuer] {
        // The next process finds persisted tokens by the same settings.
        if configuration.issuedTokenCache.persists, let serviceKey {
            ConfigurationIdentity.bind(to: Array(serviceKey.pem.utf8))
        }
        var issuers: [String: GuardedIssuer] = [:]
        for entry in configuration.issuers {
            guard let module = knownModule(entry),
                let made = IssuerReader(context: context).read(entry, module, serviceKey: serviceKey)
            else { continue }
            issuers[entry.name] = GuardedIssuer(
                made.issuer, settings: made.guarding, gate: retained.issuers.gate(entry.name, retained.log),
                clock: { Clock.monotonicMicroseconds })
        }
        let signed = SignedIdentity.issuers(
            configuration.routes, host: configuration.baseURL.host, key: serviceKey
        ) { retained.issuers.gate($0, retained.log) }
        issuers.merge(signed) { own, _ in own }
        retained.issuers.keep(only: Set(configuration.issuers.map(\.name) + signed.keys + [InjectionEntry.login]))
        return issuers
    }

    /// The tokens of providers as those of an issuer; nil where no route passes them on. Outages are those of a provider, for
    /// which no breaker opens for others.
    func loginTokens(_ source: @escaping LoginTokenSource) -> GuardedIssuer? {
        guard configuration.routes.contains(where: { $0.login?.passesTokens == true }) else { return nil }
        var guarding = GuardedIssuer.Settings()
        guarding.breaker.failures = .max
        return GuardedIssuer(
            LoginTokenIssuer(.access, source: source), settings: guarding,
            gate: retained.issuers.gate(InjectionEntry.login, retained.log),
            clock: { Clock.monotonicMicroseconds })
    }

    private func knownModule(_ entry: IssuerEntry) -> IssuerModule? {
        let known = IssuerAssembly.modules.first { ([$0.kind] + $0.aliases).contains(entry.module) }
        if known == nil {
            let names = IssuerAssembly.modules.flatMap { [$0.kind] + $0.aliases }
            context.report(
                "\(entry.pointer)/module", "there is no module \"\(entry.module)\"",
                expected: "one of \(names.joined(separator: ", "))", severity: .error)
        }
        return known
    }
}
