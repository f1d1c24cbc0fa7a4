import Bytes
import Model

extension ExternalIdentityRules {
    /// The user that these claims speak of. The token must have been verified: claims are believed here.
    /// - Parameter realm: realm of the backend (MBE-09); nil where no backend is known, which looks in all realms.
    package func identify(
        claims: JSONNode, realm: String?, users: UserStore, catalogue: RoleCatalogue
    ) throws(ExternalIdentityRejection) -> ExternalIdentity {
        let name = try username(in: claims)
        try checkClient(name, claims)
        return try resolve(name, claims: claims, realm: realm, users: users, catalogue: catalogue)
    }

    /// Client tokens are not exchanged for user tokens (JWT-16).
    package func checkClient(_ name: String, _ claims: JSONNode) throws(ExternalIdentityRejection) {
        guard let clientIDAttribute, let id = claims[clientIDAttribute]?.string else { return }
        if id.utf8.elementsEqual(name.utf8) { throw .clientToken }
    }

    /// The account or virtual user of a name, and its roles.
    package func resolve(
        _ name: String, claims: JSONNode, realm: String?, users: UserStore, catalogue: RoleCatalogue
    ) throws(ExternalIdentityRejection) -> ExternalIdentity {
        guard !virtualUserEnabled else {
            let roles = roleMapping.roles(claims: claims, catalogue: catalogue)
            return ExternalIdentity(username: name, user: nil, roles: roles)
        }
        let user = try account(for: name, realm: realm, users: users)
        let roles = roleMapping.roles(claims: claims, assigned: user.roles, catalogue: catalogue)
        return ExternalIdentity(username: user.username, user: user, roles: roles)
    }

    /// The user name that the claims hold (JWT-14, MAP-02).
    package func username(in claims: JSONNode) throws(ExternalIdentityRejection) -> String {
        // Configured claims that are absent are not replaced by others (U03).
        let name =
            usernameSources.isEmpty
            ? (claims["sub"] ?? claims["prn"])?.string : usernameSources.lazy.compactMap { $0.value(in: claims) }.first
        guard let name, !name.isEmpty else { throw .missingUsername }
        guard ExternalIdentityRules.isFitForHeaders(name) else { throw .unusableUsername }
        return name
    }

    /// The name goes into header fields for the upstream (GW-10): control characters would let the outside issuer's users
    /// write fields of their own, blanks at the ends would be dropped by those who read them, which makes another name,
    /// and invisible characters would show the name of another user. It may be longer than those of accounts.
    package static func isFitForHeaders(_ name: String) -> Bool {
        switch UserName.problem(name) {
        case nil: true
        case .tooLong?: name.utf8.count <= 512
        case .blanks?, .invisible?: false
        }
    }

    private func account(
        for name: String, realm: String?, users: UserStore
    ) throws(ExternalIdentityRejection) -> User {
        let candidates =
            switch userMapping {
            case .uid: users.users(named: name, realm: realm)
            case .mail: users.users(withEmail: name, realm: realm)
            }
        guard candidates.count <= 1 else { throw .ambiguousUser }
        guard let user = candidates.first else { throw .unknownUser }
        guard user.enabled else { throw .disabledUser }
        return user
    }
}

/// Who the claims of an outside issuer speak of.
package struct ExternalIdentity: Sendable {
    /// The account's name, or for a virtual user the name from the token.
    package let username: String
    /// The account; nil for a virtual user.
    package let user: User?
    package let roles: RoleSet

    package var virtual: Bool { user == nil }
}

/// Why claims of an outside issuer yield no user. The caller is told none of it; the log is.
package enum ExternalIdentityRejection: String, Error, Sendable, CaseIterable {
    /// The claim is absent, empty or no string.
    case missingUsername = "missing_username"
    /// The name has control characters or invisible ones, blanks at its ends, or more than 512 bytes.
    case unusableUsername = "unusable_username"
    /// The client id equals the user name (JWT-16).
    case clientToken = "client_token"
    /// No account of this name in the realm (MAP-01, MBE-09).
    case unknownUser = "unknown_user"
    /// More than one account fits (JWT-24).
    case ambiguousUser = "ambiguous_user"
    case disabledUser = "disabled_user"
    /// The name is an e-mail address of which the provider does not say that it is the user's.
    case unverifiedEmail = "unverified_email"
}
