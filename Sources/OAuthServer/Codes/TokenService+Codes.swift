import Identity
import Model

extension TokenService {
    /// How long the tokens of a code may be used, in seconds, counted from its issue.
    package func longestUse(of client: Client) -> Int64 {
        let waiting =
            client.grants.allowsDevices ? DeviceLogins.lifetimeSeconds : AuthorizationCode.lifetimeSeconds
        return waiting + settings.userSeconds(of: client) + (client.grants.refresh?.familySeconds ?? 0)
    }

    /// The longest of all clients whose users log in by a browser; 0 without any.
    package var longestUse: Int64 {
        let registered = settings.client(of: RegisteredClient(id: "", title: "", redirectURI: nil))
        let clients = settings.clients.clients.filter { $0.grants.asksUsers } + (registered.map { [$0] } ?? [])
        return clients.map(longestUse(of:)).max() ?? 0
    }
}
