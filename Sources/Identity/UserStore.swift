import Bytes
import Crypto
import Model

/// The local users, found by name or by mail address, and the check of their passwords.
///
/// Names are compared byte by byte. Swift's `==` on strings takes the Kelvin sign for a K, and an outside issuer that
/// lets people choose such names would hand out other people's accounts.
package final class UserStore: Sendable {
    private struct Key: Hashable {
        let realm: ExactText
        let name: ExactText

        init(realm: String, name: String) {
            self.realm = ExactText(realm)
            self.name = ExactText(name)
        }
    }

    package let users: [User]
    private let byName: [Key: Int]
    /// By `foldedName`: what Swift takes for the same text is the same here, on purpose.
    private let byFoldedName: Groups<String>
    /// A longer name than this is nobody's in any spelling: to fold it would be work for whoever sends it.
    private let longestName: Int
    private let byEmail: Groups<ExactText>
    private let hasher: PasswordHasher
    private let decoyHash: String?
    /// What other gateways have withdrawn; nil where there are none.
    private let withdrawn: WithdrawnAccounts?

    /// - Precondition: no two users share both realm and name.
    package init(users: [User], hasher: PasswordHasher, withdrawn: WithdrawnAccounts? = nil) {
        self.users = users
        self.withdrawn = withdrawn
        self.hasher = hasher
        // By index, member by member: a copy of a user counts ten references up and down.
        byName = Dictionary(
            uniqueKeysWithValues: users.indices.lazy.map {
                (Key(realm: users[$0].realm, name: users[$0].username), $0)
            })
        longestName = 4 * (users.indices.lazy.map { users[$0].username.utf8.count }.max() ?? 0)
        byFoldedName = Groups(users.indices) { UserStore.foldedName(users[$0].username) }
        byEmail = Groups(users.indices) { users[$0].email.isEmpty ? nil : UserStore.folded(users[$0].email) }
        decoyHash = UserStore.commonestHash(of: users)
    }

    /// The user of this name, compared with case (JWT-24), whether enabled or not.
    package func user(named name: String, realm: String) -> User? {
        byName[Key(realm: realm, name: name)].map { current(users[$0]) }
    }

    /// All users of this name, in one realm or (nil) in any.
    package func users(named name: String, realm: String?) -> [User] {
        namesakes(of: name, in: realm).filter { $0.username.utf8.elementsEqual(name.utf8) }
    }

    /// The users of a realm whom a directory may mean by this name: those who bear it but for the case of letters, blanks
    /// in a row, and the ways of writing one character (RFC 4518), whether enabled or not.
    package func namesakes(of name: String, realm: String) -> [User] {
        namesakes(of: name, in: realm)
    }

    private func namesakes(of name: String, in realm: String?) -> [User] {
        guard name.utf8.count <= longestName else { return [] }
        return selected(byFoldedName[UserStore.foldedName(name)], realm: realm)
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
        var schemes: [Substring: (count: Int, example: String)] = [:]
        for i in users.indices {
            guard let hash = users[i].passwordHash else { continue }
            let scheme = hash[..<(hash.utf8.firstIndex(of: UInt8(ascii: "}")) ?? hash.endIndex)]
            schemes[scheme, default: (0, hash)].count += 1
        }
        return schemes.values.max { ($0.count, $0.example) < ($1.count, $1.example) }?.example
    }

    private func current(_ user: User) -> User { withdrawn?.current(user) ?? user }

    /// Whether a password that was right before may have been withdrawn by another gateway: then the user is to be
    /// looked at again.
    package var hasWithdrawn: Bool { withdrawn?.isEmpty == false }

    private func selected(_ indices: [Int], realm: String?) -> [User] {
        indices.map { current(users[$0]) }.filter { user in realm.map { user.realm.utf8.elementsEqual($0.utf8) } ?? true
        }
    }

    private static func foldedName(_ name: String) -> String {
        // Upper case first: `ß` is `SS`, and the long s an S.
        let folded = isASCII(name) ? name.lowercased() : name.uppercased().lowercased()
        guard folded.utf8.contains(ASCII.space) else { return folded }
        return folded.split(separator: " ").joined(separator: " ")
    }

    private static func folded(_ email: String) -> ExactText {
        isASCII(email)
            ? ExactText(email.lowercased())
            : ExactText(String(decoding: email.utf8.map(ASCII.lowercased), as: UTF8.self))
    }

    private static func isASCII(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for i in bytes.indices where bytes[i] >= 0x80 { return false }
        return true
    }
}

/// Users by a key that several may have. Most keys have one user, and an array for each would be the dearest part of
/// reading a hundred thousand.
private struct Groups<Key: Hashable & Sendable>: Sendable {
    private var last: [Key: Int32] = [:]
    /// For each user the one before with the same key; -1 for none.
    private var before: [Int32] = []

    /// - Parameter key: nil for a user who is not to be found.
    init(_ users: Range<Int>, by key: (Int) -> Key?) {
        last.reserveCapacity(users.count)
        before.reserveCapacity(users.count)
        for user in users {
            before.append(key(user).flatMap { last.updateValue(Int32(user), forKey: $0) } ?? -1)
        }
    }

    /// Indices of the users with a key, in their order.
    subscript(key: Key) -> [Int] {
        var indices: [Int] = []
        var next = last[key] ?? -1
        while next >= 0 {
            indices.append(Int(next))
            next = before[Int(next)]
        }
        return indices.reversed()
    }
}
