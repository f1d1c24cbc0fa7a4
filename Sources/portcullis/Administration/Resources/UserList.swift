import Bytes
import Configuration
import Declaration
import Model

/// Users of a CSV file with a header row. Problems are reported by line; with any problem no user is added.
struct UserList: Sendable {
    struct Row: Sendable {
        var line: Int
        var user: NewUser
        /// The password in clear text; nil for none.
        var password: String?
    }

    struct Problem: Sendable {
        let line: Int
        let message: String
    }

    /// The valid rows.
    private(set) var rows: [Row] = []
    private(set) var problems: [Problem] = []

    static let columns = [
        "username", "email", "firstName", "lastName", "realm", "password", "passwordHash", "roles", "enabled",
    ]

    init(_ bytes: [UInt8]) {
        var unread: [CSVTable.Problem] = []
        let table = CSVTable(bytes, problems: &unread)
        problems = unread.map { Problem(line: $0.line, message: $0.message) }
        guard let header = table.records.first else {
            if problems.isEmpty { problems = [Problem(line: 1, message: "the header row is missing")] }
            return
        }
        // Without a valid header the meaning of the columns is unknown.
        if let first = problems.first, first.line <= header.line { return }
        checkHeader(header)
        guard header.fields.contains(where: { $0.isExactly("username") }) else { return }
        for record in table.records.dropFirst() {
            do throws(RowProblem) {
                rows.append(try UserList.row(record, header.fields))
            } catch {
                problems.append(Problem(line: record.line, message: error.message))
            }
        }
        if rows.isEmpty, problems.isEmpty {
            problems = [Problem(line: header.line, message: "there are no users below the header row")]
        }
    }

    private struct RowProblem: Error {
        let message: String
    }

    private mutating func checkHeader(_ header: CSVTable.Record) {
        func add(_ message: String) { problems.append(Problem(line: header.line, message: message)) }
        for (index, name) in header.fields.enumerated() {
            if !UserList.columns.contains(where: { $0.isExactly(name) }) {
                let near = Suggestion.nearest(to: name, among: UserList.columns).map { "; did you mean \"\($0)\"?" }
                add("unknown column \"\(name)\"" + (near ?? ""))
            } else if header.fields[..<index].contains(where: { $0.isExactly(name) }) {
                add("the column \"\(name)\" is listed twice")
            }
        }
        if !header.fields.contains(where: { $0.isExactly("username") }) { add("the column \"username\" is missing") }
    }

    /// Empty fields count as absent. Roles are separated by `;`.
    private static func row(_ record: CSVTable.Record, _ names: [String]) throws(RowProblem) -> Row {
        guard record.fields.count == names.count else {
            throw RowProblem(message: "\(record.fields.count) fields where the header has \(names.count)")
        }
        func value(_ name: String) -> String? {
            names.firstIndex { $0.isExactly(name) }.map { record.fields[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let username = value("username") else { throw RowProblem(message: "the username is missing") }
        if let problem = UserName.problem(username) { throw RowProblem(message: problem.text) }
        var user = NewUser(username: username)
        user.email = value("email")
        user.firstName = value("firstName")
        user.lastName = value("lastName")
        user.realm = value("realm")
        user.password = value("passwordHash")
        user.roles = (value("roles") ?? "").split(separator: ";").map { $0.trimmingPrefix(" ") }.map(String.init)
        switch value("enabled") {
        case nil, "true": user.enabled = true
        case "false": user.enabled = false
        default: throw RowProblem(message: "\"enabled\" must be true or false")
        }
        let password = value("password")
        if user.password != nil, password != nil {
            throw RowProblem(message: "one of \"password\" and \"passwordHash\"")
        }
        return Row(line: record.line, user: user, password: password)
    }

    /// Users that exist already, or twice in the list.
    func duplicates(among users: [User]) -> [Problem] {
        struct Key: Hashable {
            let realm: [UInt8]
            let name: [UInt8]
        }
        let known = Set(users.map { Key(realm: Array($0.realm.utf8), name: Array($0.username.utf8)) })
        var seen: Set<Key> = []
        return rows.compactMap { row in
            let realm = row.user.realm ?? "Default"
            let key = Key(realm: Array(realm.utf8), name: Array(row.user.username.utf8))
            guard seen.insert(key).inserted else {
                return Problem(line: row.line, message: "the user \"\(row.user.username)\" is listed twice")
            }
            guard known.contains(key) else { return nil }
            return Problem(
                line: row.line,
                message: "there is a user \"\(row.user.username)\" in the realm \"\(realm)\" already")
        }
    }

    /// The finding by its line in the list; nil if it does not concern a user of the list.
    ///
    /// - Parameter first: the position of the first of these users in the section.
    func located(_ finding: Diagnostic, from first: Int) -> Problem? {
        let parts = finding.pointer.split(separator: "/").map(String.init)
        guard parts.count > 1, parts[0] == "users", let place = Int(parts[1]), rows.indices.contains(place - first)
        else { return nil }
        var shown = finding
        shown.pointer = ""
        let text = shown.description
        let start = text.firstRange(of: ": error: ")?.upperBound ?? text.startIndex
        let column = parts.count > 2 ? parts[2] + ": " : ""
        return Problem(line: rows[place - first].line, message: column + text[start...])
    }
}

extension UserList {
    /// The list as CSV; each user keeps its line.
    ///
    /// - Parameter passwords: hashes by row index, for users with a password in clear text.
    func csv(passwords: [Int: String]) -> [UInt8] {
        let columns = ["username", "email", "firstName", "lastName", "realm", "passwordHash", "roles", "enabled"]
        var text = columns.joined(separator: ",") + "\n"
        var line = 2
        for (place, row) in rows.enumerated() {
            let user = row.user
            let fields: [String?] = [
                user.username, user.email, user.firstName, user.lastName, user.realm, passwords[place] ?? user.password,
                user.roles.joined(separator: ";"), "\(user.enabled)",
            ]
            text += String(repeating: "\n", count: max(0, row.line - line))
            let record = fields.map { UserList.quoted($0 ?? "") }.joined(separator: ",") + "\n"
            text += record
            line = max(line, row.line) + record.utf8.count { $0 == UInt8(ascii: "\n") }
        }
        return Array(text.utf8)
    }

    private static func quoted(_ field: String) -> String {
        let special = Array(",\"\r\n".utf8)
        guard field.utf8.contains(where: special.contains) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}

extension AdminFailure {
    /// Problems of a list in the order of its lines, then other problems.
    static func lines(_ problems: [UserList.Problem], others: [String] = []) -> AdminFailure {
        .unusable(problems.sorted { $0.line < $1.line }.map { "line \($0.line): \($0.message)" } + others)
    }
}
