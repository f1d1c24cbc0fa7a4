import Bytes
import Model
import Policy

/// What two rule sets ask of the callers of one method of a pair of targets.
struct RouteRules {
    let rules: Both<RuleSet>
    let routes: Both<Route?>
    let method: String
    let access: Both<AccessRule>
    let roles: Both<RoleNames>
    /// Segments of the witness, for variables of paths.
    let segments: [String]

    init(_ rules: Both<RuleSet>, _ targets: Both<RequestTarget>, method: String, path: PathCell) {
        self.rules = rules
        routes = Both(rules.old.route(targets.old), rules.new.route(targets.new))
        self.method = method
        access = routes.map { $0?.entry.access ?? AccessRule() }
        roles = routes.map { $0.map { DescribedRoute($0).roleNames(for: method) } ?? RoleNames() }
        segments = path.witness.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    /// The axes of requests that do not depend on the kind of caller.
    var requestAxes: [Axis] { [addresses, origins, browsers].filter { !$0.values.isEmpty } }

    /// Ids of the clients that each route names.
    var listedClients: [[String]] {
        routes.values.map { $0?.clients.map { String(decoding: $0, as: UTF8.self) } ?? [] }
    }

    private var addresses: Axis {
        let allowed = routes.map { $0?.entry.options.addresses }
        let ranges = allowed.values.compactMap(\.self).flatMap { $0.allowed + $0.denied }
        var candidates = ["127.0.0.1", "0.0.0.1", "::1"].compactMap { IPAddress($0) }
        candidates += ranges.flatMap { [$0.first, $0.next].compactMap(\.self) }
        var values: [Axis.Value] = []
        var known: [[Bool]] = []
        func add(_ address: IPAddress) {
            let verdicts = allowed.values.map { $0?.accepts(address) ?? true } + (ranges.map { $0.contains(address) })
            if known.contains(verdicts) { return }
            known.append(verdicts)
            let inside = ranges.filter { $0.contains(address) }.map { "\($0)" }
            let outside = ranges.filter { !$0.contains(address) }.map { "\($0)" }
            values.append(
                Axis.Value(
                    label: RouteRules.text(inside: inside, outside: outside),
                    condition: .object([("in", .texts(inside)), ("notIn", .texts(outside))])
                ) { $0.request.address = address })
        }
        // One that both accept, where there is one, comes first.
        let accepted = candidates.filter { address in allowed.values.allSatisfy { $0?.accepts(address) ?? true } }
        for address in accepted.prefix(1) + (allowed.isSame ? [] : candidates) { add(address) }
        return Axis(name: "address", values: values)
    }

    private static func text(inside: [String], outside: [String]) -> String {
        if inside.isEmpty { return "from other addresses" }
        return "from \(inside.joined(separator: " and "))"
            + (outside.isEmpty ? "" : ", not from \(outside.joined(separator: " or "))")
    }

    private var origins: Axis {
        let policies = Both(
            routes.old?.entry.options.ownOrigins ?? rules.old.origins,
            routes.new?.entry.options.ownOrigins ?? rules.new.origins)
        let texts = policies.map(\.text)
        if texts.isSame { return Axis(name: "origin", values: []) }
        let named = texts.values.flatMap { $0.split(separator: ",") }.map { $0.trimming(\.isWhitespace) }
            .filter { $0.contains("://") }.map { $0.replacing("*", with: "any") }
        var values = [Axis.Value(label: "", condition: .object([("absent", .flag(true))])) { _ in }]
        var known: Set<[Bool]> = []
        for origin in named + ["https://other.invalid"] {
            let verdicts = policies.map { $0.allows(origin.utf8.span) }
            guard !verdicts.isSame || known.insert(verdicts.values).inserted else { continue }
            values.append(
                Axis.Value(
                    label: "from pages of \(origin == "https://other.invalid" ? "other origins" : origin)",
                    condition: .object([
                        ("before", .flag(verdicts.old)), ("after", .flag(verdicts.new)), ("such as", .text(origin)),
                    ])
                ) { $0.request.fields.append(("Origin", origin)) })
        }
        return Axis(name: "origin", values: values)
    }

    private var browsers: Axis {
        let logins = routes.map { $0.map { DescribedRoute($0).takesLogins } ?? false }
        if logins.isSame { return Axis(name: "browser", values: []) }
        return Axis(
            name: "browser",
            values: [
                Axis.Value(label: "", condition: .flag(false)) { _ in },
                Axis.Value(label: "as a page", condition: .flag(true)) {
                    $0.request.fields.append(("Accept", "text/html"))
                },
            ])
    }
}
