import Bytes
import Configuration
import Foundation

/// Users in a CSV file with a header row (MBE-10). Every problem is told with its line, and one is enough for nothing to
/// be taken.
struct UserList {
    struct Row {
        var line: Int
        var user: NewUser
        /// In the clear, to be hashed; nil for none.
        var password: String?
    }

    private(set) var rows: [Row] = []

    static let columns = [
        "username", "email", "firstName", "lastName", "realm", "password", "passwordHash", "roles", "enabled",
    ]

    init(_ bytes: [UInt8]) throws(AdminFailure) {
        let table: CSVTable
        do throws(CSVTable.Problem) {
            table = try CSVTable(bytes)
        } catch {
            throw .unusable(["line \(error.line): \(error.message)"])
        }
        guard let header = table.records.first else { throw .unusable(["line 1: the header row is missing"]) }
        try UserList.check(header)
        var problems: [String] = []
        for record in table.records.dropFirst() {
            do throws(RowProblem) {
                rows.append(try UserList.row(record, header.fields))
            } catch {
                problems.append("line \(record.line): \(error.message)")
            }
        }
        guard problems.isEmpty else { throw .unusable(problems) }
        guard !rows.isEmpty else { throw .unusable(["line \(header.line): there is no user below the header row"]) }
    }

    private struct RowProblem: Error {
        let message: String
    }

    private static func check(_ header: CSVTable.Record) throws(AdminFailure) {
        var problems: [String] = []
        for (index, name) in header.fields.enumerated() {
            if !columns.contains(where: { isSame($0, name) }) {
                let near = Suggestion.nearest(to: name, among: columns).map { "; did you mean \"\($0)\"?" }
                problems.append("unknown column \"\(name)\"" + (near ?? ""))
            } else if header.fields[..<index].contains(where: { isSame($0, name) }) {
                problems.append("the column \"\(name)\" is there twice")
            }
        }
        if !header.fields.contains(where: { isSame($0, "username") }) {
            problems.append("the column \"username\" is missing")
        }
        guard problems.isEmpty else { throw .unusable(problems.map { "line \(header.line): \($0)" }) }
    }

    /// Empty fields count as absent. Roles are separated by `;`.
    private static func row(_ record: CSVTable.Record, _ names: [String]) throws(RowProblem) -> Row {
        guard record.fields.count == names.count else {
            throw RowProblem(message: "\(record.fields.count) fields where the header has \(names.count)")
        }
        func value(_ name: String) -> String? {
            names.firstIndex { isSame($0, name) }.map { record.fields[$0] }.flatMap { $0.isEmpty ? nil : $0 }
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
        default: throw RowProblem(message: "\"enabled\" is to be true or false")
        }
        if user.password != nil, value("password") != nil {
            throw RowProblem(message: "one of \"password\" and \"passwordHash\"")
        }
        return Row(line: record.line, user: user, password: value("password"))
    }

    func refuseDuplicates(among users: [UserEntry]) throws(AdminFailure) {
        var problems: [String] = []
        var seen: Set<[[UInt8]]> = []
        for row in rows {
            let realm = row.user.realm ?? "Default"
            if !seen.insert([Array(realm.utf8), Array(row.user.username.utf8)]).inserted {
                problems.append("line \(row.line): the user \"\(row.user.username)\" is there twice")
            }
            do throws(AdminFailure) {
                try row.user.refuseDuplicate(among: users)
            } catch {
                if case .conflict(let text) = error { problems.append("line \(row.line): \(text)") }
            }
        }
        guard problems.isEmpty else { throw .unusable(problems) }
    }

    /// Findings about users of this list, told by line instead of by the place that they would have had.
    ///
    /// - Parameter first: the place of the first of them in the section.
    func located(_ failure: AdminFailure, from first: Int) -> AdminFailure {
        guard case .invalid(_, let diagnostics) = failure else { return failure }
        return .unusable(diagnostics.filter { $0.severity == .error }.map { located($0, from: first) })
    }

    private func located(_ finding: Diagnostic, from first: Int) -> String {
        let parts = finding.pointer.split(separator: "/").map(String.init)
        guard parts.count > 1, parts[0] == "users", let place = Int(parts[1]), rows.indices.contains(place - first)
        else {
            return finding.description
        }
        var shown = finding
        shown.pointer = ""
        let text = shown.description
        let start = text.range(of: ": error: ")?.upperBound ?? text.startIndex
        let column = parts.count > 2 ? parts[2] + ": " : ""
        return "line \(rows[place - first].line): \(column)\(text[start...])"
    }
}
