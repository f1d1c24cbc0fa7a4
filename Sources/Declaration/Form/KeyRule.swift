import Bytes

/// A rule between the keys of an object. One declaration gives the check, its message, and the part of the JSON Schema.
package struct KeyRule: Sendable {
    /// A key that breaks a rule, or the object itself, and what is said about it.
    package struct Violation: Equatable {
        /// Nil for the object.
        package let name: String?
        package let message: String
        package let expected: String
    }

    fileprivate enum Demand: Sendable {
        case one([String], isRequired: Bool, isOnly: Bool)
        case keys([String])
        case condition(KeyCondition, at: String?)
        case only([String], KeyCondition)
    }

    private let demand: Demand
    /// The objects that it is about; nil for all.
    private var scope: KeyCondition?
    /// What is said of what is missing, and of what is too much; nil for the usual words.
    private let missing: String?
    private let excess: String?
    private let expected: String?

    private init(
        _ demand: Demand, if scope: KeyCondition? = nil, missing: String? = nil, excess: String? = nil,
        expected: String? = nil
    ) {
        (self.demand, self.scope, self.missing, self.excess, self.expected) = (demand, scope, missing, excess, expected)
    }

    // MARK: Kinds

    /// - Parameters:
    ///   - none: the message for an object without any of them; that the first one is missing by default.
    ///   - several: the message for each key after the first; that it and the first exclude each other by default.
    ///   - expected: what an object without any of them needs; one of the keys by default.
    package static func exactlyOne(
        of names: String..., none: String? = nil, several: String? = nil, expected: String? = nil
    ) -> KeyRule {
        KeyRule(
            .one(names, isRequired: true, isOnly: true), missing: none, excess: several, expected: expected)
    }

    package static func exactlyOne(of names: [String], none: String? = nil) -> KeyRule {
        KeyRule(.one(names, isRequired: true, isOnly: true), missing: none)
    }

    package static func atLeastOne(of names: String..., because: String? = nil) -> KeyRule {
        KeyRule(.one(names, isRequired: true, isOnly: false), missing: because)
    }

    package static func atMostOne(of names: String..., because: String? = nil) -> KeyRule {
        KeyRule(.one(names, isRequired: false, isOnly: true), excess: because)
    }

    /// Keys that objects need if a condition holds.
    package static func requires(
        _ names: String..., if scope: KeyCondition? = nil, because: String? = nil, expected: String? = nil
    ) -> KeyRule {
        KeyRule(.keys(names), if: scope, missing: because, expected: expected)
    }

    package static func requires(_ names: [String], if scope: KeyCondition? = nil) -> KeyRule {
        KeyRule(.keys(names), if: scope)
    }

    /// A condition that holds for all objects, or for those of another condition.
    /// - Parameter name: the key that is reported; nil for the object.
    package static func requires(
        _ condition: KeyCondition, if scope: KeyCondition? = nil, at name: String? = nil, because: String,
        expected: String? = nil
    ) -> KeyRule {
        KeyRule(.condition(condition, at: name), if: scope, missing: because, expected: expected)
    }

    /// Keys that objects have only if a condition holds.
    package static func only(
        _ names: String..., with condition: KeyCondition, because: String? = nil, expected: String? = nil
    ) -> KeyRule {
        only(names, with: condition, because: because, expected: expected)
    }

    package static func only(
        _ names: [String], with condition: KeyCondition, because: String? = nil, expected: String? = nil
    ) -> KeyRule {
        KeyRule(.only(names, condition), excess: because, expected: expected)
    }

    /// The same rule for the objects of a condition.
    package func when(_ condition: KeyCondition) -> KeyRule {
        var rule = self
        rule.scope = scope.map { .all([condition, $0]) } ?? condition
        return rule
    }

    // MARK: Check

    /// - Parameter member: the value of a member; nil for one that the object lacks.
    package func violations(_ member: (String) -> JSONNode?) -> [Violation] {
        if let scope, !scope.holds(member) { return [] }
        switch demand {
        case .one(let names, let isRequired, let isOnly):
            let given = names.filter { member($0) != nil }
            if given.isEmpty { return isRequired ? [none(of: names)] : [] }
            return isOnly ? given.dropFirst().map { KeyRule.conflict($0, beside: given[0], excess, names) } : []
        case .keys(let names):
            return names.filter { member($0) == nil }.map { name in
                Violation(
                    name: name, message: missing ?? "required member \"\(name)\" is missing",
                    expected: expected ?? "\"\(name)\"\(scope.map { " beside \($0.words)" } ?? "")")
            }
        case .condition(let condition, let name):
            return condition.holds(member)
                ? [] : [Violation(name: name, message: missing ?? "", expected: expected ?? condition.words)]
        case .only(let names, let condition):
            if condition.holds(member) { return [] }
            let obstacle = condition.obstacle(member)
            return names.filter { member($0) != nil }.map { name in
                if excess == nil, let obstacle { return KeyRule.conflict(name, beside: obstacle, nil, []) }
                return Violation(
                    name: name, message: excess ?? "\"\(name)\" needs \(condition.words)",
                    expected: expected ?? obstacle.map { "no \"\(name)\" beside \"\($0)\"" } ?? condition.words)
            }
        }
    }

    private func none(of names: [String]) -> Violation {
        Violation(
            name: missing == nil ? names[0] : nil, message: missing ?? "required member \"\(names[0])\" is missing",
            expected: expected ?? KeyCondition.list(names.map { "\"\($0)\"" }, "or"))
    }

    private static func conflict(
        _ name: String, beside other: String, _ message: String?, _ names: [String]
    ) -> Violation {
        Violation(
            name: name, message: message ?? "\"\(name)\" and \"\(other)\" exclude each other",
            expected: message == nil
                ? "one of the two" : "one of \(KeyCondition.list(names.map { "\"\($0)\"" }, "and"))")
    }

    // MARK: Schema

    /// The rule as members of a JSON Schema.
    package var schema: [JSONMember] {
        guard let scope else { return demand.schema }
        if case .has(let name) = scope, case .keys(let names) = demand {
            return [JSONMember(name: "dependentRequired", node: .object([(name, .texts(names))]))]
        }
        return [
            JSONMember(name: "if", node: JSONNode(.object(scope.schema))),
            JSONMember(name: "then", node: JSONNode(.object(demand.schema))),
        ]
    }
}

extension KeyRule.Demand {
    fileprivate var schema: [JSONMember] {
        switch self {
        case .one(let names, let isRequired, let isOnly):
            let each = names.map(KeyCondition.has)
            if !isOnly { return KeyCondition.any(each).schema }
            if !isRequired, names.count == 2 { return KeyCondition.not(.all(each)).schema }
            let choices = isRequired ? each : each + [.not(.any(each))]
            return [JSONMember(name: "oneOf", node: JSONNode(.array(choices.map { JSONNode(.object($0.schema)) })))]
        case .keys(let names): return [JSONMember(name: "required", node: .texts(names))]
        case .condition(let condition, _): return condition.schema
        case .only(let names, .has(let other)): return [.needs(other, for: names)]
        case .only(let names, let condition):
            let without = JSONNode.object([("properties", .object(names.map { ($0, .flag(false)) }))])
            let (branch, tested) =
                if case .not(let obstacle) = condition { ("then", obstacle) } else { ("else", condition) }
            return [
                JSONMember(name: "if", node: JSONNode(.object(tested.schema))), JSONMember(name: branch, node: without),
            ]
        }
    }
}
