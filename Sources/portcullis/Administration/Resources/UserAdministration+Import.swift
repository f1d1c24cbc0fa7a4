import Configuration
import Crypto
import Declaration
import Gateway

/// The import of users as CSV.
extension UserAdministration {
    /// Adds all users or none. `?check=true` only checks whether they could be added.
    func importList(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let scheme = try PasswordScheme.named(request.parameter("scheme"))
        let list = UserList(request.body)
        let hasher = try hasher()
        let isCheck = request.flag("check")
        let hasPasswords = list.rows.contains { $0.password != nil }
        if isCheck || hasPasswords || !list.problems.isEmpty { try check(list, hasher) }
        if isCheck { return .shown(AdminAnswer.count("valid", list.rows.count)) }
        var users: [NewUser] = []
        var problems: [UserList.Problem] = []
        for row in list.rows {
            var user = row.user
            if let password = row.password {
                do throws(PasswordError) {
                    user.password = try hasher.makeNew(Array(password.utf8).span, scheme: scheme)
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
            try administration.change("users", request) { (text, before) throws(AdminFailure) in
                existing = before.users.count
                let duplicates = list.duplicates(among: before.users)
                guard duplicates.isEmpty else { throw .lines(duplicates) }
                text.append(made.map(\.node))
            }
        } catch .invalid(_, let errors) {
            throw Self.failure(list, errors, from: existing)
        }
        return .changed("\(made.count) users", status: 201, AdminAnswer.count("added", made.count))
    }

    /// Reports all problems of a list before passwords are hashed.
    private func check(_ list: UserList, _ hasher: PasswordHasher) throws(AdminFailure) {
        var problems = list.problems
        for row in list.rows {
            guard let password = row.password else { continue }
            do throws(PasswordError) {
                try hasher.checkNew(Array(password.utf8).span)
            } catch {
                problems.append(.init(line: row.line, message: error.text))
            }
        }
        var existing = 0
        let errors = try administration.configuration.errors(ofChanging: "users") { text, before in
            existing = before.users.count
            problems += list.duplicates(among: before.users)
            text.append(
                list.rows.map { row in
                    var user = row.user
                    if row.password != nil { user.password = Self.placeholder }
                    return user.node
                })
        }
        // A duplicate is found by the list and by the check of the configuration.
        let reported = Set(problems.map(\.line))
        let found = errors.filter { error in
            list.located(error, from: existing).map { !reported.contains($0.line) } ?? problems.isEmpty
        }
        guard problems.isEmpty, found.isEmpty else {
            throw Self.failure(list, found, from: existing, problems)
        }
    }

    /// A placeholder in the form of a stored password.
    private static let placeholder = "{scrypt}ln=14,r=8,p=1$AAAA$AAAA"

    private static func failure(
        _ list: UserList, _ errors: [Diagnostic], from first: Int, _ problems: [UserList.Problem] = []
    ) -> AdminFailure {
        let located = errors.compactMap { list.located($0, from: first) }
        let others = errors.filter { list.located($0, from: first) == nil }.map(\.description)
        return .lines(problems + located, others: others)
    }
}
