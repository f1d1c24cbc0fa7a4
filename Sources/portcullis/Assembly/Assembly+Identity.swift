import Configuration
import Identity

extension Assembly {
    func users() -> [User] {
        configuration.users.map {
            User(
                username: $0.username, email: $0.email ?? "", firstName: $0.firstName ?? "",
                lastName: $0.lastName ?? "",
                realm: $0.realm, passwordHash: $0.password, roles: $0.roles, enabled: $0.isEnabled,
                tokensNotBefore: $0.tokensNotBefore ?? 0)
        }
    }

    /// A revoked backend has no secret, takes no password and no anonymous key, and none of its tokens counts (MBE-06).
    func backendList() -> [Backend] {
        configuration.backends.map {
            Backend(
                name: $0.name, version: $0.version, mobileBackendID: $0.mobileBackendID,
                anonymousKey: $0.anonymousKey ?? "", clientID: $0.clientID ?? "",
                clientSecret: $0.isRevoked ? "" : $0.clientSecret?.value ?? "", realm: $0.realm,
                oauthConsumer: $0.oauthConsumer, httpBasic: $0.httpBasic && !$0.isRevoked,
                enableSSO: $0.enableSSO && !$0.isRevoked, issuer: $0.issuer,
                tokensNotBefore: $0.isRevoked ? .max : $0.tokensNotBefore ?? 0)
        }
    }

    func backendID(_ reference: String) -> String? {
        configuration.backends.first { $0.reference == reference }?.mobileBackendID
    }
}

extension LoginThrottle.Settings {
    init(_ entry: LoginThrottleEntry) {
        self.init()
        failuresPerUser = entry.failuresPerUser
        failuresPerNetwork = entry.failuresPerAddress
        perMilliseconds = entry.per.milliseconds
    }
}
