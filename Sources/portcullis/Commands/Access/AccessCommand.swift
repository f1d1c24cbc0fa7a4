import Bytes
import Configuration
import Model
import Simulation

/// `portcullis access`: which callers a configuration lets in.
enum AccessCommand: Command {
    static let name = "access"
    static let summary = "show which callers may use which routes"
    static let help = """
        usage: portcullis access DIR [--who NAME] [--what PATH] [--format text|csv|html|json]
               portcullis access --config DIR [--who NAME] [--what PATH] [--format text|csv|html|json]

        Shows for each route and method which callers the rules in DIR let in: those without a credential, those with one
        role alone, and those of each issuer, provider, client and consumer. Needs no running gateway and calls no server.

        yes   all of them
        some  those that meet what else the row asks for, such as a scope, a claim or a level
        -     none

        Secrets and key files that are absent here are listed, and no rule is decided by them.

        --config  the directory
        --who     only the routes that this caller may use: a role, or the name of an issuer, provider, client or consumer;
                  "anonymous" for those without a credential; "user:NAME" for a local user with all roles of the account
        --what    only the routes that a request for this path may reach
        --format  text (default), csv, html or json

        example: portcullis access /etc/portcullis --what /orders/1
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let directory = try arguments.directory(of: self)
        guard let format = Format(rawValue: arguments["--format"] ?? "text") else {
            throw .misuse("--format is text, csv, html or json")
        }
        let review = try Assembly.review(directory)
        for line in review.notRead { Terminal.printError(line) }
        let user = arguments["--who"].flatMap { $0.hasPrefix("user:") ? String($0.dropFirst(5)) : nil }
        if let user, !review.rules.users.contains(where: { $0.username.isExactly(user) }) {
            throw .failure("there is no user \(user)")
        }
        let matrix = AccessMatrix(review.rules, host: review.host, users: user.map { [$0] } ?? [])
        var rows = matrix.rows
        if let path = arguments["--what"] {
            guard let pattern = try? PathPattern(path) else { throw .misuse("--what is no path: \(path)") }
            rows = rows.filter { $0.matches(pattern) && (pattern.isOnePath ? matrix.reaches($0, path) : true) }
        }
        var callers = Array(matrix.callers.indices)
        if user != nil {
            callers = callers.suffix(1)
        } else if let name = arguments["--who"] {
            callers = matrix.callers.indices.filter {
                matrix.callers[$0].name == name || matrix.callers[$0].name.hasSuffix(" \(name)")
            }
            guard !callers.isEmpty else {
                throw .failure("there is no role, issuer, provider, client or consumer \(name)")
            }
        }
        if arguments["--who"] != nil { rows = rows.filter { row in callers.contains { row.access[$0] != .no } } }
        Terminal.print(
            Table(callers: callers.map { matrix.callers[$0].name }, columns: callers, rows: rows).text(format))
    }

    private enum Format: String {
        case text, csv, html, json
    }

    /// What is shown of a matrix.
    private struct Table {
        let callers: [String]
        /// Places of the callers.
        let columns: [Int]
        let rows: [AccessMatrix.Row]

        func text(_ format: Format) -> String {
            switch format {
            case .text: plain
            case .csv: cells.map { $0.map(Table.quoted).joined(separator: ",") }.joined(separator: "\r\n")
            case .html: html
            case .json: json
            }
        }

        /// With the names of the columns.
        private var cells: [[String]] {
            ([["methods", "path"] + callers + ["asks for"]]
                + rows.map { row in
                    [row.methodText, row.place] + columns.map { row.access[$0] == .no ? "-" : row.access[$0].rawValue }
                        + [row.demands.joined(separator: "; ")]
                }).map { $0.map(\.harmless) }
        }

        /// For each route who may use it, since a terminal is narrow.
        private var plain: String {
            if rows.isEmpty { return "no route" }
            return rows.map { row in
                let named = zip(callers, columns.map { row.access[$0] })
                let lines = [(AccessMatrix.Access.yes, "yes "), (.some, "some")].compactMap { access, word -> String? in
                    let names = named.filter { $0.1 == access }.map(\.0)
                    return names.isEmpty ? nil : "  \(word)  \(names.joined(separator: ", "))"
                }
                let head = "\(row.methodText) \(row.place)".harmless
                let demands = row.demands.isEmpty ? [] : ["  asks for \(row.demands.joined(separator: "; "))".harmless]
                return ([head] + demands + (lines.isEmpty ? ["  -     no caller"] : lines)).joined(separator: "\n")
            }.joined(separator: "\n\n")
        }

        private static func quoted(_ cell: String) -> String {
            // A spreadsheet takes a cell with one of these first for a formula.
            let text = cell.first.map { "=+@".contains($0) } == true ? "'" + cell : cell
            return text.contains { ",\"\r\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
        }

        private var html: String {
            func row(_ cells: [String], _ tag: String) -> String {
                "<tr>\(cells.map { "<\(tag)>\(MarkupText.escaped($0))</\(tag)>" }.joined())</tr>"
            }
            let head = row(cells[0], "th")
            let body = cells.dropFirst().map { row($0, "td") }.joined(separator: "\n")
            return """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Access</title>
                <style>
                body { font: 14px system-ui, sans-serif; } table { border-collapse: collapse; }
                th, td { border: 1px solid #8b9aa8; padding: 4px 8px; text-align: left; } th { position: sticky; top: 0; background: #e6edf3; }
                </style></head><body><table><thead>
                \(head)
                </thead><tbody>
                \(body)
                </tbody></table></body></html>
                """
        }

        private var json: String {
            let nodes = rows.map { row in
                JSONNode.object([
                    ("route", .text(row.route)), ("path", .text(row.place)), ("methods", .texts(row.methods)),
                    ("asksFor", .texts(row.demands)),
                    (
                        "access",
                        .object(zip(callers, columns).map { name, place in (name, .text(row.access[place].rawValue)) })
                    ),
                ])
            }
            return String(decoding: JSONNode(.array(nodes)).serialized, as: UTF8.self)
        }
    }
}

extension PathPattern {
    /// Whether it stands for one path alone.
    fileprivate var isOnePath: Bool { !isDeep && !segments.contains(.one) }
}

extension AccessMatrix.Row {
    fileprivate var methodText: String { methods.isEmpty ? "any method" : methods.joined(separator: ",") }
}
