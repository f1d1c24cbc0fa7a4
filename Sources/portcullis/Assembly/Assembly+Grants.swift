import Configuration
import Identity
import Issuers
import JOSE
import Model
import OAuthServer

extension Assembly {
    mutating func clientKeys(_ entry: ClientKeysEntry?, at pointer: String) -> KeySet? {
        switch entry {
        case .file(let path): keySet(path, pointer: pointer)
        case .inline(let json): keySet(json, from: "clientKeys", pointer: pointer)
        case nil: nil
        }
    }

    func resourceServers() -> [ResourceServer] {
        configuration.tokenService.resourceServers.map { entry in
            ResourceServer(
                clientID: entry.clientID, clientSecret: entry.clientSecret.value,
                backends: entry.backends.map { $0.compactMap(backendID) })
        }
    }

    /// The modules that issue the access tokens of backends (OAUTH-09).
    func grantIssuers(_ modules: [String: GuardedIssuer], _ catalogue: RoleCatalogue) -> [String: any GrantIssuer] {
        var issuers: [String: any GrantIssuer] = [:]
        for name in configuration.backends.compactMap(\.backend.issuer) {
            guard let module = modules[name] else { continue }
            issuers[name] = ModuleGrantIssuer(module: module, catalogue: catalogue)
        }
        return issuers
    }
}
