import Bytes
import Model

/// The values of one claim that rules tell apart.
struct ClaimValues {
    let path: ClaimPath
    /// Whether values stand in one text, with blanks between them.
    var isText = false
    /// Whether it names the caller, so that it is never missing.
    var isName = false
    /// Whether a missing claim differs from one with other values.
    var tellsAbsent = false
    /// Whether a change may concern it: otherwise a value that the rules accept stands for all.
    var isDiffering = false
    /// Elements of a list, with what they do: those with the same effects count alike.
    private var elements: [(text: String, effects: [String])] = []
    private var scalars: [JSONNode] = []
    private var needed = Both<[String]>([], [])
    private var neededScalars = Both<JSONNode?>(nil, nil)
    /// Accounts, with what tells them apart.
    private var named: [(key: String, name: String)] = []

    init(_ path: ClaimPath) { self.path = path }

    // MARK: Collecting

    mutating func add(_ text: String, _ effects: [String]) {
        if let place = elements.firstIndex(where: { $0.text == text }) {
            for effect in effects where !elements[place].effects.contains(effect) {
                elements[place].effects.append(effect)
            }
        } else {
            elements.append((text, effects))
        }
    }

    mutating func add(scalar: JSONNode) { if !scalars.contains(scalar) { scalars.append(scalar) } }

    /// What the rules of a side need.
    mutating func need(_ texts: [String], _ side: Side) {
        if side == .old { needed.old += texts } else { needed.new += texts }
    }

    mutating func need(scalar: JSONNode, _ side: Side) {
        add(scalar: scalar)
        if side == .old { neededScalars.old = scalar } else { neededScalars.new = scalar }
    }

    mutating func require(_ source: ClaimSource, of mapping: RoleMapping, for roles: RoleNames, _ side: Side) {
        for role in roles.all + (roles.any?.prefix(1) ?? []) {
            let value = mapping.mappedRoles.filter { $1.contains(role) }.map(\.key.text).min() ?? role
            need([source.text(of: value)], side)
        }
    }

    mutating func add(_ test: ClaimRule.Test, of side: Side, isDiffering: Bool, _ segments: [String]) {
        self.isDiffering = self.isDiffering || isDiffering
        func node(_ operand: ClaimRule.Operand) -> JSONNode {
            switch operand {
            case .text(let text): .text(text)
            case .number(let number): JSONNode(.number(number))
            case .flag(let flag): .flag(flag)
            case .variable(_, let place): .text(segments.indices.contains(place) ? segments[place] : "")
            }
        }
        switch test {
        case .equals(let operand): need(scalar: node(operand), side)
        case .isIn(let operands):
            for operand in operands { add(scalar: node(operand)) }
            if let first = operands.first { need(scalar: node(first), side) }
        case .contains(let operand):
            let value = node(operand)
            if let text = value.string {
                add(text, ["\(side) contains \(text)"])
                need([text], side)
            } else {
                need(scalar: value, side)
            }
        case .exists(let isExpected):
            tellsAbsent = true
            if isExpected { need(scalar: .text("any"), side) }
        case .domain(let domains):
            for domain in domains { add(scalar: .text("user@\(domain)")) }
            if let first = domains.first { need(scalar: .text("user@\(first)"), side) }
        }
    }

    /// Names of accounts: of those that no rule tells apart, one stands for all.
    mutating func add(accounts names: [String], of users: [User], by mapping: UserMapping, _ route: RouteRules) {
        for name in names {
            let key = route.rules.values.map { rules in
                let user = rules.users.first { mapping.name(of: $0) == name }
                return user.map { "\($0.enabled) \($0.roles.sorted())" } ?? "none"
            }
            if key[0] != key[1] { isDiffering = true }
            named.append((key.joined(separator: ", "), name))
        }
        // Their roles count beside those of the claims.
        if !route.roles.isSame { isDiffering = true }
    }

    // MARK: The axis

    /// Nil where the claim has one value that matters, and it may be missing.
    var axis: Axis? {
        var values: [Axis.Value] = []
        func add(_ value: Axis.Value) {
            if !values.contains(where: { $0.conditions == value.conditions }) { values.append(value) }
        }
        if isName {
            let accounts = named.grouped(by: \.key).map { $0.elements.map(\.name).unique() }
            for names in accounts { add(value(of: names)) }
            // Also where no rule has changed: a route that goes or comes decides otherwise about them.
            add(value(ofOther: accounts.flatMap(\.self)))
            for value in passingValues + (isDiffering ? lists + scalars.map(value(ofScalar:)) : []) { add(value) }
            if isDiffering, let missing = rest.first { add(missing) }
            return Axis(name: path.text, values: values, namesCaller: true)
        }
        for passing in passingValues { add(passing) }
        if isDiffering {
            for value in lists + scalars.map(value(ofScalar:)) + rest { add(value) }
        }
        return values.isEmpty ? nil : Axis(name: path.text, values: values)
    }

    private var groups: [[String]] {
        elements.grouped { $0.effects.sorted() }.map { $0.elements.map(\.text) }
    }

    /// Lists that have all that each side needs.
    private var passingValues: [Axis.Value] {
        let scalars = neededScalars.values.compactMap(\.self).map(value(ofScalar:))
        if elements.isEmpty { return scalars }
        let forbidden = elements.filter { $0.effects.contains { $0.hasSuffix("none") } }.map(\.text)
        let lists = needed.values.filter { !$0.isEmpty }.map { need in
            value(ofList: groups.map { group in group.filter { need.contains($0) && !forbidden.contains($0) } })
        }
        return scalars + lists
    }

    /// Combinations of groups: of each none, some or all.
    private var lists: [Axis.Value] {
        let groups = groups
        if groups.isEmpty { return [] }
        var choices: [[[String]]] = [[]]
        for group in groups {
            let kinds = group.count > 1 ? [[], [group[0]], group] : [[], group]
            choices = choices.flatMap { choice in kinds.map { choice + [$0] } }
            if choices.count > ClaimValues.mostCombinations { return singles(groups) }
        }
        return choices.map(value(ofList:))
    }

    private static let mostCombinations = 243

    /// Where there are too many combinations: none, all, each group alone, and all but each.
    private func singles(_ groups: [[String]]) -> [Axis.Value] {
        let none = groups.map { _ in [String]() }
        return [value(ofList: none), value(ofList: groups)]
            + groups.indices.flatMap { place -> [Axis.Value] in
                var (alone, without) = (none, groups)
                (alone[place], without[place]) = (groups[place], [])
                return [value(ofList: alone), value(ofList: without)]
            }
    }

    /// Missing, and others than any that is named.
    private var rest: [Axis.Value] {
        let path = path
        var values = [
            Axis.Value(
                label: elements.isEmpty ? "without \(path.text)" : "", condition: .object([("absent", .flag(true))])
            ) { _ in }
        ]
        let names = scalars.compactMap(\.string) + elements.map(\.text)
        let other = PathCell.fresh(names)
        if !scalars.isEmpty || tellsAbsent {
            values.append(
                Axis.Value(
                    label: "another \(path.text)",
                    condition: .object([("otherThan", JSONNode(.array(scalars + elements.map { .text($0.text) })))])
                ) { $0.claims.append((path, .text(other))) })
        }
        return values
    }

    // MARK: Values

    /// - Parameter chosen: the elements of each group that the list has.
    private func value(ofList chosen: [[String]]) -> Axis.Value {
        let (path, isText, tellsAbsent) = (path, isText, tellsAbsent)
        let parts = zip(groups, chosen).map { group, has in GroupPart(group: group, has: has) }
        let labels = [("with", parts.filter { !$0.has.isEmpty }), ("without", parts.filter(\.has.isEmpty))]
            .filter { !$1.isEmpty }.map { "\($0) \(path.text) \($1.map(\.text).joined(separator: " and "))" }
        let has = chosen.flatMap(\.self)
        return Axis.Value(
            label: labels.joined(separator: ", "),
            condition: .object([("groups", JSONNode(.array(parts.map(\.condition))))])
        ) { draft in
            // A list of others differs from none where rules tell them apart.
            let texts = has.isEmpty && tellsAbsent ? ["other"] : has
            if texts.isEmpty { return }
            draft.claims.append((path, isText ? .text(texts.joined(separator: " ")) : .texts(texts)))
        }
    }

    /// What a list has of elements that count alike.
    private struct GroupPart {
        let group: [String]
        let has: [String]

        var text: String {
            let names = Names.list(group)
            return group.count > 1 ? "\(!has.isEmpty && has.count < group.count ? "some" : "all") of \(names)" : names
        }

        var condition: JSONNode {
            let held = has.isEmpty ? "none" : has.count < group.count ? "some" : "all"
            return .object([("of", .texts(group)), ("held", .text(held))])
        }
    }

    private func value(ofScalar scalar: JSONNode) -> Axis.Value {
        let path = path
        let text = scalar.string ?? scalar.onOneLine
        return Axis.Value(label: "with \(path.text) \(text)", condition: .object([("is", scalar)])) {
            $0.claims.append((path, scalar))
        }
    }

    private func value(of accounts: [String]) -> Axis.Value {
        let path = path
        return Axis.Value(label: Names.list(accounts), condition: .object([("in", .texts(accounts))])) {
            $0.claims.append((path, .text(accounts[0])))
        }
    }

    private func value(ofOther accounts: [String]) -> Axis.Value {
        let path = path
        let other = PathCell.fresh(accounts, "someone")
        return Axis.Value(
            label: accounts.isEmpty ? "" : "without an account", condition: .object([("notIn", .texts(accounts))])
        ) { $0.claims.append((path, .text(other))) }
    }
}

extension UserMapping {
    /// The name by which claims find an account.
    func name(of user: User) -> String { self == .mail ? user.email : user.username }
}
