import Bytes

/// A condition on the members of an object.
package indirect enum KeyCondition: Sendable {
    case has(String)
    /// The member has this value, a text or a truth value.
    case value(String, JSONNode)
    /// The member is there, and no empty list.
    case hasElements(String)
    /// The member is a list with one of these texts.
    case contains(String, [String])
    /// The member is a text that begins with letters and signs of no meaning in patterns.
    case begins(String, with: String)
    /// The member is there, and no object for which a condition does not hold.
    case within(String, KeyCondition)
    case not(KeyCondition)
    case all([KeyCondition])
    case any([KeyCondition])

    package static func equals(_ name: String, _ text: String) -> KeyCondition { .value(name, .text(text)) }
    package static func isOn(_ name: String) -> KeyCondition { .value(name, .flag(true)) }
    package static func isOff(_ name: String) -> KeyCondition { .value(name, .flag(false)) }
    package static func hasAny(_ names: String...) -> KeyCondition { .any(names.map(KeyCondition.has)) }
    /// The member is there with another value.
    package static func differs(_ name: String, _ value: JSONNode) -> KeyCondition {
        .all([.has(name), .not(.value(name, value))])
    }

    /// - Parameter member: the value of a member; nil for one that the object lacks.
    package func holds(_ member: (String) -> JSONNode?) -> Bool {
        switch self {
        case .has(let name): member(name) != nil
        case .value(let name, let value): member(name)?.value == value.value
        case .hasElements(let name): member(name).map { $0.array?.isEmpty != true } ?? false
        case .contains(let name, let texts):
            member(name).map { $0.array?.contains { $0.string.map(texts.contains) ?? false } ?? true } ?? false
        case .begins(let name, let start): member(name)?.string?.hasPrefix(start) ?? false
        case .within(let name, let condition):
            member(name).map { object in object.members == nil || condition.holds { object[$0] } } ?? false
        case .not(let condition): !condition.holds(member)
        case .all(let conditions): conditions.allSatisfy { $0.holds(member) }
        case .any(let conditions): conditions.contains { $0.holds(member) }
        }
    }

    /// The condition as members of a JSON Schema.
    package var schema: [JSONMember] {
        switch self {
        case .has(let name): [.required(name)]
        case .value(let name, let value): KeyCondition.property(name, "const", value)
        case .hasElements(let name): KeyCondition.property(name, "minItems", .number(1))
        case .contains(let name, let texts):
            KeyCondition.property(name, "contains", .object([("enum", .texts(texts))]))
        case .begins(let name, let start): KeyCondition.property(name, "pattern", .text("^\(start)"))
        case .within(let name, let condition):
            [
                JSONMember(name: "properties", node: .object([(name, JSONNode(.object(condition.schema)))])),
                .required(name),
            ]
        case .not(let condition): [JSONMember(name: "not", node: JSONNode(.object(condition.schema)))]
        case .all(let conditions): conditions.reduce(into: []) { $0.constrain($1.schema) }
        case .any(let conditions):
            [JSONMember(name: "anyOf", node: JSONNode(.array(conditions.map { JSONNode(.object($0.schema)) })))]
        }
    }

    private static func property(_ name: String, _ keyword: String, _ value: JSONNode) -> [JSONMember] {
        [
            JSONMember(name: "properties", node: .object([(name, .object([(keyword, value)]))])), .required(name),
        ]
    }

    /// What an object needs so that the condition holds.
    package var words: String {
        switch self {
        case .has(let name), .hasElements(let name): "\"\(name)\""
        case .value(let name, let value): "\"\(name)\": \(value.onOneLine)"
        case .contains(let name, let texts):
            "\"\(name)\" with \(KeyCondition.list(texts.map { "\"\($0)\"" }, "or"))"
        case .begins(let name, let start): "\"\(name)\": \"\(start)…\""
        case .within(let name, let condition): "\"\(name)\" with \(condition.words)"
        case .not(let condition): "no \(condition.words)"
        case .all(let conditions): KeyCondition.list(conditions.map(\.words), "and")
        case .any(let conditions): KeyCondition.list(conditions.map(\.words), "or")
        }
    }

    /// The member that keeps the condition from holding; nil for one that is missing, or for several.
    package func obstacle(_ member: (String) -> JSONNode?) -> String? {
        guard case .not(let condition) = self else { return nil }
        let parts = if case .any(let conditions) = condition { conditions } else { [condition] }
        let names = parts.compactMap { part in if case .has(let name) = part { name } else { nil } }
        return names.count == parts.count ? names.first { member($0) != nil } : nil
    }

    package static func list(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}
