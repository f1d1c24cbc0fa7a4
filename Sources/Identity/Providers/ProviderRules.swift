import Bytes
import Model

extension ProviderRules {
    /// The claim with a user's e-mail address (OpenID Connect Core section 5.1).
    package static let emailClaim = "email"
    /// Whether the provider has verified that address.
    static let verificationClaim = "email_verified"

    /// - Parameter realm: of the client; nil searches all realms.
    package func identify(
        _ identity: ProvidedIdentity, realm: String?, users: UserStore, catalogue: RoleCatalogue
    ) throws(ExternalIdentityRejection) -> ExternalIdentity {
        let name = try username(identity)
        return try self.identity.resolve(
            name, claims: identity.claims, realm: realm, users: users, catalogue: catalogue)
    }

    /// The user name from the claims as this provider sends them (RP-03).
    package func username(_ identity: ProvidedIdentity) throws(ExternalIdentityRejection) -> String {
        let name = try self.identity.username(in: identity.claims)
        if isByEmail, !isVerified(name, identity.claims) { throw .unverifiedEmail }
        return name
    }

    /// Whether the claims contain everything that is needed.
    func areMet(by claims: JSONNode) -> Bool {
        let names = self.identity.usernameSources
        return (names.isEmpty || names.contains { $0.path.value(in: claims) != nil })
            && self.identity.roleMapping.sources.allSatisfy { $0.path.value(in: claims) != nil }
    }

    /// A user who can set any address in a provider's profile could otherwise take over the account with that address.
    private var isByEmail: Bool {
        self.identity.userMapping == .mail && !self.identity.virtualUserEnabled
            || self.identity.usernameSources.contains { $0.path.isClaim(ProviderRules.emailClaim) }
    }

    private func isVerified(_ name: String, _ claims: JSONNode) -> Bool {
        let claim = claims[ProviderRules.verificationClaim]
        let isTrue = claim?.bool == true || claim?.string?.isExactly("true") == true
        switch emailRule {
        // `email_verified` covers that claim alone; users may have chosen other addresses freely.
        case .verified: return isTrue && claims[ProviderRules.emailClaim]?.string?.isExactly(name) == true
        case .notUnverified: return claim == nil || isTrue
        case .any: return true
        }
    }
}
