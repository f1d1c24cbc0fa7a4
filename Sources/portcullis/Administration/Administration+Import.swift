import Bytes
import Configuration
import Crypto
import Gateway

/// Many users at once (MBE-10).
extension Administration {
    /// All or nothing. With `?check=true` it is only said whether they could be added.
    func importUsers(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let scheme = try PasswordScheme.named(request.parameter("scheme"))
        let list = UserList(request.body)
        let isCheck = request.parameter("check").map { isSame($0, "true") } ?? false
        let hasPasswords = list.rows.contains { $0.password != nil }
        if isCheck || hasPasswords || !list.problems.isEmpty { try check(list) }
        if isCheck { return .shown(Administration.count("valid", list.rows.count)) }
        let hasher = try hasher(for: scheme)
        var users: [NewUser] = []
        var problems: [UserList.Problem] = []
        for row in list.rows {
            var user = row.user
            if let password = row.password {
                do throws(PasswordError) {
                    user.password = try hasher.make(Array(password.utf8).span, scheme: scheme)
                } catch {
                    problems.append(.init(line: row.line, message: error.text))
                }
            }
            users.append(user)
        }
        guard problems.isEmpty else { throw .lines(problems) }
        let made = users
        var existing = 0
        do throws(AdminFailure) {
            _ = try configuration.change("users", empty: "[]", condition: request.condition) {
                (text, before) throws(AdminFailure) in
                existing = before.users.count
                let duplicates = list.duplicates(among: before.users)
                guard duplicates.isEmpty else { throw .lines(duplicates) }
                text.append(made.map(\.node))
            }
        } catch .invalid(_, let errors) {
            throw Administration.failure(list, errors, from: existing)
        }
        return .changed("\(made.count) users", status: 201, Administration.count("added", made.count))
    }

    /// Finds everything that is wrong with a list, before passwords are hashed.
    private func check(_ list: UserList) throws(AdminFailure) {
        var problems = list.problems
        var existing = 0
        let errors = try configuration.errors(ofChanging: "users", empty: "[]") { text, before in
            existing = before.users.count
            problems += list.duplicates(among: before.users)
            text.append(
                list.rows.map { row in
                    var user = row.user
                    if row.password != nil { user.password = Administration.standIn }
                    return user.node
                })
        }
        // Both say that somebody is there already.
        let told = Set(problems.map(\.line))
        let found = errors.filter { error in
            list.located(error, from: existing).map { !told.contains($0.line) } ?? problems.isEmpty
        }
        guard problems.isEmpty, found.isEmpty else {
            throw Administration.failure(list, found, from: existing, problems)
        }
    }

    /// In the form of a stored password, and nobody's.
    private static let standIn = "{scrypt}ln=14,r=8,p=1$AAAA$AAAA"

    private static func failure(
        _ list: UserList, _ errors: [Diagnostic], from first: Int, _ problems: [UserList.Problem] = []
    ) -> AdminFailure {
        let located = errors.compactMap { list.located($0, from: first) }
        let others = errors.filter { list.located($0, from: first) == nil }.map(\.description)
        return .lines(problems + located, others: others)
    }

    private static func count(_ name: String, _ count: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member(name, count)
        writer.endObject()
        return writer.bytes
    }
}
