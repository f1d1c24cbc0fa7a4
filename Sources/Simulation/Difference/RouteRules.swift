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
        let ranges = allowed.values.compactMap(\.self).flatMap { $0.allowed + $0.denied }.unique()
        let candidates =
            ["127.0.0.1", "0.0.0.1", "::1"].compactMap { IPAddress($0) }
            + ranges.flatMap { [$0.first, $0.next].compactMap(\.self) }
        // One that both accept, where there is one, comes first.
        let accepted = candidates.filter { address in allowed.values.allSatisfy { $0?.accepts(address) ?? true } }
        let tried = accepted.prefix(1) + (allowed.isSame ? [] : candidates)
        // What neither rule tells apart counts alike, in whichever ranges it lies.
        let groups = tried.grouped { address in allowed.values.map { $0?.accepts(address) ?? true } }
        let values = groups.map { _, addresses in
            let places = addresses.grouped { address in ranges.filter { $0.contains(address) } }.map { inside, _ in
                // Ranges lie within each other or apart.
                let outside = ranges.filter { range in
                    !inside.contains(range) && inside.allSatisfy { $0.contains(range.first) }
                }
                return (inside: inside.map { "\($0)" }, outside: outside.map { "\($0)" })
            }
            return Axis.Value(
                labels: Names.few(places.map(RouteRules.text)),
                conditions: places.map { .object([("in", .texts($0.inside)), ("notIn", .texts($0.outside))]) }
            ) { $0.request.address = addresses[0] }
        }
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
