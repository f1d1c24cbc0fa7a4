import Bytes
import Model

/// A property of requests that rules look at, and the values that they tell apart.
struct Axis: Sendable {
    /// Such as `method`, `user` or the path of a claim.
    let name: String
    /// Each value stands for all that rules do not tell from it. Where an axis has no part in a difference, the first counts.
    var values: [Value]
    /// Whether it names the caller.
    var namesCaller = false

    /// A value, or a set of values that count alike.
    struct Value: Sendable {
        /// For people, such as `with role admin`, one of these; empty where nothing need be said.
        let labels: [String]
        /// The same for programs.
        let conditions: [JSONNode]
        let apply: @Sendable (inout RequestDraft) -> Void

        init(labels: [String], conditions: [JSONNode], apply: @escaping @Sendable (inout RequestDraft) -> Void) {
            (self.labels, self.conditions, self.apply) = (labels, conditions, apply)
        }

        init(label: String, condition: JSONNode, apply: @escaping @Sendable (inout RequestDraft) -> Void) {
            self.init(labels: label.isEmpty ? [] : [label], conditions: [condition], apply: apply)
        }
    }
}

/// A request in the making.
struct RequestDraft: Sendable {
    var request: RequestDescription
    /// Claims of the token, by path.
    var claims: [(path: ClaimPath, value: JSONNode)] = []
    var client: String?
    var user: String?
    /// The mobile backend beside name and password.
    var backend: String?
    var consumer: String?
    var scopes: [String] = []

    init(_ request: RequestDescription) { self.request = request }

    /// The claims as an object.
    var claimSet: JSONNode {
        claims.reduce(.object([])) { node, claim in claim.path.setting(claim.value, in: node) }
    }
}

extension ClaimPath {
    /// An object with a value at the path; members of others stay.
    func setting(_ value: JSONNode, in node: JSONNode) -> JSONNode {
        func set(_ node: JSONNode?, _ names: ArraySlice<String>) -> JSONNode {
            guard let name = names.first else { return value }
            var members = node?.members ?? []
            let inner = set(node?[name], names.dropFirst())
            if let place = members.firstIndex(where: { $0.name.isExactly(name) }) {
                members[place] = JSONMember(name: name, node: inner)
            } else {
                members.append(JSONMember(name: name, node: inner))
            }
            return JSONNode(.object(members))
        }
        return set(node, names[...])
    }
}

/// Combinations of values: of each axis, by its place, the places of some values.
struct Box: Hashable, Sendable {
    var places: [[Int]]

    /// As few boxes as merging finds that have the same combinations.
    static func merged(_ boxes: [Box]) -> [Box] {
        var boxes = boxes
        guard let width = boxes.first?.places.count else { return [] }
        var isDone = false
        while !isDone {
            isDone = true
            for axis in 0..<width {
                let groups = boxes.grouped { box in
                    var rest = box
                    rest.places[axis] = []
                    return rest
                }
                if groups.count < boxes.count { isDone = false }
                boxes = groups.map { rest, same in
                    var box = rest
                    box.places[axis] = Set(same.flatMap { $0.places[axis] }).sorted()
                    return box
                }
            }
        }
        return boxes
    }
}

/// Lists of names for people.
enum Names {
    private static let most = 5

    /// The names, or one text for many.
    static func few(_ names: [String]) -> [String] { names.count <= most ? names : [list(names)] }

    static func list(_ names: [String]) -> String {
        if names.count <= most { return names.joined(separator: ", ") }
        return "\(names.prefix(most - 1).joined(separator: ", ")) and \(names.count - most + 1) others"
    }
}
