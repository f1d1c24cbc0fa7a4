import Identity
import Model
import Synchronization

/// The users of realms in the order of their names, so that the pages of a list are stable.
final class UserDirectory: Sendable {
    let users: UserStore
    /// Indices of users by realm, computed on first use.
    private let ordered = Mutex<[[UInt8]: [Int]]>([:])

    /// Number of users that are scanned on an event loop; more of them take milliseconds.
    private static let fewUsers = 500

    init(users: UserStore) { self.users = users }

    /// Whether a scan of all users takes too long for an event loop.
    var isLarge: Bool { users.users.count > UserDirectory.fewUsers }

    /// A page of the matching users, and the number of matches on all pages.
    func find(
        in realm: String, _ page: ProfileQuery.Page, where isWanted: (User) -> Bool
    ) -> (users: [User], total: Int) {
        let found = order(of: realm).filter { isWanted(users.users[$0]) }
        return (found[page.places(in: found.count)].map { users.users[$0] }, found.count)
    }

    private func order(of realm: String) -> [Int] {
        let (key, all) = (Array(realm.utf8), users.users)
        return ordered.withLock { ordered in
            if let known = ordered[key] { return known }
            let order = all.indices.filter { all[$0].realm.utf8.elementsEqual(key) }.sorted {
                all[$0].username.utf8.lexicographicallyPrecedes(all[$1].username.utf8)
            }
            ordered[key] = order
            return order
        }
    }
}
