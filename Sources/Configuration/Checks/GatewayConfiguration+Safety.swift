import Declaration
import Model

/// Checks for dangerous combinations and for settings that are for development only.
extension GatewayConfiguration {
    func checkSafety(_ findings: Findings) {
        ListenerEntry.checkForwardAuth(listeners, trustedProxies, findings)
        ListenerEntry.checkClientCertificateFields(listeners, trustedProxies, findings)
        checkCredentials(findings)
        if store.kind.sharing == .process {
            // DEC-10
            findings.warning(
                "/store/kind", "tokens and sessions are stored in memory and are lost with the process",
                expected: "a durable store where restarts matter")
        }
        if tokenService.sharesKeys, store.kind.sharing != .machines {
            let kinds = StoreKinds.names { $0 == .machines }
            findings.error(
                "/tokenService/sharedKeys",
                "gateways on several machines share keys by a store of the kind \(kinds) only",
                expected: "\"kind\": \"\(kinds)\" in \"store\"; on one machine, the same \"keyFile\"",
                found: "\"kind\": \"\(store.kind.kind)\"")
        }
        checkCertificates(findings)
        ACMESection.check(acme, for: listeners, findings)
        if findings.production { checkProduction(findings) }
    }

    /// Warns of routes that require client certificates although no listener requests any: they refuse all requests.
    private func checkCertificates(_ findings: Findings) {
        for (i, listener) in listeners.enumerated() {
            for (j, rule) in (listener.tls?.clientUsers ?? []).enumerated() {
                rule.check(users, findings, at: "/listeners/\(i)/tls/clientUsers/\(j)")
            }
            for (j, rule) in (listener.clientCertificateField?.users ?? []).enumerated() {
                rule.check(users, findings, at: "/listeners/\(i)/clientCertificateField/users/\(j)")
            }
        }
        if !listeners.contains(where: \.hasCertificateUsers) {
            for (i, route) in routes.enumerated() where route.options.takesCertificates {
                let name = route.options.authenticators == nil ? "certificateLogin" : "authenticators"
                findings.warning(
                    "/routes/\(i)/\(name)", "no listener makes users of certificates",
                    expected: "a listener with \"clientUsers\"")
            }
        }
        guard !listeners.contains(where: \.takesCertificates) else { return }
        for (i, route) in routes.enumerated() {
            let accesses = [route.access] + route.methods.map(\.access)
            guard accesses.contains(where: { $0.clientCertificate != nil }) else { continue }
            findings.warning(
                "/routes/\(i)/clientCertificate", "no listener requests client certificates",
                expected: "a listener with \"clientAuth\": \"optional\" or \"required\"")
        }
    }

    /// Any origin together with credentials lets every page on the web act as the user.
    private func checkCredentials(_ findings: Findings) {
        let isCommon = cors.allowCredentials ?? false
        var places = isCommon ? [("/policies/Security_AllowOrigin", policies.allowOrigin.text)] : []
        for (i, route) in routes.enumerated() where route.options.cors?.allowCredentials ?? isCommon {
            let options = route.options
            if let allowOrigin = options.allowOrigin {
                places.append(("/routes/\(i)/allowOrigin", allowOrigin.text))
            } else if let allowOrigin = options.cors?.allowOrigin {
                places.append(("/routes/\(i)/cors/allowOrigins", allowOrigin.text))
            } else if !isCommon {
                places.append(("/routes/\(i)/cors/allowCredentials", policies.allowOrigin.text))
            }
        }
        for (pointer, patterns) in places where patterns.split(separator: ",").contains(where: isWildcard) {
            findings.error(
                pointer, "\"*\" together with \"allowCredentials\" would expose every session to every page",
                expected: "a list of origins, or \"allowCredentials\": false", found: "\"\(patterns)\"")
        }
    }

    private func isWildcard(_ entry: Substring) -> Bool {
        entry.filter { $0 != " " && $0 != "\t" } == "*"
    }

    private func checkProduction(_ findings: Findings) {
        if !baseURL.isSecure, listeners.contains(where: \.isClear) {
            findings.warning(
                "/baseUrl", "clients reach the gateway without TLS", expected: "an origin with https",
                found: "\"\(baseURL)\"")
        }
        let additional = additionalBaseURLs.enumerated().map { ("/additionalBaseUrls/\($0.offset)", $0.element) }
        for (pointer, origin) in [("/baseUrl", baseURL)] + additional where origin.isLocal {
            findings.warning(
                pointer, "the origin is for development only", expected: "an origin clients can reach",
                found: "\"\(origin)\"")
        }
        if tokenService.isEnabled, tokenService.requiresTLS == false,
            listeners.contains(where: \.isClear)
        {
            findings.warning(
                "/tokenService/requireTls", "passwords and client secrets are accepted without TLS",
                expected: "true, or no \"requireTls\"")
        }
        checkInjections(findings)
    }

    /// Warns of tokens that are sent to an upstream without TLS.
    private func checkInjections(_ findings: Findings) {
        for upstream in upstreams {
            let isInjected = routes.contains { route in
                route.upstream == upstream.name
                    && !route.injections(webgates).isEmpty
            }
            guard isInjected, let server = upstream.servers.first(where: { !$0.isSecure && !$0.isLocal }) else {
                continue
            }
            findings.warning(
                JSONPointer.child("/upstreams", upstream.name), "tokens are sent to the upstream without TLS",
                expected: "a URL with https", found: "\"\(server)\"")
        }
    }
}
