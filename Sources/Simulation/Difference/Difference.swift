import Bytes
import Model
import Policy

/// How the decisions of two configurations differ, computed from the rules: requests are divided into sets that neither
/// configuration tells apart, and one request of each set is decided by both.
package struct Difference: Sendable {
    /// Those who gain access first, then those who lose it.
    package private(set) var classes: [DifferenceClass] = []
    /// What may differ and is not decided here, such as by a policy server.
    package private(set) var undecided: [String] = []

    private let rules: Both<RuleSet>
    private let sources: [CallerSource]
    /// Pairs of which a class was found, and a caller that one of the rule sets lets in.
    private var shownPairs: Set<Pair> = []
    /// Combinations that may still be tried.
    private var budget: Int

    /// - Parameters:
    ///   - host: of requests for hosts that no route names, where none of these is it.
    ///   - budget: how many requests are decided at most; what is left is undecided.
    package init(from old: RuleSet, to new: RuleSet, host: String, budget: Int = 500_000) {
        rules = Both(old, new)
        self.budget = budget
        sources = CallerSource.all(rules)
        var cells = RequestCell.all(rules, host: host)
        var found = FoundClasses()
        if cells.count > Difference.mostCells {
            found.omit("there are \(cells.count) sets of requests, of which \(Difference.mostCells) are compared")
            cells.removeLast(cells.count - Difference.mostCells)
        }
        for place in cells.indices { cells[place].number = place }
        let methods = RequestMethods.all(rules)
        let requests = cells.indices.flatMap { place in methods.map { (place: place, method: $0) } }
        let pairs = requests.grouped { place, method in
            var request = cells[place].witness
            request.method = method
            return Pair(old: old.simulator.target(of: request), new: new.simulator.target(of: request))
        }
        for (pair, requests) in pairs {
            for (method, requests) in requests.grouped(by: \.method) {
                compare(pair, method, cells: requests.map { cells[$0.place] }, into: &found)
            }
        }
        classes = found.classes
        let changed = pairs.flatMap { changedServers($0.key) } + unexplained(pairs.map(\.key))
        undecided = (changed + found.omissions).unique()
    }

    /// What is asked of others or of messages, and by other rules than before.
    private func changedServers(_ pair: Pair) -> [String] {
        guard let old = rules.old.route(pair.old)?.entry, let new = rules.new.route(pair.new)?.entry else { return [] }
        let servers = new.access.policyServers.filter { name in
            old.access.policyServers.contains(name) && rules.old.policyServers[name] != rules.new.policyServers[name]
        }
        let certificates = Both(old.access.clientCertificate, new.access.clientCertificate)
        let changes = [
            (old.options.mcp != nil && new.options.mcp != nil && old.options.mcp != new.options.mcp, "messages"),
            (certificates.values.allSatisfy { $0 != nil } && !certificates.isSame, "client certificates"),
            (old.options.takesCertificates != new.options.takesCertificates, "users of client certificates"),
            (old.options.keptSpellings != new.options.keptSpellings, "encoded and double slashes"),
            (Difference.hasOthers(old, new), "credentials that cannot be described"),
        ]
        return servers.map { "the policy server \($0) is asked in another way on \(new.name)" }
            + changes.filter(\.0).map { "\($0.1) are judged by other rules on \(new.name)" }
    }

    /// Whether the lists of credentials differ, and have some that no described caller shows.
    private static func hasOthers(_ old: RouteEntry, _ new: RouteEntry) -> Bool {
        let lists = [old.options.authenticators ?? [], new.options.authenticators ?? []]
        return lists[0] != lists[1]
            && lists.joined().contains { entry in
                entry.needsKey || entry.kind.name == "basic" && entry.issuer != nil
                    || ["saml", "anonymousKey"].contains(entry.kind.name)
            }
    }

    /// What has changed and shows in no class, so that what it does is not known.
    private func unexplained(_ pairs: [Pair]) -> [String] {
        let settings = rules.map(\.settings)
        let names = Set(settings.old.keys).union(settings.new.keys)
        let changed = names.filter { settings.old[$0] != settings.new[$0] && !$0.isHarmless }
        let shown = Set(classes.flatMap(\.settings))
        var routes: Set<String> = []
        for pair in pairs where shownPairs.contains(pair) {
            routes.formUnion([rules.old.route(pair.old), rules.new.route(pair.new)].compactMap { $0?.entry.name })
        }
        return changed.filter { setting in
            if case .route(let name) = setting {
                return !routes.contains { $0 == name || $0.hasPrefix("\(name) ") }
            }
            return !shown.contains(setting)
        }
        .map { "\($0.text) has changed, and what that does is not computed" }.sorted()
    }

    /// What has changed besides, and has no part in who is let in.
    package var harmlessChanges: [String] {
        let settings = rules.map(\.settings)
        return Set(settings.old.keys).union(settings.new.keys)
            .filter { $0.isHarmless && settings.old[$0] != settings.new[$0] }.map(\.text).sorted()
    }

    /// Whether someone is let in who was not before.
    package var someoneGains: Bool { classes.contains { $0.change.access == .gained } }

    fileprivate struct Pair: Hashable {
        let old: RequestTarget
        let new: RequestTarget
    }

    private mutating func compare(
        _ pair: Pair, _ method: String, cells: [RequestCell], into found: inout FoundClasses
    ) {
        let cell = cells[0]
        let route = RouteRules(rules, Both(pair.old, pair.new), method: method, path: cell.path)
        let requestAxes = route.requestAxes
        var (isShown, isReached) = (false, false)
        for source in sources {
            let axes = requestAxes + source.axes(route)
            var boxes: [DifferenceClass.Change: [Box]] = [:]
            let combinations = axes.reduce(1) { min($0 * $1.values.count, Difference.mostCombinations + 1) }
            guard combinations <= min(budget, Difference.mostCombinations) else {
                found.omit("too many combinations on \(cell.path.pattern) for \(source.label)")
                continue
            }
            budget -= combinations
            Difference.each(axes) { places in
                let request = Difference.request(cell, method, axes: axes, places: places, source: source)
                let verdicts = rules.map { $0.simulator.verdict(on: request) }
                isReached = isReached || source != .anonymous && verdicts.values.contains(where: \.isAdmitted)
                guard let change = Difference.change(verdicts) else { return }
                isShown = true
                boxes[change, default: []].append(Box(places: places.map { [$0] }))
            }
            for (change, all) in boxes {
                for box in Box.merged(all) {
                    let witness = Difference.request(
                        cell, method, axes: axes, places: box.places.map { $0[0] }, source: source)
                    let properties = zip(axes, box.places).filter { $0.values.count != $1.count }
                        .map { DifferenceClass.Property($0, $1) }
                    found.add(
                        change, source, properties: properties, witness: witness, cells: cells, method: method)
                }
            }
        }
        if isShown, isReached || route.routes.values.contains(where: { $0 == nil }) { shownPairs.insert(pair) }
    }

    /// Sets of requests that are compared at most.
    private static let mostCells = 20_000

    /// For one kind of caller on one method of a pair.
    private static let mostCombinations = 50_000

    /// Each combination of values of the axes, by their places.
    private static func each(_ axes: [Axis], _ body: ([Int]) -> Void) {
        var places = axes.map { _ in 0 }
        while true {
            body(places)
            var axis = 0
            while axis < axes.count {
                places[axis] += 1
                if places[axis] < axes[axis].values.count { break }
                places[axis] = 0
                axis += 1
            }
            if axis == axes.count { return }
        }
    }

    private static func request(
        _ cell: RequestCell, _ method: String, axes: [Axis], places: [Int], source: CallerSource
    ) -> RequestDescription {
        var draft = RequestDraft(cell.witness)
        draft.request.method = method
        for (axis, place) in zip(axes, places) { axis.values[place].apply(&draft) }
        draft.request.caller = source.caller(draft)
        return draft.request
    }

    /// What differs about a request; nil for nothing.
    private static func change(_ verdicts: Both<Verdict>) -> DifferenceClass.Change? {
        let (before, after) = (verdicts.old.summary, verdicts.new.summary)
        let details = Difference.details(verdicts)
        guard before != after || !details.isEmpty else { return nil }
        let access: DifferenceClass.Access =
            switch (verdicts.old.isAdmitted, verdicts.new.isAdmitted) {
            case (false, true): .gained
            case (true, false): .lost
            case (false, false): .changed
            case (true, true): verdicts.new.strictness(against: verdicts.old)
            }
        return DifferenceClass.Change(access: access, before: before, after: after, details: details)
    }

    private static func details(_ verdicts: Both<Verdict>) -> [String] {
        guard verdicts.old.outcome == .forwarded, verdicts.new.outcome == .forwarded else { return [] }
        var lines: [String] = []
        func compare(_ name: String, _ values: Both<String?>) {
            if values.isSame { return }
            lines.append("\(name): \(values.old ?? "none") -> \(values.new ?? "none")")
        }
        /// The value of a new field, or of one that is gone, is another one for each caller.
        func compareField(_ name: String, _ values: Both<String?>) {
            guard values.old == nil || values.new == nil else { return compare(name, values) }
            if !values.isSame { lines.append("\(name): \(values.old == nil ? "added" : "gone")") }
        }
        for name in verdicts.values.flatMap({ $0.fields.map(\.name) }).unique() {
            compareField(name, verdicts.map { one in one.fields.first { $0.name == name }?.value })
        }
        func list(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: ", ") }
        compare("token", verdicts.map { list($0.tokens.map { "\($0.issuer) in \($0.field)" }) })
        compare("credential", verdicts.map { $0.passesCredential ? "forwarded" : nil })
        compare("sent as", verdicts.map(\.rewritten))
        compare("policy servers", verdicts.map { list($0.policyServers) })
        compare("messages", verdicts.map { $0.judgesMessages ? "judged" : nil })
        return lines
    }
}

extension Verdict {
    /// Who gains where both let a request in: what is asked less admits more.
    fileprivate func strictness(against old: Verdict) -> DifferenceClass.Access {
        let (servers, former) = (Set(policyServers), Set(old.policyServers))
        if !former.isSubset(of: servers) || old.judgesMessages && !judgesMessages { return .gained }
        return servers != former || judgesMessages != old.judgesMessages ? .lost : .changed
    }
}

/// The classes of a difference, merged where they differ only in their requests.
private struct FoundClasses {
    private struct Key: Hashable {
        let change: DifferenceClass.Change
        let source: CallerSource
        let properties: [DifferenceClass.Property]
    }

    private var found: [(key: Key, witness: RequestDescription, cells: [RequestCell], method: String)] = []
    /// What was not tried.
    private(set) var omissions: [String] = []

    mutating func omit(_ text: String) { if !omissions.contains(text) { omissions.append(text) } }

    mutating func add(
        _ change: DifferenceClass.Change, _ source: CallerSource, properties: [DifferenceClass.Property],
        witness: RequestDescription, cells: [RequestCell], method: String
    ) {
        found.append((Key(change: change, source: source, properties: properties), witness, cells, method))
    }

    var classes: [DifferenceClass] {
        let all = found.grouped(by: \.key).map { key, found in
            let requests = found.flatMap { one in one.cells.map { (cell: $0, method: one.method) } }
            let cells = requests.grouped(by: \.cell.number).map { _, same in
                (cell: same[0].cell, methods: same.map(\.method).unique())
            }
            return DifferenceClass(
                key.change, key.source, properties: key.properties, witness: found[0].witness, cells: cells,
                places: FoundClasses.places(cells))
        }
        return DifferenceClass.Access.allCases.flatMap { access in all.filter { $0.change.access == access } }
    }

    /// For people: sets within another one with the same methods are left out.
    private static func places(_ cells: [(cell: RequestCell, methods: [String])]) -> [DifferenceClass.Place] {
        let groups = Dictionary(grouping: cells) { Beside($0.cell, $0.methods) }
            .mapValues { group in PathCells(group.map(\.cell.path)) }
        let places = cells.compactMap { entry -> DifferenceClass.Place? in
            guard let same = groups[Beside(entry.cell, entry.methods)], !same.cover(entry.cell.path) else { return nil }
            let excepted = entry.cell.path.exceptions.filter { !same.have($0, inPlaceOfLastOf: entry.cell.path) }
                .map { "\(entry.cell.path.parent)\($0)" }
            let pattern =
                ([entry.cell.pattern] + entry.cell.conditions.map(\.text)).joined(separator: " ")
                + (excepted.isEmpty ? "" : " except \(Names.list(excepted))")
            return DifferenceClass.Place(methods: RequestMethods.text(entry.methods), pattern: pattern)
        }
        return places.unique()
    }
}

/// What sets of requests have in common that are shown together.
private struct Beside: Hashable {
    let methods: [String]
    let host: HostPattern?
    let conditions: [RequestCell.Condition]

    init(_ cell: RequestCell, _ methods: [String]) {
        (self.methods, host, conditions) = (methods, cell.host, cell.conditions)
    }
}

extension RequestCell {
    fileprivate var pattern: String { (host.map { "\($0)" } ?? "") + path.pattern }
}

extension RequestCell.Condition {
    fileprivate var text: String {
        switch value {
        case .absent: "without \(name)"
        case .equal(let text): "with \(name)=\(text)"
        case .other: "with another \(name)"
        }
    }
}

/// The methods that rules tell apart.
private enum RequestMethods {
    /// A method that no rule names.
    private static let other = "OTHER"
    private static let usual = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// For people.
    static func text(_ methods: [String]) -> String {
        let others = methods.filter { !$0.hasPrefix(other) }
        if others.count < methods.count, usual.allSatisfy(methods.contains) { return "any method" }
        return (others + (others.count < methods.count ? ["other methods"] : [])).joined(separator: ",")
    }

    static func all(_ rules: Both<RuleSet>) -> [String] {
        let named = rules.values.flatMap(\.policy.routes.routes).flatMap(\.entry.methods).map(\.method)
        let methods = (usual + named).unique()
        return methods + [PathCell.fresh(methods, other)]
    }
}
