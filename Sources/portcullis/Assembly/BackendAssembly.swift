import Configuration
import Identity
import JOSE
import Model

/// Clients and backends, with their keys.
struct BackendAssembly: AssemblyPart {
    let context: AssemblyContext

    func backendStore() -> BackendStore {
        var backends: [Backend] = []
        var keys: [String: KeySet] = [:]
        for entry in configuration.backends {
            var backend = entry.inForce
            backend.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if !entry.isRevoked {
                keys[backend.mobileBackendID] = KeyAssembly(context: context).clientKeys(
                    entry.clientKeys, at: "\(entry.pointer)/clientKeys")
            }
            backends.append(backend)
        }
        return BackendStore(backends, clientKeys: keys, withdrawn: retained.withdrawn)
    }
}
