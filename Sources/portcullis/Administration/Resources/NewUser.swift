import Bytes
import Crypto
import Model
import Reactor

/// A new user of `users.json`.
struct NewUser: Sendable {
    var username: String
    var realm: String?
    var email: String?
    var firstName: String?
    var lastName: String?
    /// `{scheme}payload`; nil for a user who cannot log in with a password.
    var password: String?
    var roles: [String] = []
    var enabled = true
    /// Further attributes of the profile.
    var attributes: [JSONMember]?

    init(username: String) { self.username = username }

    /// The members of a request body.
    static let members = [
        "username", "realm", "email", "firstName", "lastName", "password", "passwordHash", "scheme", "roles", "enabled",
        "attributes",
    ]
    static let changeable = [
        "email", "firstName", "lastName", "password", "passwordHash", "scheme", "roles", "addRoles", "removeRoles",
        "enabled", "attributes",
    ]

    /// The entry of the file. `tokensNotBefore` excludes tokens of an earlier user of the same name.
    var node: JSONNode {
        var members: [(name: String, value: JSONNode)] = [("username", .text(username))]
        for (name, value) in [("email", email), ("firstName", firstName), ("lastName", lastName), ("realm", realm)] {
            if let value { members.append((name, .text(value))) }
        }
        if let password { members.append(("password", .text(password))) }
        members.append(("roles", .texts(roles)))
        let set = (attributes ?? []).filter { !$0.node.isNull }
        if !set.isEmpty { members.append(("attributes", .object(set.map { ($0.name, $0.node) }))) }
        if !enabled { members.append(("enabled", .flag(false))) }
        members.append(("tokensNotBefore", .number(Clock.wallSeconds)))
        return .object(members)
    }

    func refuseDuplicate(among users: [User]) throws(AdminFailure) {
        let realm = realm ?? "Default"
        if users.contains(where: { $0.username.isExactly(username) && $0.realm.isExactly(realm) }) {
            throw .conflict("there is a user \"\(username)\" in the realm \"\(realm)\" already")
        }
    }
}

extension JSONWriter {
    /// All but the password.
    mutating func write(_ user: User) {
        beginObject()
        member("username", user.username)
        member("realm", user.realm)
        if !user.email.isEmpty { member("email", user.email) }
        if !user.firstName.isEmpty { member("firstName", user.firstName) }
        if !user.lastName.isEmpty { member("lastName", user.lastName) }
        member("roles", user.roles)
        member("enabled", user.enabled)
        if !user.attributes.isEmpty {
            name("attributes")
            beginObject()
            for (name, value) in user.attributes.sorted(by: { $0.key < $1.key }) { member(name, value) }
            endObject()
        }
        member("hasPassword", user.passwordHash != nil)
        endObject()
    }
}

extension User {
    /// The JSON of the administration.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension PasswordScheme {
    /// The scheme of new passwords; scrypt by default (DEC-08).
    static func named(_ name: String?) throws(AdminFailure) -> PasswordScheme {
        guard let name else { return .scrypt }
        guard let scheme = allCases.first(where: { $0.rawValue.isExactly(name) }) else {
            throw .unknown("password scheme", name, among: allCases.map(\.rawValue))
        }
        return scheme
    }
}

extension PasswordError {
    /// The message for the administrator.
    var text: String {
        switch self {
        case .invalidLength: "the password is empty or longer than \(PasswordHasher.maximumLength) bytes"
        case .tooShort(let least): "the password has fewer than \(least) characters (passwords.minLength)"
        case .notText: "the password is not UTF-8"
        case .invalidSaltLength: "the scheme does not accept this length of the salt"
        case .missingKey: "the scheme AES needs the setting passwords.aesKey"
        case .unavailable: "libcrypto has failed"
        }
    }
}
