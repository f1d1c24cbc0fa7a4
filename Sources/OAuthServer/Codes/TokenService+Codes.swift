import Identity
import Model

extension TokenService {
    /// How long the tokens of a code may be used, in seconds, counted from its issue.
    package func longestUse(of backend: Backend) -> Int64 {
        AuthorizationCode.lifetimeSeconds + userTokenSeconds(of: backend)
            + (backend.grants.refresh?.familySeconds ?? 0)
    }

    /// The longest of all clients of the authorization endpoint; 0 without any.
    package var longestUse: Int64 {
        settings.backends.backends.filter { $0.grants.authorization != nil }.map(longestUse(of:)).max() ?? 0
    }
}
