import Identity
import Model

extension TokenService {
    /// How long the tokens of a code may be used, in seconds, counted from its issue.
    package func longestUse(of backend: Backend) -> Int64 {
        let waiting =
            backend.grants.allowsDevices ? DeviceLogins.lifetimeSeconds : AuthorizationCode.lifetimeSeconds
        return waiting + settings.userSeconds(of: backend) + (backend.grants.refresh?.familySeconds ?? 0)
    }

    /// The longest of all clients whose users log in by a browser; 0 without any.
    package var longestUse: Int64 {
        let registered = settings.backend(of: RegisteredClient(id: "", title: "", redirectURI: nil))
        let clients = settings.backends.backends.filter { $0.grants.asksUsers } + (registered.map { [$0] } ?? [])
        return clients.map(longestUse(of:)).max() ?? 0
    }
}
