import Bytes
import Gateway

/// Which roles a caller lacks for a request, as the one who looks after the gateway is told (TOOL-01).
struct MissingRoles {
    private let any: [String]?
    private let all: [String]
    private let none: [String]

    /// - Parameters: names of the roles of which one, all or none is asked for; `any` is nil where that is not.
    init(any: [String]?, all: [String], none: [String]) {
        self.any = any
        self.all = all
        self.none = none
    }

    /// - Parameter requirement: what `/admin/requirements` answers.
    init?(_ requirement: JSONNode?) {
        guard let roles = requirement?["roles"] else { return nil }
        func names(_ member: String) -> [String]? { roles[member]?.array?.compactMap(\.string) }
        any = names("any")
        all = names("all") ?? []
        none = names("none") ?? []
    }

    /// A line for each thing that is wanted.
    ///
    /// - Parameter held: roles of the caller; nil where they are not known, and all that is asked for is said.
    func lines(held: [String]?) -> [String] {
        func has(_ role: String) -> Bool { held?.contains { $0.utf8.elementsEqual(role.utf8) } ?? false }
        let word = held == nil ? "asked for" : "missing"
        var lines: [String] = []
        if let any, !any.contains(where: has) {
            switch any.count {
            case 0: lines.append("\(word): a role that nobody can have")
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
