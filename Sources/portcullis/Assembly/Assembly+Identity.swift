import Configuration
import Identity
import Model

extension Assembly {
    func users() -> [User] { configuration.users.map(User.init) }

    /// A revoked backend has no secret, takes no password and no anonymous key, and none of its tokens counts (MBE-06).
    mutating func backendList() -> [Backend] {
        var backends: [Backend] = []
        for (index, entry) in configuration.backends.enumerated() {
            var backend = Backend(
                entry, facebook: entry.isRevoked ? nil : socialLogin(entry.facebook))
            backend.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if !entry.isRevoked { backend.grants = grants(entry.grants, at: "/backends/\(index)") }
            backends.append(backend)
        }
        return backends
    }

    func backendID(_ reference: String) -> String? {
        configuration.backends.first { $0.reference == reference }?.mobileBackendID
    }
}

extension Backend {
    /// - Parameter facebook: how its users log in with Facebook.
    init(_ entry: BackendEntry, facebook: SocialLogin? = nil) {
        self.init(
            name: entry.name, version: entry.version, mobileBackendID: entry.mobileBackendID,
            anonymousKey: entry.anonymousKey ?? "", clientID: entry.clientID ?? "",
            clientSecret: entry.isRevoked ? "" : entry.clientSecret?.value ?? "", realm: entry.realm,
            oauthConsumer: entry.oauthConsumer, httpBasic: entry.httpBasic && !entry.isRevoked,
            enableSSO: entry.enableSSO && !entry.isRevoked, issuer: entry.issuer,
            tokensNotBefore: entry.isRevoked ? .max : entry.tokensNotBefore ?? 0, facebook: facebook)
    }
}

extension User {
    init(_ entry: UserEntry) {
        self.init(
            username: entry.username, email: entry.email ?? "", firstName: entry.firstName ?? "",
            lastName: entry.lastName ?? "", realm: entry.realm, passwordHash: entry.password, roles: entry.roles,
            enabled: entry.isEnabled, tokensNotBefore: entry.tokensNotBefore ?? 0)
        securityQuestions = entry.securityQuestions.map {
            SecurityQuestion(question: $0.question, answer: $0.answer)
        }
        oneTimeSecret = entry.oneTimeSecret
        attributes = entry.attributes
    }
}
