import Bytes
import Model

/// The roles that a caller lacks for a request, for operators (TOOL-01).
package struct MissingRoles: Sendable {
    /// Roles of which the caller needs one; nil for no such requirement.
    let any: [String]?
    let all: [String]
    let none: [String]

    init(any: [String]?, all: [String], none: [String]) {
        self.any = any
        self.all = all
        self.none = none
    }

    /// - Parameter requirement: the response of `/admin/requirements`.
    package init?(_ requirement: JSONNode?) {
        guard let roles = requirement?["roles"] else { return nil }
        func names(_ member: String) -> [String]? { roles[member]?.array?.compactMap(\.string) }
        self.init(any: names("any"), all: names("all") ?? [], none: names("none") ?? [])
    }

    /// One line for each requirement that is not met.
    ///
    /// - Parameter held: roles of the caller; if they are unknown (nil), all requirements are listed.
    package func lines(held: [String]?) -> [String] {
        func has(_ role: String) -> Bool { held?.contains { $0.isExactly(role) } ?? false }
        let word = held == nil ? "asked for" : "missing"
        var lines: [String] = []
        if let any, !any.contains(where: has) {
            switch any.count {
            case 0: lines.append("\(word): a role that no user can have")
            case 1: lines.append("\(word): the role \(any[0])")
            default: lines.append("\(word): one of the roles \(any.joined(separator: ", "))")
            }
        }
        for role in all where !has(role) { lines.append("\(word): the role \(role)") }
        for role in none where held == nil || has(role) {
            lines.append("\(held == nil ? "not allowed" : "held, and not allowed"): the role \(role)")
        }
        return lines
    }
}

extension Evidence {
    /// A line with the rights that a caller has; none where they are unknown.
    static func held(_ noun: String, _ names: [String]?) -> [String] {
        names.map { ["held: \($0.isEmpty ? "no \(noun)" : "\(noun) \(list($0))")"] } ?? []
    }
}
