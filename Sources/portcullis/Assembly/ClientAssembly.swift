import Configuration
import Identity
import JOSE
import Model

/// The clients with their keys.
struct ClientAssembly: AssemblyPart {
    let context: AssemblyContext

    func clients() -> Clients {
        var clients: [Client] = []
        var keys: [String: KeySet] = [:]
        for entry in configuration.clients {
            var client = entry.inForce
            client.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if client.grants.asksUsers, client.grants.groupsClaim == nil {
                client.grants.groupsClaim = configuration.tokenService.groupsClaim
            }
            if !entry.isRevoked {
                keys[client.id] = KeyAssembly(context: context).clientKeys(
                    entry.clientKeys, at: "\(entry.pointer)/clientKeys")
            }
            clients.append(client)
        }
        return Clients(clients, clientKeys: keys, withdrawn: retained.withdrawn)
    }
}
