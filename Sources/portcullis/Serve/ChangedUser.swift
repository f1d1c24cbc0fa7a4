import Bytes
import Configuration

/// A user of a configuration who is not the same in the one that takes its place.
struct ChangedUser: Sendable {
    let old: UserEntry
    /// Nil for a user who is gone.
    let fresh: UserEntry?

    private struct Key: Hashable {
        let realm: ExactText
        let name: ExactText

        init(_ realm: String, _ name: String) {
            self.realm = ExactText(realm)
            self.name = ExactText(name)
        }
    }

    /// Those whose password, roles or tokens' time are others now, or who were disabled, enabled or taken out.
    static func all(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration) -> [ChangedUser] {
        let (old, fresh) = (old.users, fresh.users)
        var changed: [ChangedUser] = []
        var table: [Key: Int]?
        // Member by member: a copy of a user counts ten references up and down, and most have not changed.
        for i in old.indices {
            let key = Key(old[i].realm, old[i].username)
            var place: Int? = i
            // Mostly they have kept their places, and need no table.
            if i >= fresh.count || key != Key(fresh[i].realm, fresh[i].username) {
                if table == nil {
                    table = Dictionary(
                        fresh.indices.lazy.map { (Key(fresh[$0].realm, fresh[$0].username), $0) },
                        uniquingKeysWith: { $1 })
                }
                place = table?[key]
            }
            if let place, old[i].isEnabled == fresh[place].isEnabled,
                old[i].tokensNotBefore == fresh[place].tokensNotBefore, old[i].roles == fresh[place].roles,
                old[i].password == fresh[place].password
            {
                continue
            }
            changed.append(ChangedUser(old: old[i], fresh: place.map { fresh[$0] }))
        }
        return changed
    }

    /// Whether tokens that were issued upstream for the user are good no more: who the user is, or what the user may do,
    /// has changed (CACHE-07).
    var isAnother: Bool {
        fresh?.password != old.password || fresh?.isEnabled != old.isEnabled || fresh?.roles != old.roles
    }
}
