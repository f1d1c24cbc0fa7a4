import Configuration
import Gateway
import Identity
import Issuers
import Model
import Policy

/// The routes with their Webgates, and where the tokens for their upstreams come from.
struct RouteAssembly: AssemblyPart {
    let context: AssemblyContext

    private var logins: LoginAssembly { LoginAssembly(context: context) }

    /// The Webgates by name.
    func webgates(_ modules: [String: GuardedIssuer]) -> [String: Webgate] {
        var webgates: [String: Webgate] = [:]
        for entry in configuration.webgates {
            let scheme = entry.authenticationScheme.flatMap(logins.scheme(named:))
            let injections = entry.injections.compactMap { rule($0, at: $0.pointer, modules) }
            webgates[entry.name] = Webgate(
                name: entry.name, level: entry.level ?? scheme?.level ?? 0, userAgents: entry.userAgents,
                mismatch: entry.userAgentMismatch,
                injections: injections,
                scheme: scheme.map(logins.scheme))
        }
        return webgates
    }

    /// A route of the configuration as routes of the policy.
    func parts(
        of entry: RouteEntry, at pointer: String, _ modules: [String: GuardedIssuer], _ webgates: [String: Webgate]
    ) -> [ResolvedRoute] {
        if !entry.path.isCanonical {
            context.error("\(pointer)/path", "\"\(entry.path.text)\": a pattern must be in canonical form")
        }
        let place = configuration.upstreams.firstIndex { $0.name == entry.upstream }
        let upstream = place.map { configuration.upstreams[$0] }
        var route = ResolvedRoute(entry)
        route.upstream = place ?? 0
        route.rewrite = PathRewrite(
            stripping: entry.options.rewrite.stripPrefix,
            prefixes: [upstream?.basePath, entry.options.rewrite.addPrefix].compactMap(\.self),
            mapsLocation: entry.options.rewrite.mapsLocation)
        route.host = upstream.map(entry.host) ?? ""
        route.clients = entry.clients.compactMap(context.backendID)
        route.defaultBackend = entry.defaultBackend.flatMap(context.backendID)
        route.webgate = entry.webgate.flatMap { webgates[$0] }
        route.scheme = entry.authenticationScheme.flatMap(logins.scheme(named:)).map(logins.scheme)
        route.login = entry.login.map(logins.login)
        route.application = configuration.applications.first { $0.name == entry.application }
        route.injections = injections(of: entry, at: pointer, modules)
        route.resources = entry.resourceIdentifiers(configuration.origins)
        checkNames(entry, at: pointer, modules)
        if let signed = SignedIdentity.rule(entry, host: configuration.baseURL.host, modules) {
            if route.injections.isEmpty { route.injections = route.webgate?.injections ?? [] }
            route.injections.append(signed)
            route.issuedClaims = IdentityAssertionIssuer.claims
        }
        return route.parts
    }

    /// Warns of a token by the caller's name alone, where users of several issuers may have the same one.
    private func checkNames(_ entry: RouteEntry, at pointer: String, _ modules: [String: GuardedIssuer]) {
        let injected = entry.injections(configuration.webgates).compactMap { modules[$0.issuer] }
        guard injected.contains(where: { $0.dependsOnCaller && !$0.dependsOnCredential }) else { return }
        let issuers = SharedNames(configuration).issuers(on: entry)
        guard issuers.count > 1 else { return }
        context.warning(
            "\(pointer)/injection",
            "users of \(SharedNames.list(issuers)) with the same name get the same token for the upstream; give each issuer a \"usernamePrefix\" with which no other one begins, or accept it by \"acknowledge\": [\"shared-names\"]"
        )
    }

    /// The route's own rules, or where its upstream challenges, that of its Webgate in the scheme of the challenges.
    private func injections(
        of entry: RouteEntry, at pointer: String, _ modules: [String: GuardedIssuer]
    ) -> [InjectionRule] {
        let scheme = entry.options.challengeRule == nil ? "Bearer" : UpstreamChallengeRule.scheme
        if !entry.injections.isEmpty {
            return entry.injections.compactMap { rule($0, at: $0.pointer, modules, scheme: scheme) }
        }
        guard entry.options.challengeRule != nil,
            let shared = configuration.webgates.first(where: { $0.name == entry.webgate })
        else { return [] }
        return shared.injections.compactMap { rule($0, at: "\(pointer)/webgate", modules, scheme: scheme) }
    }

    /// - Parameter scheme: of credentials, for a rule that does not say how the token is put.
    private func rule(
        _ entry: InjectionEntry, at pointer: String, _ modules: [String: GuardedIssuer], scheme: String = "Bearer"
    ) -> InjectionRule? {
        // A module that could not be made has been reported at its own place.
        guard let module = modules[entry.issuer] else { return nil }
        let rule = InjectionRule(
            issuer: entry.issuer, configurationID: module.configurationID,
            header: entry.header, format: entry.format ?? "\(scheme) {token}",
            retriesOnUnauthorized: entry.retriesOnUnauthorized)
        if rule == nil { context.error(pointer, "header must be a field name, and format have {token} exactly once") }
        return rule
    }

    /// Where each route's tokens come from. Routes of one Webgate share a target, so that they share tokens (CACHE-03), as do
    /// routes with the token of a login. Where the provider is asked whether the login holds, that comes last: no rule of the
    /// route has its place.
    ///
    /// - Parameter source: of the tokens of logins.
    func injections(
        _ policy: PolicySnapshot, _ modules: [String: GuardedIssuer], logins source: @escaping LoginTokenSource
    ) -> [[InjectionTarget]] {
        var targets: [String: InjectionTarget] = [:]
        return policy.routes.routes.map { route in
            // An upstream behind a Webgate says itself which token it wants.
            if route.entry.options.challengeRule != nil { return [] }
            let login = route.entry.login
            let injections = route.injections.compactMap { rule -> InjectionTarget? in
                guard let module = modules[rule.issuer] else { return nil }
                let isOfLogin = rule.issuer == InjectionEntry.login
                let place = route.webgate.map { "webgate \($0.name)" } ?? "route \(isOfLogin ? "" : route.name)"
                let key = "\(rule.issuer) \(place)"
                if let known = targets[key] { return known }
                let isExchanged = login?.passesTokens == true && !isOfLogin && module.dependsOnCredential
                let target = InjectionTarget(
                    webgate: route.webgate?.name ?? (isOfLogin ? "" : route.name),
                    issuer: isExchanged ? LoginSubjectIssuer(module, source: source) : module)
                targets[key] = target
                return target
            }
            return injections + (login?.recheck.map { [check(every: $0, source, &targets)] } ?? [])
        }
    }

    /// Has the provider of a login asked.
    private func check(
        every interval: Duration, _ source: @escaping LoginTokenSource, _ targets: inout [String: InjectionTarget]
    ) -> InjectionTarget {
        let use = LoginTokenIssuer.Use.check(
            every: interval.components.seconds, skew: configuration.issuedTokenCache.skew.components.seconds)
        let issuer = LoginTokenIssuer(use, source: source)
        let target =
            targets[issuer.configurationID] ?? InjectionTarget(webgate: "", issuer: issuer, isForLogins: true)
        targets[issuer.configurationID] = target
        return target
    }

    /// What is known of the Webgates that upstreams are behind. Routes to one upstream share it, and so their tokens.
    func upstreamWebgates(_ policy: PolicySnapshot, _ modules: [String: GuardedIssuer]) -> [UpstreamWebgates?] {
        var known: [String: UpstreamWebgates] = [:]
        return policy.routes.routes.map { route in
            guard route.entry.options.challengeRule != nil, let rule = route.injections.first,
                let module = modules[rule.issuer]
            else {
                return nil
            }
            let upstream = configuration.upstreams[route.upstream].name
            let key = "\(rule.issuer) \(upstream)"
            if let webgates = known[key] { return webgates }
            let webgates = UpstreamWebgates(upstream: upstream, issuer: module)
            known[key] = webgates
            return webgates
        }
    }
}

extension RouteEntry {
    /// `Host` of forwarded requests; empty for the client's.
    fileprivate func host(_ upstream: UpstreamEntry) -> String {
        switch options.hostHeader ?? upstream.hostHeader {
        case .client: ""
        case .upstream: upstream.servers.first?.authority ?? ""
        case .fixed(let host): host
        }
    }
}
