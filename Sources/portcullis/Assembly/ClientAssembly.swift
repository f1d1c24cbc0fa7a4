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
        let limitsOrigins = configuration.clients.contains { $0.client.grants.allowedOrigins != nil }
        for entry in configuration.clients {
            var client = entry.inForce
            client.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if client.grants.asksUsers, client.grants.groupsClaim == nil {
                client.grants.groupsClaim = configuration.tokenService.groupsClaim
            }
            // The origins of other clients reach the endpoints too.
            if limitsOrigins, client.grants.allowedOrigins == nil {
                client.grants.allowedOrigins = configuration.policies.allowOrigin
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
