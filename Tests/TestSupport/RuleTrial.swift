import Bytes
import Declaration
import Model

/// Tries a rule between keys on objects that have members it speaks of, and compares its check with its part of the schema.
package struct RuleTrial {
    private let schema: JSONNode
    /// The values that members are tried with.
    private var values: [(name: String, values: [JSONNode])] = []
    package private(set) var refused = 0
    package private(set) var accepted = 0
    /// Objects of which check and schema say different things.
    package private(set) var disagreements: [String] = []

    package init(_ rule: KeyRule) {
        schema = JSONNode(.object(rule.schema))
        collect(schema)
        var most = 6
        while most > 2, count(of: most) > 20_000 { most -= 1 }
        tryAll([], from: 0, most: most, rule)
    }

    private init() { schema = .object([]) }

    // MARK: Objects

    /// Names and values in a schema.
    private mutating func collect(_ node: JSONNode) {
        for member in node.members ?? [] {
            switch member.name {
            case "required": for name in member.node.array ?? [] { add(name.string ?? "", []) }
            case "dependentRequired":
                for (name, others) in (member.node.members ?? []).map({ ($0.name, $0.node) }) {
                    add(name, [])
                    for other in others.array ?? [] { add(other.string ?? "", []) }
                }
            case "properties":
                for property in member.node.members ?? [] { add(property.name, RuleTrial.values(of: property.node)) }
            case "anyOf", "oneOf", "allOf": for part in member.node.array ?? [] { collect(part) }
            default: collect(member.node)
            }
        }
    }

    private static func values(of schema: JSONNode) -> [JSONNode] {
        if schema["anyOf"] != nil {
            var inner = RuleTrial()
            inner.collect(schema)
            return inner.values.reduce([JSONNode.object([])]) { objects, member in
                objects
                    + objects.flatMap { object in
                        member.values.map { value in
                            JSONNode(.object((object.members ?? []) + [JSONMember(name: member.name, node: value)]))
                        }
                    }
            }
        }
        if let value = schema["const"] { return value.bool == nil ? [value] : [.flag(true), .flag(false)] }
        if schema["minItems"] != nil { return [JSONNode(.array([])), .texts(["a"])] }
        if let texts = schema["contains"]?["enum"]?.array {
            return texts.reduce(into: [JSONNode(.array([]))]) { lists, text in
                lists += lists.map { JSONNode(.array(($0.array ?? []) + [text])) }
            }
        }
        if let pattern = schema["pattern"]?.string {
            let start = pattern.dropFirst()
            return [.text("\(start)a"), .text(String(start.dropLast()))]
        }
        return []
    }

    private mutating func add(_ name: String, _ new: [JSONNode]) {
        guard let index = values.firstIndex(where: { $0.name == name }) else {
            values.append((name, [.text("other")]))
            return add(name, new)
        }
        // Lists are tried with the elements of each other as well.
        let joined = new.compactMap(\.array).flatMap { list in
            values[index].values.compactMap(\.array).map { JSONNode(.array($0 + list)) }
        }
        for value in new + joined where !values[index].values.contains(where: { $0.value == value.value }) {
            values[index].values.append(value)
        }
    }

    /// Number of objects with at most as many members.
    private func count(of most: Int) -> Int {
        var counts = [1] + [Int](repeating: 0, count: most)
        for (_, values) in values {
            for size in (1...most).reversed() { counts[size] += counts[size - 1] * values.count }
        }
        return counts.reduce(0, +)
    }

    private mutating func tryAll(_ members: [JSONMember], from index: Int, most: Int, _ rule: KeyRule) {
        compare(members, rule)
        guard members.count < most else { return }
        for place in index..<values.count {
            for value in values[place].values {
                tryAll(
                    members + [JSONMember(name: values[place].name, node: value)], from: place + 1, most: most, rule)
            }
        }
    }

    private mutating func compare(_ members: [JSONMember], _ rule: KeyRule) {
        let object = JSONNode(.object(members))
        let isKept = rule.violations { object[$0] }.isEmpty
        if isKept { accepted += 1 } else { refused += 1 }
        if isKept != RuleTrial.allows(object, by: schema) {
            disagreements.append(String(decoding: object.serialized, as: UTF8.self))
        }
    }

    // MARK: JSON Schema

    /// The words of JSON Schema that rules use.
    private static func allows(_ object: JSONNode, by schema: JSONNode) -> Bool {
        (schema.members ?? []).allSatisfy { member in
            let parts = member.node.array ?? []
            switch member.name {
            case "required": return parts.allSatisfy { object[$0.string ?? ""] != nil }
            case "dependentRequired":
                return (member.node.members ?? []).allSatisfy { rule in
                    object[rule.name] == nil || (rule.node.array ?? []).allSatisfy { object[$0.string ?? ""] != nil }
                }
            case "properties":
                return (member.node.members ?? []).allSatisfy { property in
                    object[property.name].map { allows(value: $0, by: property.node) } ?? true
                }
            case "not": return !allows(object, by: member.node)
            case "anyOf": return parts.contains { allows(object, by: $0) }
            case "oneOf": return parts.count { allows(object, by: $0) } == 1
            case "allOf": return parts.allSatisfy { allows(object, by: $0) }
            case "if":
                let branch = allows(object, by: member.node) ? "then" : "else"
                return schema[branch].map { allows(object, by: $0) } ?? true
            case "then", "else": return true
            default: preconditionFailure("\(member.name) is not tried")
            }
        }
    }

    private static func allows(value: JSONNode, by schema: JSONNode) -> Bool {
        if let isAllowed = schema.bool { return isAllowed }
        if schema["anyOf"] != nil { return value.members == nil || allows(value, by: schema) }
        if let other = schema["const"] { return value.value == other.value }
        if let texts = schema["contains"]?["enum"]?.array {
            return value.array?.contains { element in texts.contains { $0.value == element.value } } ?? true
        }
        if schema["minItems"] != nil { return value.array?.isEmpty != true }
        guard let start = schema["pattern"]?.string?.dropFirst() else {
            preconditionFailure("no word that is tried")
        }
        return value.string.map { $0.hasPrefix(start) } ?? true
    }
}

extension Form {
    /// The objects in it, at any depth.
    package var objects: [ObjectForm] {
        switch self {
        case .object(let form): [form] + form.keys.flatMap(\.form.objects)
        case .list(let form, _, _, _), .map(let form, _, _), .named(_, let form), .described(_, let form):
            form.objects
        case .either(let forms): forms.flatMap(\.objects)
        case .flag, .integer, .text, .pattern, .choice, .schema: []
        }
    }
}
