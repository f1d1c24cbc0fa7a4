import Declaration
import Model

/// Checks that every route is reachable.
extension GatewayConfiguration {
    /// - Parameter endpoints: all that the program has.
    func checkRoutes(_ findings: Findings, endpoints all: [EndpointDescriptor]) {
        let index = RouteIndex(routes)
        let endpoints = all.reservedPatterns(endpointSettings)
        for (i, route) in routes.enumerated() where route.path != .nothing {
            checkOverlap(of: route, at: i, index, findings)
            checkEndpoints(endpoints, against: route, at: i, findings)
            checkUpstreamAuth(of: route, at: i, findings)
            if route.application != nil, ([route.access] + route.methods.map(\.access)).contains(where: \.isOptional) {
                // Its key is asked for beside a credential.
                findings.error(
                    "/routes/\(i)/application",
                    "callers without a credential would not need the key of the application",
                    expected: "no \"identity\": \"optional\" beside it")
            }
            route.checkSignedIdentity(at: "/routes/\(i)", tokenService, route.injections(webgates), findings)
            LoginTokenUse(self).check(route, at: "/routes/\(i)", findings)
            route.checkClients(at: "/routes/\(i)/clients", in: self, findings)
            route.checkDefaultBackend(at: "/routes/\(i)/defaultBackend", findings)
            route.checkProtectedResource(at: "/routes/\(i)", origins, findings)
            route.checkMessages(at: "/routes/\(i)", findings)
            route.checkHost(at: "/routes/\(i)", upstreams, findings)
            for server in policies.servers { server.checkVariables(of: route, at: "/routes/\(i)", findings) }
            route.checkAnswerFields(at: "/routes/\(i)/responseHeaders", findings)
            route.checkFields(at: "/routes/\(i)/requestHeaders", route.injections(webgates), findings)
        }
        checkVariants(index, findings)
        routes.checkScopes(findings)
        routes.checkResources(of: tokenService, at: origins, findings)
    }

    /// The longest match decides between patterns. Routes with the same pattern must differ in host, method
    /// or conditions.
    private func checkOverlap(of route: RouteEntry, at i: Int, _ index: RouteIndex, _ findings: Findings) {
        let pointer = "/routes/\(i)"
        var taken: [String: Int] = [:]
        for j in index.siblings(of: route) where j < i && routes[j].conditions == route.conditions {
            let other = routes[j]
            if other.methods.isEmpty {
                let message = "unreachable route: /routes/\(j) takes every method of \"\(route.path.text)\""
                return findings.error(pointer, message, expected: "another path, host or method")
            }
            for method in other.methods where taken[method.method] == nil { taken[method.method] = j }
        }
        guard !taken.isEmpty else { return }
        guard !route.methods.isEmpty else {
            let list = taken.keys.sorted().joined(separator: ", ")
            return findings.error(
                pointer, "\(list) of \"\(route.path.text)\" is routed already", expected: "\"methods\" without \(list)")
        }
        let overlapping = route.methods.filter { taken[$0.method] != nil }
        if let first = overlapping.first, overlapping.count == route.methods.count {
            findings.error(
                pointer,
                "unreachable route: /routes/\(taken[first.method] ?? 0) takes \(first.method) of \"\(route.path.text)\"",
                expected: "another path, host or method")
        } else if let first = overlapping.first {
            findings.error(
                "\(pointer)/methods",
                "/routes/\(taken[first.method] ?? 0) takes \(first.method) of \"\(route.path.text)\"",
                expected: "each method of a path in one route")
        }
    }

    /// Challenges are answered with a user's token of an issuer (CACHE-08).
    private func checkUpstreamAuth(of route: RouteEntry, at index: Int, _ findings: Findings) {
        guard route.options.challengeRule != nil else { return }
        let pointer = "/routes/\(index)/upstreamAuth"
        let count = route.injections(webgates).count + (route.signsIdentity ? 1 : 0)
        if count == 0 {
            findings.error(
                pointer, "answering the upstream's challenges needs a token",
                expected: "an \"injection\" of the route or of its webgate")
        }
        if count > 1 {
            findings.error(
                pointer, "the upstream's challenges are answered with one token", expected: "one \"injection\"",
                found: "\(count)")
        }
        if route.access.isPublic || route.methods.contains(where: \.access.isPublic) {
            findings.error(
                pointer, "a public route has no user to request a token for", expected: "no \"public\"")
        }
    }

    /// The settings that decide which endpoints the gateway has.
    package var endpointSettings: EndpointSettings {
        var features: EndpointFeatures = []
        if tokenService.isEnabled { features.insert(.tokenService) }
        let registration = tokenService.isEnabled ? tokenService.registration : nil
        if registration != nil { features.insert(.registration) }
        if registration != nil
            || tokenService.isEnabled && clients.contains(where: { $0.client.grants.authorization != nil })
        {
            features.insert(.authorization)
        }
        if tokenService.isEnabled, routes.contains(where: \.signsIdentity) {
            features.insert(.signedIdentity)
        }
        if registration?.rules.allowsDevices == true
            || tokenService.isEnabled && clients.contains(where: \.client.grants.allowsDevices)
        {
            features.insert(.devices)
        }
        if !features.isDisjoint(with: [.authorization, .devices]) { features.formUnion([.userInfo, .logins]) }
        if tokenService.isEnabled, clients.contains(where: \.client.enableSSO) { features.insert(.logins) }
        if routes.contains(where: { $0.login != nil }) { features.insert(.logins) }
        if routes.contains(where: { $0.options.protectedResource != nil }) { features.insert(.protectedResources) }
        if clients.contains(where: { !$0.client.isStandard }) { features.insert(.mobileCloud) }
        if acme != nil { features.insert(.acme) }
        if !applications.isEmpty { features.insert(.applications) }
        for value in values.values { features.formUnion(value.features) }
        if !allIdentityProviders.isEmpty { features.insert(.identityProviders) }
        var settings = EndpointSettings(
            features: features, paths: tokenService.paths,
            formPaths: authenticationSchemes.filter { $0.challengeMethod == .form }.map(\.formPath))
        if let issuer = try? WebURL(tokenService.issuer), !issuer.target.contains("?") {
            let path = issuer.target
            settings.issuerPath = path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        settings.applications = applications
        return settings
    }

    private func checkEndpoints(
        _ endpoints: [PathPattern], against route: RouteEntry, at index: Int, _ findings: Findings
    ) {
        let pointer = "/routes/\(index)/path"
        if let endpoint = endpoints.first(where: { $0.covers(route.path) }) {
            let prefix = tokenService.paths.prefix
            return findings.error(
                pointer, "the gateway serves \"\(endpoint.text)\" itself",
                expected: endpoint.text == "\(prefix)/**"
                    ? "another path, or another \"pathPrefix\" than \"\(prefix)\"" : "another path",
                found: "\"\(route.path.text)\"")
        }
        // A catch-all is intended. For other wide patterns the endpoints inside may be a surprise.
        guard route.path.text != "/**", !route.acknowledged.contains(.endpointsInside) else { return }
        let inside = endpoints.filter { $0.overlaps(route.path) }
        if !inside.isEmpty {
            findings.warning(
                pointer, "the gateway answers \(inside.map { "\"\($0.text)\"" }.joined(separator: ", ")) itself",
                expected: "a pattern that leaves them out", found: "\"\(route.path.text)\"")
        }
    }
}

extension [RouteEntry] {
    /// Sets of scopes, and of levels of logins, have a fixed capacity.
    fileprivate func checkScopes(_ findings: Findings) {
        checkCount("scopes", findings) { $0.scopes.all + ($0.scopes.any ?? []) }
        checkCount("levels (\"acr\")", findings) { $0.contexts }
    }

    private func checkCount(_ noun: String, _ findings: Findings, _ names: (AccessRule) -> [String]) {
        var known: Set<String> = []
        for (index, route) in enumerated() {
            for rule in route.rules { known.formUnion(names(rule)) }
            guard known.count > 256 else { continue }
            return findings.error(
                "/routes/\(index)", "the routes require \(known.count) different \(noun)", expected: "at most 256")
        }
    }
}

extension RouteEntry {
    /// The tokens that the upstream gets: by the route's own rules, or those of its Webgate.
    package func injections(_ webgates: [WebgateEntry]) -> [InjectionEntry] {
        injections.isEmpty ? webgates.first { $0.name == webgate }?.injections ?? [] : injections
    }

    /// Warns of clients whose tokens the route never accepts: it requires a user, and their tokens have none.
    fileprivate func checkClients(at pointer: String, in configuration: GatewayConfiguration, _ findings: Findings) {
        let rules = methods.isEmpty ? [access] : methods.map(\.access)
        // Tokens by exchange, of other issuers and of registered clients are of users.
        guard rules.allSatisfy({ $0.loginRequired && !$0.socialLogin }),
            !configuration.clients.contains(where: { $0.client.grants.exchange != nil })
        else { return }
        let sponsor = configuration.tokenService.registration?.client
        let others = configuration.trustedIssuers.map(\.client) + [sponsor]
        let withUsers = Set(GrantType.allCases).subtracting([.clientCredentials])
        for entry in configuration.clients where entry.client.isStandard && clients.contains(entry.client.reference) {
            let id = entry.client.reference
            guard withUsers.isSubset(of: entry.client.grants.withheld), !others.contains(id) else { continue }
            findings.warning(
                pointer, "the route requires a user, and tokens of \"\(id)\" have none",
                expected: "\"loginRequired\": false, or a grant of users in \"grantTypes\" of the client")
        }
    }

    /// Credentials of a client that the route does not accept open nothing.
    fileprivate func checkDefaultBackend(at pointer: String, _ findings: Findings) {
        guard let defaultBackend, !clients.isEmpty, !clients.contains(defaultBackend) else { return }
        findings.error(
            pointer, "the route does not accept credentials of \"\(defaultBackend)\"",
            expected: "one of its \"backends\"")
    }

    /// The `Host` of an upstream's URL needs servers with one.
    fileprivate func checkHost(at pointer: String, _ upstreams: [UpstreamEntry], _ findings: Findings) {
        guard options.hostHeader == .upstream, upstreams.first(where: { $0.name == upstream })?.hasOneHost == false
        else {
            return
        }
        findings.error(
            "\(pointer)/hostHeader", "the servers of \"\(upstream)\" have different hosts",
            expected: "the name of one host")
    }

    /// An answer of the route has no field twice.
    fileprivate func checkAnswerFields(at pointer: String, _ findings: Findings) {
        guard let rules = options.responseFields, let answer else { return }
        let (own, better) =
            switch answer {
            case .redirect: ("Location", "\"to\"")
            case .response: ("Content-Type", "\"contentType\"")
            }
        for (member, lines) in [("set", rules.set), ("add", rules.add)] {
            for line in lines where FieldRules.isAlias(line.name, own) {
                findings.error(
                    JSONPointer.child("\(pointer)/\(member)", line.name),
                    "the route's answer has the field \"\(own)\" by itself", expected: better)
            }
        }
    }

    /// A token and a field of the route cannot both be written under one name.
    fileprivate func checkFields(at pointer: String, _ injections: [InjectionEntry], _ findings: Findings) {
        guard let rules = options.requestFields else { return }
        let taken = injections.map(\.header) + (options.challengeRule == nil ? [] : ["User-Agent"])
        for (member, lines) in [("set", rules.set), ("add", rules.add)] {
            for line in lines where taken.contains(where: { FieldRules.isAlias($0, line.name) }) {
                findings.error(
                    JSONPointer.child("\(pointer)/\(member)", line.name),
                    "the token for the upstream takes the field \"\(line.name)\"", expected: "another field")
            }
        }
    }
}
