import Bytes
import Configuration
import Crypto
import Gateway
import Identity
import JOSE
import Model
import OAuthServer
import Policy

/// The issuers whose tokens are accepted.
struct TrustAssembly: AssemblyPart {
    let context: AssemblyContext

    func ownIssuer(_ keys: SigningKeyRing) -> IssuerSettings {
        let service = configuration.tokenService
        let resources = configuration.routes.ownResources(configuration.origins).filter {
            !$0.isExactly(service.audience)
        }
        let trust = TrustedIssuer(
            name: "local", issuer: service.issuer, audiences: [service.audience] + resources, keys: keys.accepted,
            algorithms: [keys.active.algorithm], purpose: .accessToken(isTyped: true, checksProofs: true),
            clockSkewSeconds: service.terms.clockSkew.components.seconds, own: true)
        var settings = IssuerSettings(trust: trust, claims: .own)
        settings.resources = resources
        return settings
    }

    /// Those whose tokens open routes, and those whose identity assertions clients exchange.
    func trustedIssuers() -> (ofRoutes: [IssuerSettings], assertions: IdentityAssertions?) {
        var settings: [IssuerSettings] = []
        var assertions: [(trust: TrustedIssuer, users: IdentityAssertions.Users)] = []
        let named = Set(configuration.clients.flatMap(\.client.grants.assertionIssuers))
        for (index, entry) in configuration.trustedIssuers.enumerated() where entry.introspection == nil {
            let pointer = "/trustedIssuers/\(index)"
            let decryptionKeys = DecryptionKeyEntry.keys(
                entry.decryptionKeys, context, at: "\(pointer)/decryptionKeys")
            // Keys decide which tokens are valid; rules are asked about valid ones.
            guard let keys = keys(of: entry, at: pointer) ?? context.standIn(.fixed(KeySet(keys: []))) else { continue }
            var trust = TrustedIssuer(
                name: entry.name, issuer: entry.issuer, audiences: entry.audiences,
                requireAudience: entry.requireAudience, keys: keys,
                purpose: entry.purpose(configuration.clients), clockSkewSeconds: entry.clockSkew.components.seconds,
                maximumLifetimeSeconds: entry.maximumLifetime?.components.seconds)
            if let algorithms = entry.algorithms { trust.algorithms = algorithms }
            trust.decryption = TokenDecryption(keys: decryptionKeys, isRequired: entry.encryption == .required)
            if named.contains(entry.name) {
                let users = IdentityAssertions.Users(
                    entry.users, level: entry.level, requiresProof: entry.requiresProof)
                assertions.append((trust, users))
            }
            guard entry.opensRoutes else { continue }
            let claims = IssuerSettings.Claims.outside(
                entry.users, level: entry.level, backendID: entry.client.flatMap(context.backendID))
            var issuer = IssuerSettings(trust: trust, claims: claims)
            issuer.tokenSources = entry.tokenSources
            issuer.levelsByMethod = entry.levelsByMethod
            issuer.requiresProof = entry.requiresProof
            settings.append(issuer)
        }
        return (settings, IdentityAssertions(assertions, audience: configuration.tokenService.issuer))
    }

    /// The keys of a trusted issuer, from a file or as it publishes them; nil after an error.
    private func keys(of entry: TrustedIssuerEntry, at pointer: String) -> TrustedIssuer.Keys? {
        switch entry.keys {
        case .file(let path):
            KeyAssembly(context: context).keySet(path, pointer: "\(pointer)/jwksFile").map { .fixed($0) }
        case .published(let published): keys(published, of: entry, at: pointer).map { .published($0) }
        case .certified(let entry): entry.authorities(context, at: "\(pointer)/x5c").map { .certified($0) }
        // The server is asked about each token.
        case .introspection, nil: nil
        }
    }

    private func keys(
        _ entry: PublishedKeysEntry, of issuer: TrustedIssuerEntry, at pointer: String
    ) -> RemoteKeySet? {
        var settings = entry.settings
        settings.issuer = issuer.issuer
        if let path = entry.trustFile {
            guard let authorities = context.read(path, at: "\(pointer)/trustFile") else { return nil }
            settings.authorities = authorities
        }
        do throws(TLSSettingsError) {
            let keys = try retained.keys.keys(
                settings, name: issuer.name, caller: retained.outbound, log: retained.log)
            context.issuerKeys.append(IssuerKeys(name: issuer.name, keys: keys, isOptional: entry.isOptional))
            return keys
        } catch {
            context.error("\(pointer)/trustFile", error.description)
            return nil
        }
    }
}

extension TrustedIssuerEntry {
    /// - Parameter clients: all clients of the gateway.
    fileprivate func purpose(_ clients: [ClientEntry]) -> TokenPurpose {
        let known = knownClients(clients)
        let parties: TokenPurpose.Parties
        if !authorizedParties.isEmpty {
            parties = .listed(known)
        } else {
            // Without `aud` nothing else tells for which API a token is.
            parties = requireAudience ? .outsideAudience(known: known) : .only(known)
        }
        return .accessToken(
            isTyped: tokenType == .accessToken, acceptsIDTokens: acceptIDTokens, parties: parties, checksProofs: true)
    }

    /// Nil where the entry lists no clients.
    /// - Parameter clients: all clients of the gateway.
    func listedClients(_ clients: [ClientEntry]) -> TokenPurpose.Parties? {
        authorizedParties.isEmpty ? nil : .listed(knownClients(clients))
    }

    /// The clients that the entry and the gateway know.
    private func knownClients(_ clients: [ClientEntry]) -> [String] {
        let own = clients.filter { client == nil || client == $0.client.reference }
        return audiences + authorizedParties + own.map(\.client.clientID).filter { !$0.isEmpty }
    }
}
