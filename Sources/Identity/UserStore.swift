import Bytes
import Crypto

/// The local users, found by name or by mail address, and the check of their passwords.
///
/// Names are compared byte by byte. Swift's `==` on strings takes the Kelvin sign for a K, and an outside issuer that
/// lets people choose such names would hand out other people's accounts.
package final class UserStore: Sendable {
    private struct Key: Hashable {
        let realm: [UInt8]
        let name: [UInt8]

        init(realm: String, name: String) {
            self.realm = Array(realm.utf8)
            self.name = Array(name.utf8)
        }
    }

    package let users: [User]
    private let byName: [Key: Int]
    /// By `foldedName`: what Swift takes for the same text is the same here, on purpose.
    private let byFoldedName: [String: [Int]]
    private let byEmail: [[UInt8]: [Int]]
    private let hasher: PasswordHasher
    private let decoyHash: String?

    /// - Precondition: no two users share both realm and name.
    package init(users: [User], hasher: PasswordHasher) {
        self.users = users
        self.hasher = hasher
        byName = Dictionary(
            uniqueKeysWithValues: users.enumerated().map { (Key(realm: $1.realm, name: $1.username), $0) }
        )
        byFoldedName = Dictionary(grouping: users.indices) { UserStore.foldedName(users[$0].username) }
        byEmail = Dictionary(grouping: users.indices.filter { !users[$0].email.isEmpty }) {
            UserStore.folded(users[$0].email)
        }
        decoyHash = UserStore.commonestHash(of: users)
    }

    /// The user of this name, compared with case (JWT-24), whether enabled or not.
    package func user(named name: String, realm: String) -> User? {
        byName[Key(realm: realm, name: name)].map { users[$0] }
    }

    /// All users of this name, in one realm or (nil) in any.
    package func users(named name: String, realm: String?) -> [User] {
        selected(byFoldedName[UserStore.foldedName(name)], realm: realm)
            .filter { $0.username.utf8.elementsEqual(name.utf8) }
    }

    /// The users of a realm whom a directory may mean by this name: those who bear it but for the case of letters, blanks
    /// in a row, and the ways of writing one character (RFC 4518), whether enabled or not.
    package func namesakes(of name: String, realm: String) -> [User] {
        selected(byFoldedName[UserStore.foldedName(name)], realm: realm)
    }

    /// All users of this mail address, compared without the case of ASCII letters (JWT-24), in one realm or (nil) in any.
    package func users(withEmail email: String, realm: String?) -> [User] {
        selected(byEmail[UserStore.folded(email)], realm: realm)
    }

    /// The enabled user whom this password belongs to. Slow by design: never call it on an event loop.
    ///
    /// A name that nobody bears in the realm (MBE-09) and a user without password (MBE-11) cost one password hash like
    /// everybody else, so that the time of an answer does not tell which names exist.
    package func check(username: String, password: [UInt8], realm: String) -> User? {
        let user = user(named: username, realm: realm)
        guard let user, let stored = user.passwordHash else {
            if let decoyHash { _ = hasher.verify(password.span, stored: decoyHash) }
            return nil
        }
        guard hasher.verify(password.span, stored: stored), user.enabled else { return nil }
        return user
    }

    /// One stored hash of the scheme that most users have: checking against it costs what a check of theirs costs.
    /// Nil where nobody has a password, and so nothing can be told apart.
    private static func commonestHash(of users: [User]) -> String? {
        let hashes = users.compactMap(\.passwordHash)
        let counts = Dictionary(grouping: hashes) { $0.prefix { $0 != "}" } }.mapValues(\.count)
        return hashes.max { (counts[$0.prefix { $0 != "}" }] ?? 0) < (counts[$1.prefix { $0 != "}" }] ?? 0) }
    }

    private func selected(_ indices: [Int]?, realm: String?) -> [User] {
        (indices ?? []).map { users[$0] }.filter { user in realm.map { user.realm.utf8.elementsEqual($0.utf8) } ?? true
        }
    }

    private static func foldedName(_ name: String) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        // Upper case first: `ß` is `SS`, and the long s an S.
        let folded = isASCII ? name.lowercased() : name.uppercased().lowercased()
        return folded.split(separator: " ").joined(separator: " ")
    }

    private static func folded(_ email: String) -> [UInt8] { email.utf8.map(ASCII.lowercased) }
}
