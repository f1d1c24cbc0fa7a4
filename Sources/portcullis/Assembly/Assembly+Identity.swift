import Configuration
import Identity
import Model

extension Assembly {
    /// A revoked backend has no secret, takes no password and no anonymous key, and none of its tokens counts (MBE-06).
    mutating func backendList() -> [Backend] {
        var backends: [Backend] = []
        for (index, entry) in configuration.backends.enumerated() {
            var backend = Backend(entry)
            backend.loginChoices = entry.identityProviders.compactMap { name in
                configuration.identityProviders.first { $0.name == name }.map { LoginChoice($0) }
            }
            if !entry.isRevoked {
                backend.clientKeys = clientKeys(entry.clientKeys, at: "/backends/\(index)/clientKeys")
            }
            backends.append(backend)
        }
        return backends
    }

    func backendID(_ reference: String) -> String? {
        configuration.backends.first { $0.reference == reference }?.mobileBackendID
    }
}

extension Backend {
    init(_ entry: BackendEntry) {
        self.init(
            name: entry.name, version: entry.version, mobileBackendID: entry.mobileBackendID,
            anonymousKey: entry.anonymousKey ?? "", clientID: entry.clientID ?? "",
            clientSecret: entry.isRevoked ? "" : entry.clientSecret?.value ?? "", realm: entry.realm,
            oauthConsumer: entry.oauthConsumer, httpBasic: entry.httpBasic && !entry.isRevoked,
            enableSSO: entry.enableSSO && !entry.isRevoked, issuer: entry.issuer,
            tokensNotBefore: entry.isRevoked ? .max : entry.tokensNotBefore ?? 0,
            facebook: entry.isRevoked ? nil : entry.facebook)
        if !entry.isRevoked { grants = entry.grants }
        isDefault = entry.isDefault
        displayName = entry.displayName
    }
}
