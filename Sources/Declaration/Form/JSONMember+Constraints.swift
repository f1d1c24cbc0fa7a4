import Bytes

extension [JSONMember] {
    private static let joinable = ["required", "dependentRequired", "allOf"]

    /// Adds constraints so that no name stands twice (RFC 8259 section 4): lists of required members are joined, and other
    /// constraints with the same names apply beside each other (`allOf`).
    package mutating func constrain(_ members: [JSONMember]) {
        var others: [JSONMember] = []
        for member in members {
            guard Self.joinable.contains(member.name) else {
                others.append(member)
                continue
            }
            guard let index = firstIndex(where: { $0.name == member.name }) else {
                append(member)
                continue
            }
            self[index].node = self[index].node.joined(with: member.node)
        }
        // `if` stays with `then` or `else`.
        guard others.contains(where: { other in contains { $0.name == other.name } }) else {
            self += others
            return
        }
        constrain([JSONMember(name: "allOf", node: JSONNode(.array([JSONNode(.object(others))])))])
    }
}

extension JSONNode {
    /// The elements or members of both, each once.
    fileprivate func joined(with other: JSONNode) -> JSONNode {
        switch (value, other.value) {
        case (.array(let one), .array(let two)):
            return JSONNode(.array(one + two.filter { new in !one.contains { $0.value == new.value } }))
        case (.object(var members), .object(let two)):
            for member in two {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index].node = members[index].node.joined(with: member.node)
                } else {
                    members.append(member)
                }
            }
            return JSONNode(.object(members))
        default: preconditionFailure("constraints of different types")
        }
    }
}

extension JSONMember {
    /// These members are required.
    package static func required(_ names: String...) -> JSONMember { JSONMember(name: "required", node: .texts(names)) }

    /// Each of these members requires another one.
    package static func needs(_ name: String, for others: [String]) -> JSONMember {
        JSONMember(name: "dependentRequired", node: .object(others.map { ($0, .texts([name])) }))
    }
}
