import Bytes
import Configuration
import Model

/// A user who differs between two configurations.
struct ChangedUser: Sendable {
    let old: User
    /// Nil for a removed user.
    let fresh: User?

    private struct Key: Hashable {
        let realm: ExactText
        let name: ExactText

        init(_ realm: String, _ name: String) {
            self.realm = ExactText(realm)
            self.name = ExactText(name)
        }
    }

    /// The users whose password, roles, `tokensNotBefore` or state changed, and those who were removed.
    static func all(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration) -> [ChangedUser] {
        let (old, fresh) = (old.users, fresh.users)
        var changed: [ChangedUser] = []
        var table: [Key: Int]?
        // Compares member by member: a copy of a user retains ten references, and most users have not changed.
        for i in old.indices {
            let key = Key(old[i].realm, old[i].username)
            var place: Int? = i
            // The table is built only if users have moved.
            if i >= fresh.count || key != Key(fresh[i].realm, fresh[i].username) {
                if table == nil {
                    table = Dictionary(
                        fresh.indices.lazy.map { (Key(fresh[$0].realm, fresh[$0].username), $0) },
                        uniquingKeysWith: { $1 })
                }
                place = table?[key]
            }
            if let place, old[i].enabled == fresh[place].enabled,
                old[i].tokensNotBefore == fresh[place].tokensNotBefore, old[i].roles == fresh[place].roles,
                old[i].passwordHash == fresh[place].passwordHash
            {
                continue
            }
            changed.append(ChangedUser(old: old[i], fresh: place.map { fresh[$0] }))
        }
        return changed
    }

    /// Whether upstream tokens that were issued for the user are invalid (CACHE-07).
    var invalidatesIssuedTokens: Bool {
        fresh?.passwordHash != old.passwordHash || fresh?.enabled != old.enabled || fresh?.roles != old.roles
    }
}
