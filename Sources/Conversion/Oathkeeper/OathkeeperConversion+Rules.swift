import Bytes
import Model

extension OathkeeperConversion {
    /// A set of paths, methods and hosts, and what its requests get.
    private struct Decision {
        var pattern: String
        var methods: [String]
        var hosts: [String]
        /// Index of a rule; nil where requests are refused.
        var rule: Int?
        /// Names of the rules that refuse.
        var reason = ""
    }

    mutating func convertRules(_ rules: [OathkeeperRule]) {
        let outcomes = rules.map { outcome(of: $0) }
        for rule in rules {
            guard let match = rule.match else { continue }
            let patterns = match.parts.flatMap { $0.paths.served.map(\.pattern) }
            if match.isExact {
                note(.translated, rule, "match.url", patterns.isEmpty ? "no request" : unique(patterns))
            } else {
                note(
                    .attention, rule, "match.url",
                    patterns.isEmpty
                        ? "there is no path pattern for this expression, and what it may match is refused; write routes with * or {name} for a segment and ** for the rest"
                        : "only \(unique(patterns)) is served, and what else it may match is refused; write further routes"
                )
            }
        }
        var decisions: [Decision] = []
        var hosts: [String?] = [nil]
        for name in rules.flatMap({ $0.match?.parts.compactMap(\.host) ?? [] }) where !hosts.contains(name) {
            hosts.append(name)
        }
        for host in hosts {
            for decision in decide(rules, host: host) { merge(decision, into: &decisions) }
        }
        for (name, entries) in [
            ("upstreams", upstreams), ("policyServers", policyServers), ("issuers", issuers),
        ] where !entries.isEmpty { section(name, .object(entries)) }
        if !trustedIssuers.isEmpty { section("trustedIssuers", JSONNode(.array(trustedIssuers.map(\.value)))) }
        noteOverlaps(rules)
        var used: Set<String> = []
        for decision in decisions { add(decision, rules, outcomes, &used) }
        if result.routes.isEmpty {
            result.routes.append(.init(value: ConvertedConfiguration.denial("/**", name: "no rule", status: 404)))
        }
    }

    private func unique(_ texts: [String]) -> String {
        texts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", ")
    }

    // MARK: Decisions

    /// For each pattern and method the rule, or those that refuse. Several cells may have one pattern.
    private struct DecisionTable {
        private var order: [String] = []
        private var found: [String: [String: (rule: Int?, reason: String)]] = [:]

        mutating func set(_ pattern: String, _ method: String, rule: Int?, reason: String) {
            if found[pattern] == nil { order.append(pattern) }
            let before = found[pattern]?[method]
            if let before, before.rule == nil || before.rule == rule { return }
            found[pattern, default: [:]][method] = before == nil ? (rule, reason) : (nil, reason)
        }

        /// One decision for the methods of a pattern that have the same outcome.
        func decisions(_ methods: [String], hosts: [String]) -> [Decision] {
            var decisions: [Decision] = []
            for pattern in order {
                for method in methods {
                    guard let (rule, reason) = found[pattern]?[method] else { continue }
                    let place = decisions.firstIndex { $0.pattern == pattern && $0.rule == rule && $0.reason == reason }
                    if let place {
                        decisions[place].methods.append(method)
                    } else {
                        decisions.append(
                            Decision(pattern: pattern, methods: [method], hosts: hosts, rule: rule, reason: reason))
                    }
                }
            }
            return decisions
        }
    }

    /// What requests to a host get, by path pattern; for no host those to hosts that no rule names.
    private mutating func decide(_ rules: [OathkeeperRule], host: String?) -> [Decision] {
        struct Entry {
            var rule: Int
            var paths: PathLanguage
        }
        let entries = rules.enumerated().flatMap { index, rule in
            (rule.match?.parts ?? []).filter { $0.host == nil || $0.host == host }
                .map { Entry(rule: index, paths: $0.paths) }
        }
        let shapes = entries.flatMap { $0.paths.served + $0.paths.cover }
        // A path with a slash behind it is decided on its own, for each method.
        guard let cells = PathShape.cells(shapes + shapes.compactMap(\.withSlash)) else {
            result.report.add(.attention, rules[0].place, "match.url", "there are too many paths, and all are refused")
            return [Decision(pattern: "/**", methods: [], hosts: host.map { [$0] } ?? [], rule: nil)]
        }
        let methods = rules.flatMap(\.methods).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        var table = DecisionTable()
        for cell in cells {
            for method in methods {
                let fitting = entries.filter { rules[$0.rule].methods.contains(method) }
                let serving = Set(fitting.filter { $0.paths.served.contains { $0.covers(cell) } }.map(\.rule))
                let possible = Set(fitting.filter { $0.paths.cover.contains { $0.covers(cell) } }.map(\.rule))
                    .subtracting(serving)
                let all = serving.union(possible).sorted()
                guard let first = all.first else { continue }
                let reason = all.map { rules[$0].id }.joined(separator: ", ")
                let isServed = all.count == 1 && possible.isEmpty
                table.set(cell.pattern, method, rule: isServed ? first : nil, reason: reason)
                guard !isServed else { continue }
                if all.count > 1 { overlaps[all, default: []].append(cell.pattern) }
                // Oathkeeper takes a path with a slash behind it for the one without.
                if let other = cell.withSlash,
                    fitting.contains(where: { $0.paths.served.contains { $0.covers(other) } })
                {
                    table.set(other.pattern, method, rule: nil, reason: reason)
                }
            }
        }
        return table.decisions(methods, hosts: host.map { [$0] } ?? [])
    }

    /// One note for the rules of each overlap.
    private mutating func noteOverlaps(_ rules: [OathkeeperRule]) {
        for (indices, patterns) in overlaps.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let names = indices.map { rules[$0].id }.joined(separator: " and ")
            note(
                .attention, rules[indices[0]], "match",
                "\(names) match \(unique(patterns)), or may do, which Oathkeeper answers with an error; it is refused. Make the rules exclude each other, with <[^/]+> for a host and literal paths, or write the route"
            )
        }
    }

    private func merge(_ decision: Decision, into decisions: inout [Decision]) {
        let same = decisions.firstIndex { other in
            other.pattern == decision.pattern && other.methods == decision.methods && other.rule == decision.rule
                && other.reason == decision.reason && other.hosts.isEmpty == decision.hosts.isEmpty
        }
        if let same { decisions[same].hosts += decision.hosts } else { decisions.append(decision) }
    }

    // MARK: Routes

    private mutating func add(
        _ decision: Decision, _ rules: [OathkeeperRule], _ outcomes: [Outcome], _ used: inout Set<String>
    ) {
        func unique(_ name: String) -> String {
            var (text, number) = (name, 1)
            while !used.insert(text).inserted {
                number += 1
                text = "\(name) \(number)"
            }
            return text
        }
        var selection: [(name: String, value: JSONNode)] = []
        if !decision.hosts.isEmpty { selection.append(("hosts", .texts(decision.hosts))) }
        if !decision.methods.isEmpty { selection.append(("methods", .texts(decision.methods))) }
        func deny(_ status: Int64, _ comment: String) {
            let name = unique("denied \(decision.reason)")
            result.routes.append(
                .init(
                    value: ConvertedConfiguration.denial(decision.pattern, name: name, status: status, selection),
                    comment: comment))
        }
        guard let index = decision.rule else { return deny(403, "Refused: \(decision.reason) may match") }
        let rule = rules[index]
        switch outcomes[index] {
        case .denied(let status, let cause): deny(status, cause)
        case .served(var members):
            if let strip = rule.stripPath {
                let prefix = strip.hasPrefix("/") ? strip : "/" + strip
                let bare = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
                guard decision.pattern == bare || decision.pattern.hasPrefix(bare + "/") else {
                    note(
                        .attention, rule, "upstream.strip_path",
                        "\(decision.pattern) does not begin with \(bare), and is refused; write the route with the prefix in its path"
                    )
                    return deny(403, "Refused: strip_path \(bare)")
                }
                members.append(("rewrite", .object([("stripPrefix", .text(bare))])))
            }
            let head: [(name: String, value: JSONNode)] = [
                ("path", .text(decision.pattern)), ("name", .text(unique(rule.id))),
            ]
            result.routes.append(.init(value: .object(head + selection + members)))
        }
    }

    // MARK: Rules

    /// What requests of a rule get, by its handlers in their order.
    private mutating func outcome(of rule: OathkeeperRule) -> Outcome {
        var problems = rule.problems
        for problem in rule.problems { note(.attention, rule, "", "\(problem); its requests are refused") }
        for (section, handlers) in [
            ("authenticators", rule.authenticators), ("authorizer", rule.authorizer.map { [$0] } ?? []),
            ("mutators", rule.mutators),
        ] {
            for handler in handlers where !handler.isEnabled {
                problems.append("\(section): \(handler.name) is not enabled")
                note(
                    .attention, rule, section,
                    "\(handler.name) is not enabled in the configuration; the requests of the rule are refused")
            }
        }
        if let problem = problems.first { return .denied(status: 403, cause: problem) }
        var members: [(name: String, value: JSONNode)] = []
        switch authentication(rule) {
        case .denied(let status, let cause): return .denied(status: status, cause: cause)
        case .served(let more): members += more
        }
        switch authorization(rule) {
        case .denied(let status, let cause): return .denied(status: status, cause: cause)
        case .served(let more): members += more
        }
        switch mutation(rule, isPublic: members.contains { $0.name == "public" }) {
        case .denied(let status, let cause): return .denied(status: status, cause: cause)
        case .served(let more): members += more
        }
        members += errorAnswers(rule)
        guard let url = rule.upstream, (try? WebURL(url))?.target.contains("?") == false else {
            return refused(
                rule, "upstream.url",
                rule.upstream == nil
                    ? "there is none; for decisions alone use a listener with forwardAuth, and name an upstream"
                    : "it is no http or https URL without a query")
        }
        let bare = url.hasSuffix("/") ? String(url.dropLast()) : url
        var entry: [(name: String, value: JSONNode)] = [("url", .text(bare))]
        if !rule.keepsHost { entry.append(ConvertedConfiguration.upstreamHost) }
        let name = Self.entry(entry, "upstream", in: &upstreams)
        note(.translated, rule, "upstream", name)
        return .served([("upstream", .text(name))] + members)
    }

    /// Refuses the requests of a rule, with a note.
    mutating func refused(_ rule: OathkeeperRule, _ part: String, _ text: String, status: Int64 = 403) -> Outcome {
        note(.attention, rule, part, "\(text); its requests are refused")
        return .denied(status: status, cause: "Refused: \(part): \(text)")
    }
}
