import Bytes
import Crypto
import Model

/// The local users, indexed by name and mail address, and password checks.
///
/// Names are compared byte by byte. Swift's `==` equates the Kelvin sign with K; with it, an outside issuer with free
/// choice of names would give access to other users' accounts.
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
    /// By `foldedName`. Swift's canonical string equivalence is intended here.
    private let byFoldedName: Groups<String>
    /// No user has a longer name in any spelling. Limits the cost of folding names from requests.
    private let longestName: Int
    private let byEmail: Groups<ExactText>
    private let hasher: PasswordHasher
    private let decoyHash: String?
    /// Credentials that other gateways have withdrawn; nil if these are not tracked.
    private let withdrawn: WithdrawnAccounts?

    /// - Precondition: no two users share both realm and name.
    package init(users: [User], hasher: PasswordHasher, withdrawn: WithdrawnAccounts? = nil) {
        self.users = users
        self.withdrawn = withdrawn
        self.hasher = hasher
        // By index, member by member: copying a user costs ten reference counts.
        byName = Dictionary(
            uniqueKeysWithValues: users.indices.lazy.map {
                (Key(realm: users[$0].realm, name: users[$0].username), $0)
            })
        longestName = 4 * (users.indices.lazy.map { users[$0].username.utf8.count }.max() ?? 0)
        byFoldedName = Groups(users.indices) { UserStore.foldedName(users[$0].username) }
        byEmail = Groups(users.indices) { users[$0].email.isEmpty ? nil : UserStore.folded(users[$0].email) }
        decoyHash = UserStore.commonestHash(of: users)
    }

    /// The user of this name, compared with case (JWT-24), enabled or not.
    package func user(named name: String, realm: String) -> User? {
        byName[Key(realm: realm, name: name)].map { current(users[$0]) }
    }

    /// All users of this name, in one realm or (nil) in all.
    package func users(named name: String, realm: String?) -> [User] {
        namesakes(of: name, in: realm).filter { $0.username.isExactly(name) }
    }

    /// Users of a realm whose names a directory treats as equal to this one: ignoring case, repeated blanks and Unicode
    /// composition (RFC 4518). Enabled or not.
    package func namesakes(of name: String, realm: String) -> [User] {
        namesakes(of: name, in: realm)
    }

    private func namesakes(of name: String, in realm: String?) -> [User] {
        guard name.utf8.count <= longestName else { return [] }
        return selected(byFoldedName[UserStore.foldedName(name)], realm: realm)
    }

    /// All users with this mail address, ignoring the case of ASCII letters (JWT-24), in one realm or (nil) in all.
    package func users(withEmail email: String, realm: String?) -> [User] {
        selected(byEmail[UserStore.folded(email)], realm: realm)
    }

    /// The enabled user with this name and password. Slow by design: never call it on an event loop.
    ///
    /// An unknown name or a user without a password costs one password hash as well, so that timing
    /// does not reveal which names exist.
    package func check(username: String, password: [UInt8], realm: String) -> User? {
        let user = user(named: username, realm: realm)
        guard let user, let stored = user.passwordHash else {
            if let decoyHash { _ = hasher.verify(password.span, stored: decoyHash) }
            return nil
        }
        guard hasher.verify(password.span, stored: stored), user.enabled else { return nil }
        return user
    }

    /// A stored hash of the most common scheme, so that a check against it takes as long as a real one. Nil if no user
    /// has a password, when timing reveals nothing.
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

    /// Whether another gateway may have withdrawn a password that was accepted before, so that the user must be checked
    /// again.
    package var hasWithdrawn: Bool { withdrawn?.isEmpty == false }

    /// Whether another gateway may have taken or given back roles since this one started.
    package var hasOtherRoles: Bool { withdrawn?.rightsVersion ?? 0 > 0 }

    /// Roles of a token without those that were taken from its user after its issue.
    /// - Parameter issuedAt: seconds since 1970.
    package func current(_ roles: [String], of user: User, issuedAt: Int64) -> [String] {
        withdrawn?.current(roles, of: user, issuedAt: issuedAt) ?? roles
    }

    private func selected(_ indices: [Int], realm: String?) -> [User] {
        indices.map { current(users[$0]) }.filter { user in realm.map { user.realm.isExactly($0) } ?? true
        }
    }

    private static func foldedName(_ name: String) -> String {
        // Upper case first: `ß` becomes `SS`, and the long s becomes S.
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

/// Users by a non-unique key. Most keys have one user; an array per key would dominate the cost of reading a hundred
/// thousand.
private struct Groups<Key: Hashable & Sendable>: Sendable {
    private var last: [Key: Int32] = [:]
    /// For each user the previous one with the same key; -1 for none.
    private var before: [Int32] = []

    /// - Parameter key: nil excludes a user.
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
