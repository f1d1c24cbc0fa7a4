import Bytes
import Model

extension ExternalIdentityRules {
    /// The user identified by these claims. The token must be verified: claims are trusted here.
    /// - Parameter realm: realm of the client; nil searches all realms, for requests without a client.
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
        if id.isExactly(name) { throw .clientToken }
    }

    /// The account or virtual user of a name, and its roles.
    package func resolve(
        _ name: String, claims: JSONNode, realm: String?, users: UserStore, catalogue: RoleCatalogue
    ) throws(ExternalIdentityRejection) -> ExternalIdentity {
        guard !virtualUserEnabled else {
            let roles = roleMapping.roles(claims: claims, catalogue: catalogue)
            return ExternalIdentity(username: usernamePrefix + name, user: nil, roles: roles)
        }
        let user = try account(for: name, realm: realm, users: users)
        let roles = roleMapping.roles(claims: claims, assigned: user.roles, catalogue: catalogue)
        return ExternalIdentity(username: user.username, user: user, roles: roles)
    }

    /// The user name in the claims (JWT-14, MAP-02).
    package func username(in claims: JSONNode) throws(ExternalIdentityRejection) -> String {
        // Configured claims that are absent are not replaced by others (U03).
        let name =
            usernameSources.isEmpty
            ? (claims["sub"] ?? claims["prn"]).flatMap(ClaimSource.text)
            : usernameSources.lazy.compactMap { $0.value(in: claims) }.first
        guard let name, !name.isEmpty else { throw .missingUsername }
        guard ExternalIdentityRules.isFitForHeaders(name) else { throw .unusableUsername }
        return name
    }

    /// The name goes into header fields for the upstream (GW-10). Control characters would allow an outside issuer's
    /// users to inject fields. Blanks at the ends would be trimmed by recipients, which yields another name. Invisible
    /// characters would imitate the name of another user. The limit is longer than for account names.
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

/// The user that an outside issuer's claims identify.
package struct ExternalIdentity: Sendable {
    /// The account's name, or for a virtual user the name in the token.
    package let username: String
    /// The account; nil for a virtual user.
    package let user: User?
    package let roles: RoleSet

    package var virtual: Bool { user == nil }
}

/// Why claims of an outside issuer yield no user. The response does not reveal the reason; the log records it.
package enum ExternalIdentityRejection: String, Error, Sendable, CaseIterable {
    /// The claim is absent, empty or not a string.
    case missingUsername = "missing_username"
    /// The name has control or invisible characters, blanks at its ends, or more than 512 bytes.
    case unusableUsername = "unusable_username"
    /// The client id equals the user name (JWT-16).
    case clientToken = "client_token"
    /// No account of this name in the realm (MAP-01).
    case unknownUser = "unknown_user"
    /// More than one account matches (JWT-24).
    case ambiguousUser = "ambiguous_user"
    case disabledUser = "disabled_user"
    /// The name is an e-mail address that the provider has not verified.
    case unverifiedEmail = "unverified_email"
}
