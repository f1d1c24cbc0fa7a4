import Bytes
import Identity
import Model
import Policy

/// One of two rule sets.
enum Side: Sendable {
    case old, new

    func of<Value>(_ both: Both<Value>) -> Value { self == .old ? both.old : both.new }
}

extension RouteRules {
    /// What it does for a caller to have a value of a role claim, in words that are the same for values that do the same.
    func effects(of value: String, _ mappings: Both<RoleMapping?>) -> [String] {
        let names = Both(names(of: value, mappings.old, rules.old), names(of: value, mappings.new, rules.new))
        let effects = zip(["old", "new"], zip(names.values, roles.values)).flatMap { side, part in
            RouteRules.memberships(of: part.0, in: part.1).map { "\(side) \($0)" }
        }
        // The upstream sees the names.
        return names.isSame ? effects : effects + ["\(names.old) \(names.new)"]
    }

    /// The same of a scope.
    func effects(ofScope name: String) -> [String] {
        zip(["old", "new"], access.map(\.scopes).values).flatMap { side, rule in
            RouteRules.memberships(of: [name], in: rule).map { "\(side) \($0)" }
        }
    }

    /// The scopes that one of the routes names.
    var scopeNames: [String] { access.values.map(\.scopes).flatMap { $0.all + ($0.any ?? []) + $0.none } }

    private func names(of value: String, _ mapping: RoleMapping?, _ rules: RuleSet) -> [String] {
        guard let mapping else { return [] }
        let names = mapping.mappedRoles.isEmpty ? [value] : mapping.mappedRoles[ExactText(value)] ?? [value]
        return names.filter { rules.policy.roles.index(of: $0) != nil }.sorted()
    }

    /// In which parts of a requirement some names are.
    static func memberships(of names: [String], in rule: RoleNames) -> [String] {
        (names.contains { rule.any?.contains($0) == true } ? ["any"] : [])
            + names.filter { rule.all.contains($0) }.map { "all \($0)" }
            + (names.contains { rule.none.contains($0) } ? ["none"] : [])
    }
}

extension ClaimSource {
    /// What a claim says for this to be its value.
    func text(of value: String) -> String { (part == .domain ? "user" : "") + prefix + value }
}
