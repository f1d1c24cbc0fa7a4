import Configuration
import Identity
import Issuers
import JOSE
import Model
import OAuthServer

extension Assembly {
    /// What the client of a backend may have beyond plain access tokens.
    mutating func grants(_ entry: BackendGrantsEntry, at pointer: String) -> BackendGrants {
        var grants = BackendGrants()
        if entry.refreshTokens {
            grants.refresh = RefreshLifetimes(
                tokenSeconds: Int64(entry.refreshTokenSeconds), familySeconds: Int64(entry.refreshFamilySeconds),
                reuseSeconds: (entry.refreshReuseInterval.milliseconds + 999) / 1000)
        }
        grants.accessTokenSeconds = entry.accessTokenSeconds.map(Int64.init)
        grants.introspection = entry.introspection
        switch entry.clientKeys {
        case .file(let path): grants.keys = keySet(path, pointer: "\(pointer)/clientKeys")
        case .inline(let json): grants.keys = keySet(json, from: "clientKeys", pointer: "\(pointer)/clientKeys")
        case nil: break
        }
        grants.exchange = entry.tokenExchange.map {
            ExchangeRules(
                subjects: $0.subjects, backends: $0.backends, audiences: $0.audiences, scopes: $0.scopes,
                actors: $0.actors, lifetimeSeconds: Int64($0.lifetimeSeconds))
        }
        return grants
    }

    func resourceServers() -> [ResourceServer] {
        configuration.tokenService.resourceServers.map { entry in
            ResourceServer(
                clientID: entry.clientID, clientSecret: entry.clientSecret.value,
                backends: entry.backends.map { $0.compactMap(backendID) })
        }
    }

    /// The modules that make the access tokens of backends which name them (OAUTH-09).
    func grantIssuers(_ modules: [String: GuardedIssuer], _ catalogue: RoleCatalogue) -> [String: any GrantIssuer] {
        var issuers: [String: any GrantIssuer] = [:]
        for name in configuration.backends.compactMap(\.issuer) {
            guard let module = modules[name] else { continue }
            issuers[name] = ModuleGrantIssuer(module: module, catalogue: catalogue)
        }
        return issuers
    }
}
