import Configuration
import Identity
import JOSE
import Model

/// The mobile backends, with the keys of their clients.
struct BackendAssembly: AssemblyPart {
    let context: AssemblyContext

    func backendStore() -> BackendStore {
        var backends: [Backend] = []
        var keys: [String: KeySet] = [:]
        for (index, entry) in configuration.backends.enumerated() {
            var backend = entry.inForce
            backend.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if !entry.isRevoked {
                keys[backend.mobileBackendID] = KeyAssembly(context: context).clientKeys(
                    entry.clientKeys, at: "/backends/\(index)/clientKeys")
            }
            backends.append(backend)
        }
        return BackendStore(backends, clientKeys: keys, withdrawn: retained.withdrawn)
    }
}
