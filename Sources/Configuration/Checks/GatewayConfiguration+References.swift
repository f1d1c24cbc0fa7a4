import Bytes
import Declaration
import Model

/// Checks of references between sections.
extension GatewayConfiguration {
    func checkReferences(_ findings: Findings) {
        /// The defined names of each kind; nil if they are unknown.
        var known: [ReferenceKind: Set<String>?] = [:]
        for reference in findings.references {
            let kind = reference.kind
            let isReadable =
                findings.sources.isReadable(kind.section)
                && (kind != .client || findings.sources.isReadable("backends"))
            let names = known[kind] ?? (isReadable ? Set(names(of: kind)) : nil)
            known[kind] = .some(names)
            guard let names, !names.contains(reference.name) else { continue }
            findings.error(
                reference.place.pointer, "unknown \(kind.rawValue) \"\(reference.name)\"", expected: kind.expectation,
                found: "\"\(reference.name)\"",
                suggestion: Suggestion.nearest(to: reference.name, among: self.names(of: kind)))
        }
    }

    private func names(of kind: ReferenceKind) -> [String] {
        switch kind {
        case .upstream: upstreams.map(\.name)
        case .webgate: webgates.map(\.name)
        case .issuer: issuers.map(\.name)
        case .client: clients.map(\.client.reference)
        case .backend: clients.map(\.client).filter { !$0.isStandard }.map(\.reference)
        case .application: applications.map(\.name)
        case .role: roles.names
        case .authenticationScheme: authenticationSchemes.map(\.name)
        case .identityProvider: identityProviders.map(\.name) + [IdentityProviderEntry.ownForm]
        case .route: routes.map(\.name)
        case .user: users.map(\.username)
        case .consumer: consumers.map(\.name)
        case .trustedIssuer:
            trustedIssuers.map(\.name)
                + TrustedIssuerEntry.reservedNames
        case .policyServer: policies.servers.map(\.name)
        case .rateLimit: rateLimits.compactMap(\.name)
        }
    }

    /// Adds the routes that clients list to the clients of the routes.
    mutating func joinClients() {
        let indices = Dictionary(grouping: routes.indices) { routes[$0].name }
        for entry in clients {
            for i in entry.routes.flatMap({ indices[$0] ?? [] })
            where !routes[i].clients.contains(entry.client.reference) {
                routes[i].clients.append(entry.client.reference)
            }
        }
    }
}

extension Sources {
    /// Whether the names that a section defines are known. If it is unreadable or of the wrong type, references into it are
    /// not reported in addition.
    func isReadable(_ section: String) -> Bool {
        guard !unreadable.contains(section) else { return false }
        guard let node = node(of: section) else { return gateway?.root.members != nil }
        let isKeyedByName = ["upstreams", "issuers", "rateLimits", "serviceDomains", "policyServers"].contains(section)
        return isKeyedByName ? node.members != nil : node.array != nil
    }
}

extension Findings {
    /// Whether the names that a section defines are known.
    package func isReadable(_ section: String) -> Bool { sources.isReadable(section) }
}
