import Bytes
import Model
import Policy

/// A set of requests that no table of routes tells apart but by their method.
struct RequestCell: Sendable {
    /// Nil for hosts that no route names.
    let host: HostPattern?
    let path: PathCell
    /// Header fields and query parameters by which routes are chosen, with their values.
    let conditions: [Condition]
    /// A request of the set.
    let witness: RequestDescription
    /// Its place among all.
    var number = 0

    struct Condition: Sendable, Hashable {
        let isField: Bool
        let name: String
        let value: Value

        enum Value: Sendable, Hashable {
            case absent
            case equal(String)
            /// Any other one.
            case other([String])
        }
    }

    /// All sets of requests that reach something by one of the rule sets.
    static func all(_ rules: Both<RuleSet>, host ownHost: String) -> [RequestCell] {
        let routes = rules.values.flatMap(\.policy.routes.routes)
        let endpoints = rules.values.flatMap(\.policy.routes.endpointPatterns)
        let hosts = [nil] + routes.flatMap(\.hosts).unique()
        return hosts.flatMap { host -> [RequestCell] in
            let name = host.map { witness(of: $0, hosts) } ?? witness(ofOther: hosts, ownHost)
            let live = routes.filter { route in
                route.hosts.isEmpty || route.hosts.contains { $0.fits(HostPattern.plain(name)) }
            }
            let cells = PathCell.all(live.map(\.pattern) + endpoints)
            return cells.flatMap { path -> [RequestCell] in
                let matching = path.matching.filter { $0 < live.count }.map { live[$0].conditions }
                return combinations(of: matching).map { conditions in
                    RequestCell(
                        host: host, path: path, conditions: conditions,
                        witness: request(path.witness, at: name, conditions))
                }
            }
        }
    }

    // MARK: Witnesses

    private static func witness(of host: HostPattern, _ all: [HostPattern?]) -> String {
        let name = String(decoding: host.name, as: UTF8.self)
        guard host.isWildcard else { return name }
        let names = all.compactMap { $0.map { String(decoding: $0.name, as: UTF8.self) } }
        return "\(PathCell.fresh(names.map { String($0.prefix { $0 != "." }) })).\(name)"
    }

    private static func witness(ofOther hosts: [HostPattern?], _ own: String) -> String {
        let plain = HostPattern.plain(own)
        return hosts.contains { $0?.fits(plain) == true } ? "other.invalid" : own
    }

    private static func request(_ path: String, at host: String, _ conditions: [Condition]) -> RequestDescription {
        var query: [(String, String)] = []
        var request = RequestDescription("GET", path, host: host)
        for condition in conditions {
            let value: String
            switch condition.value {
            case .absent: continue
            case .equal(let text): value = text
            case .other(let texts): value = PathCell.fresh(texts)
            }
            if condition.isField {
                request.fields.append((condition.name, value))
            } else {
                query.append((condition.name, value))
            }
        }
        if !query.isEmpty { request.target += "?" + String(decoding: FormEncoding.form(query), as: UTF8.self) }
        request.address = IPAddress("127.0.0.1")
        return request
    }

    // MARK: Conditions

    private static let mostCombinations = 243

    private static func combinations(of conditions: [RouteConditions]) -> [[Condition]] {
        let all = conditions.flatMap { one in
            one.headers.map { (isField: true, condition: $0) } + one.query.map { (isField: false, condition: $0) }
        }
        let asked = all.grouped {
            Condition(isField: $0.isField, name: String(decoding: $0.condition.name, as: UTF8.self), value: .absent)
        }
        return asked.reduce([[]]) { all, next in
            // Beyond that each condition is looked at alone.
            if all.count > RequestCell.mostCombinations { return all }
            let texts = next.elements.compactMap(\.condition.value).unique().map { String(decoding: $0, as: UTF8.self) }
            let kinds: [Condition.Value] = [.absent] + texts.map { .equal($0) } + [.other(texts)]
            return all.flatMap { one in
                kinds.map { one + [Condition(isField: next.key.isField, name: next.key.name, value: $0)] }
            }
        }
    }
}

extension HostPattern {
    /// A host without its port, in lower case.
    static func plain(_ host: String) -> String {
        if host.hasPrefix("[") { return host.lowercased() }
        return String(host.prefix { $0 != ":" }).lowercased()
    }
}
