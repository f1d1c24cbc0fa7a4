import Configuration
import Identity

extension Assembly {
    func users() -> [User] {
        configuration.users.map {
            User(
                username: $0.username, email: $0.email ?? "", firstName: $0.firstName ?? "",
                lastName: $0.lastName ?? "",
                realm: $0.realm, passwordHash: $0.password, roles: $0.roles, enabled: $0.isEnabled)
        }
    }

    mutating func backendList() -> [Backend] {
        var backends: [Backend] = []
        for (index, entry) in configuration.backends.enumerated() {
            var backend = Backend(
                name: entry.name, version: entry.version, mobileBackendID: entry.mobileBackendID,
                anonymousKey: entry.anonymousKey ?? "", clientID: entry.clientID ?? "",
                clientSecret: entry.clientSecret?.value ?? "", realm: entry.realm, oauthConsumer: entry.oauthConsumer,
                httpBasic: entry.httpBasic, enableSSO: entry.enableSSO, issuer: entry.issuer,
                facebook: socialLogin(entry.facebook, at: "/backends/\(index)/facebook"))
            backend.grants = grants(entry.grants, at: "/backends/\(index)")
            backends.append(backend)
        }
        return backends
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
