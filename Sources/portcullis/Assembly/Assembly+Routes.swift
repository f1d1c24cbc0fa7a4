import Configuration
import Gateway
import Identity
import Issuers
import Model
import Policy

extension Assembly {
    mutating func webgate(
        _ entry: WebgateEntry, at pointer: String, _ modules: [String: GuardedIssuer]
    ) -> WebgateSettings {
        let scheme = entry.authenticationScheme.flatMap(scheme(named:))
        var settings = WebgateSettings(name: entry.name, level: entry.level ?? scheme?.level ?? 0)
        settings.scheme = scheme.map(self.scheme)
        settings.userAgents = entry.userAgents
        settings.mismatch = entry.userAgentMismatch
        settings.injection = entry.injection.flatMap { rule($0, at: "\(pointer)/injection", modules) }
        return settings
    }

    /// What a request must show beside roles; the methods of one route may differ in it.
    private struct Demand: Hashable {
        let isPublic: Bool
        let loginRequired: Bool
        let socialLogin: Bool
        let level: Int?
        let clientCertificate: [CertificatePattern]?

        init(_ access: AccessEntry) {
            isPublic = access.isPublic
            loginRequired = access.loginRequired
            socialLogin = access.socialLogin
            level = access.level
            clientCertificate = access.clientCertificate
        }
    }

    /// A route of the configuration as routes of the policy: one for each group of methods that demand the same, so that
    /// what a method's own rule says holds for that method and no other.
    mutating func routes(
        _ entry: RouteEntry, at pointer: String, _ modules: [String: GuardedIssuer]
    ) -> [RouteSettings] {
        var groups: [(access: AccessEntry, methods: [MethodEntry])] = []
        for method in entry.methods {
            if let place = groups.firstIndex(where: { Demand($0.access) == Demand(method.access) }) {
                groups[place].methods.append(method)
            } else {
                groups.append((method.access, [method]))
            }
        }
        if groups.isEmpty { return [route(entry, entry.name, entry.access, [], at: pointer, modules)] }
        return groups.map { access, methods in
            let names = methods.map(\.method).joined(separator: ",")
            let name = groups.count == 1 ? entry.name : "\(entry.name) \(names)"
            return route(entry, name, access, methods, at: pointer, modules)
        }
    }

    private mutating func route(
        _ entry: RouteEntry, _ name: String, _ access: AccessEntry, _ methods: [MethodEntry], at pointer: String,
        _ modules: [String: GuardedIssuer]
    ) -> RouteSettings {
        let upstream = configuration.upstreams.firstIndex { $0.name == entry.upstream } ?? 0
        var settings = RouteSettings(name: name, path: entry.path, upstream: upstream)
        settings.hosts = entry.hosts
        settings.methods = methods.isEmpty ? nil : methods.map(\.method)
        settings.roles = Assembly.roles(entry.access.roles)
        for method in methods { settings.methodRoles[method.method] = Assembly.roles(method.access.roles) }
        settings.backends = entry.backends.compactMap(backendID)
        settings.application = entry.application.flatMap(application(named:))
        settings.webgate = entry.webgate
        settings.isPublic = access.isPublic
        settings.loginRequired = access.loginRequired
        settings.socialLogin = access.socialLogin
        // SCH-03: the level of a scheme takes the place of the webgate's, and a level of the route goes before both.
        let scheme = entry.authenticationScheme.flatMap(scheme(named:))
        settings.scheme = scheme.map(self.scheme)
        settings.level = access.level ?? scheme?.level
        settings.allowOrigin = entry.allowOrigin
        settings.challengeRule = entry.upstreamAuth.map {
            UpstreamChallengeRule(
                userAgent: $0.userAgent, maximumKeptBody: $0.maximumReplayBytes, webgates: $0.webgates)
        }
        settings.injection = injection(of: entry, at: pointer, modules)
        settings.forwardCredential = entry.forwardCredential
        settings.certificateRule = access.clientCertificate.map { CertificateRule($0) }
        settings.forwardsCertificate = entry.forwardClientCertificate
        settings.maximumBodyBytes = entry.maximumBodyBytes
        settings.upgrades = entry.upgrades
        settings.responseTimeoutMilliseconds = entry.responseTimeout.map { Int($0.milliseconds) }
        return settings
    }

    static func roles(_ entry: RolesEntry) -> RoleSettings {
        RoleSettings(any: entry.any.isEmpty ? nil : entry.any, all: entry.all, none: entry.none)
    }

    /// The route's own rule, or where its upstream challenges, that of its Webgate in the scheme of the challenges.
    private mutating func injection(
        of entry: RouteEntry, at pointer: String, _ modules: [String: GuardedIssuer]
    ) -> InjectionRule? {
        let scheme = entry.upstreamAuth == nil ? "Bearer" : "OAM-Auth"
        if let own = entry.injection { return rule(own, at: "\(pointer)/injection", modules, scheme: scheme) }
        guard entry.upstreamAuth != nil,
            let shared = configuration.webgates.first(where: { $0.name == entry.webgate })?.injection
        else { return nil }
        return rule(shared, at: "\(pointer)/webgate", modules, scheme: scheme)
    }

    /// - Parameter scheme: of credentials, for a rule that does not say how the token is put.
    mutating func rule(
        _ entry: InjectionEntry, at pointer: String, _ modules: [String: GuardedIssuer], scheme: String = "Bearer"
    ) -> InjectionRule? {
        // A module that could not be made has been reported at its own place.
        guard let module = modules[entry.issuer] else { return nil }
        let index = configuration.issuers.firstIndex { $0.name == entry.issuer } ?? 0
        let rule = InjectionRule(
            issuer: entry.issuer, issuerIndex: index, configurationID: module.configurationID,
            header: entry.header, format: entry.format ?? "\(scheme) {token}",
            retriesOnUnauthorized: entry.retriesOnUnauthorized)
        if rule == nil { error(pointer, "header must be a field name, and format have {token} exactly once") }
        return rule
    }

    /// Where each route's token comes from. Routes of one Webgate share a target, so that they share tokens (CACHE-03).
    func injections(_ policy: PolicySnapshot, _ modules: [String: GuardedIssuer]) -> [InjectionTarget?] {
        var targets: [String: InjectionTarget] = [:]
        return policy.routes.routes.map { route in
            // An upstream behind a Webgate says itself which token it wants.
            guard route.challengeRule == nil, let rule = route.injection, let module = modules[rule.issuer] else {
                return nil
            }
            let place = route.webgate.map { "webgate \($0.name)" } ?? "route \(route.name)"
            let key = "\(rule.issuer) \(place)"
            if let known = targets[key] { return known }
            let target = InjectionTarget(webgate: route.webgate?.name ?? route.name, issuer: module)
            targets[key] = target
            return target
        }
    }

    /// What is known of the Webgates that upstreams are behind. Routes to one upstream share it, and so their tokens.
    func upstreamWebgates(_ policy: PolicySnapshot, _ modules: [String: GuardedIssuer]) -> [UpstreamWebgates?] {
        var known: [String: UpstreamWebgates] = [:]
        return policy.routes.routes.map { route in
            guard route.challengeRule != nil, let rule = route.injection, let module = modules[rule.issuer] else {
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
