import Bytes
import Identity
import Model
import Policy

/// Which callers a configuration lets in: for each route and method, by kind of caller.
package struct AccessMatrix: Sendable {
    /// Whether callers of a kind are let in.
    package enum Access: String, Sendable {
        case yes
        /// Those that meet what else the route asks for.
        case some
        case no
    }

    /// A kind of caller.
    package struct Caller: Sendable {
        /// Such as `role admin`.
        package let name: String
        let kind: Kind

        enum Kind: Sendable {
            case anonymous
            case role(String)
            case client(String)
            case issuer(String)
            case provider(String)
            case consumer(String)
            case user(String)
        }
    }

    /// Methods of a route with the same rules.
    package struct Row: Sendable {
        package let route: String
        /// Host and path.
        package let place: String
        package let methods: [String]
        /// In the order of `callers`.
        package let access: [Access]
        /// What is asked for beside a credential, for people; empty for nothing.
        package let demands: [String]
        let pattern: PathPattern
        let target: RequestTarget
        /// A request of the row.
        let witness: RequestDescription

        /// Whether a request may have a path of the pattern and of the row.
        package func matches(_ path: PathPattern) -> Bool { pattern.overlaps(path) }
    }

    package let callers: [Caller]
    package private(set) var rows: [Row] = []
    private let simulator: Simulator

    /// - Parameters:
    ///   - host: of requests for hosts that no route names.
    ///   - users: names of local users with a column of their own.
    package init(_ rules: RuleSet, host: String, users: [String] = []) {
        let policy = rules.policy
        simulator = rules.simulator
        func all(_ noun: String, _ names: [String], as kind: (String) -> Caller.Kind) -> [Caller] {
            names.map { Caller(name: "\(noun) \($0)", kind: kind($0)) }
        }
        callers =
            [Caller(name: "anonymous", kind: .anonymous)] + all("role", policy.roles.names, as: Caller.Kind.role)
            + all("issuer", OutsideIssuer.all(rules.policy).map(\.name), as: Caller.Kind.issuer)
            + all("provider", rules.providers.map(\.name), as: Caller.Kind.provider)
            + all("client", rules.clients.filter(\.oauthConsumer).map(\.reference), as: Caller.Kind.client)
            + all("consumer", rules.consumers.map(\.name), as: Caller.Kind.consumer)
            + all("user", users, as: Caller.Kind.user)
        let cells = RequestCell.all(Both(rules, rules), host: host)
        for route in policy.routes.routes {
            for methods in DescribedRoute(route).methodGroups {
                let method = methods.first ?? "GET"
                // One without requests of its own lies behind others.
                let cell = cells.first { cell in
                    var request = cell.witness
                    request.method = method
                    return rules.simulator.target(of: request) == .route(route.index)
                }
                guard let cell else { continue }
                let probe = RouteProbe(route: route, method: method, rules: rules, cell: cell)
                rows.append(AccessMatrix.row(route, methods: methods, callers: callers, probe: probe))
            }
        }
    }

    /// Whether a request for a path reaches the route of a row, and not one with a closer pattern.
    package func reaches(_ row: Row, _ path: String) -> Bool {
        let (whole, query) = (row.witness.target, row.witness.target.firstIndex(of: "?"))
        var request = row.witness
        request.target = path + (query.map { String(whole[$0...]) } ?? "")
        request.method = row.methods.first ?? "GET"
        return simulator.target(of: request) == row.target
    }

    // MARK: Rows

    private static func row(_ route: Route, methods: [String], callers: [Caller], probe: RouteProbe) -> Row {
        let roles = DescribedRoute(route).roleNames(for: probe.method)
        let demands = DescribedRoute(route).demands
        let whole: Access = demands.isEmpty ? .yes : .some
        let access = callers.map { caller -> Access in
            if route.isPublic { return whole }
            return switch caller.kind {
            case .anonymous: probe.admits(.anonymous) ? whole : .no
            case .role(let name): roles.accept(name) ? whole : .no
            case .client(let id):
                probe.access(.client(id, user: nil, scopes: []), .clients, .clientUsers, client: id)
            case .user(let name):
                probe.access(.user(name, backend: nil), .users, .clientUsers, user: name)
            case .issuer(let name):
                probe.access(.token(issuer: name, claims: probe.bareClaims(.issuer(name))), .issuer(name))
            case .provider(let name):
                probe.access(.login(provider: name, claims: probe.bareClaims(.provider(name))), .provider(name))
            case .consumer(let name): probe.access(.consumer(name, key: nil))
            }
        }
        let hosts = route.hosts.map { "\($0)" }.joined(separator: ",")
        return Row(
            route: route.name,
            place: hosts + route.pattern.text + (route.conditions.isEmpty ? "" : " \(route.conditions)"),
            methods: methods, access: access, demands: roles.texts("role") + demands, pattern: route.pattern,
            target: .route(route.index), witness: probe.cell.witness)
    }
}

/// Asks about requests of one route.
private struct RouteProbe {
    let route: Route
    let method: String
    let rules: RuleSet

    let cell: RequestCell

    func admits(_ caller: CallerDescription) -> Bool {
        var request = cell.witness
        (request.method, request.caller) = (method, caller)
        return rules.simulator.verdict(on: request).isAdmitted
    }

    /// Whether callers of some kinds are let in: all, as one is whose credential says nothing more, or some.
    func access(
        _ bare: CallerDescription, _ sources: CallerSource..., client: String? = nil, user: String? = nil
    ) -> AccessMatrix.Access {
        if admits(bare) { return .yes }
        return sources.contains { admitsSome($0, client: client, user: user) } ? .some : .no
    }

    /// Claims that name a caller and say nothing more of it.
    func bareClaims(_ source: CallerSource) -> JSONNode {
        var draft = RequestDraft(cell.witness)
        for axis in axes(source) where axis.namesCaller { axis.values.first?.apply(&draft) }
        return draft.claimSet
    }

    /// Whether a caller of the kind is let in whose credential says all that the route asks for.
    private func admitsSome(_ source: CallerSource, client: String?, user: String?) -> Bool {
        var draft = RequestDraft(cell.witness)
        (draft.client, draft.user) = (client, user)
        let known = [client.map { _ in "client" }, user.map { _ in "user" }]
        var drafts = [draft]
        for axis in axes(source) where !known.contains(axis.name) {
            drafts = drafts.flatMap { draft in
                axis.values.map { value in
                    var draft = draft
                    value.apply(&draft)
                    return draft
                }
            }
        }
        return drafts.contains { admits(source.caller($0)) }
    }

    /// The values of a property that the route accepts, and those of accounts.
    private func axes(_ source: CallerSource) -> [Axis] {
        let same = Both(rules, rules)
        let targets = Both(RequestTarget.route(route.index), .route(route.index))
        return source.axes(RouteRules(same, targets, method: method, path: cell.path))
    }
}

extension DescribedRoute {
    /// Names of methods that have the same rules; all methods together where the entry names none.
    fileprivate var methodGroups: [[String]] {
        let groups = route.entry.methods.grouped(by: \.access.roles).map { $0.elements.map(\.method) }
        return groups.isEmpty ? [[]] : groups
    }

    /// What it asks for beside roles and a credential.
    fileprivate var demands: [String] {
        let access = route.entry.access
        let options = route.entry.options
        return access.scopes.texts("scope") + access.claims.map { "\($0)" }
            + (access.issuers.isEmpty ? [] : ["issuer \(access.issuers.joined(separator: " or "))"])
            + (access.audience.isEmpty ? [] : ["audience \(access.audience.joined(separator: " or "))"])
            + (access.contexts.isEmpty ? [] : ["acr \(access.contexts.joined(separator: " or "))"])
            + (access.maximumAge.map { ["a login in the last \($0) s"] } ?? [])
            + (route.level > 0 ? ["level \(route.level)"] : [])
            + (access.requiresProof ? ["a bound token"] : [])
            + (access.clientCertificate == nil ? [] : ["a certificate"])
            + (options.addresses == nil ? [] : ["addresses"])
            + (options.authenticators.map { ["a credential of \($0.map(\.kind.name).joined(separator: ", "))"] } ?? [])
            + (access.policyServers.isEmpty ? [] : ["policy server \(access.policyServers.joined(separator: ", "))"])
            + (options.mcp == nil ? [] : ["rules by message"])
            + (route.entry.clients.isEmpty ? [] : ["client \(route.entry.clients.joined(separator: " or "))"])
    }
}

extension RoleNames {
    /// Whether a caller that has this one and no other meets it.
    fileprivate func accept(_ name: String) -> Bool {
        (any?.contains(name) ?? true) && all.allSatisfy { $0 == name } && !none.contains(name)
    }

    /// For people.
    fileprivate func texts(_ noun: String) -> [String] {
        (all.isEmpty ? [] : ["\(noun) \(all.joined(separator: " and "))"])
            + (any.map { ["\(noun) \($0.joined(separator: " or "))"] } ?? [])
            + (none.isEmpty ? [] : ["not \(noun) \(none.joined(separator: ", "))"])
    }
}
