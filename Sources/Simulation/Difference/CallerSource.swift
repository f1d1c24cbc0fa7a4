import Bytes
import Model
import Policy

/// A kind of caller of the two rule sets.
enum CallerSource: Sendable, Hashable {
    case anonymous
    /// Tokens of an issuer, by the name of its entry.
    case issuer(String)
    /// Logins at an identity provider, by its name.
    case provider(String)
    /// Local users with their passwords or own sessions.
    case users
    /// Access tokens of clients for themselves.
    case clients
    /// Access tokens of clients for their users.
    case clientUsers
    case consumers

    /// All kinds that one of the rule sets has.
    static func all(_ rules: Both<RuleSet>) -> [CallerSource] {
        let sources = rules.values.flatMap { one -> [CallerSource] in
            let hasClients = one.clients.contains(where: \.oauthConsumer)
            return OutsideIssuer.all(one.policy).map { .issuer($0.name) } + one.providers.map { .provider($0.name) }
                + (one.users.isEmpty ? [] : [.users]) + (hasClients ? [.clients] : [])
                + (hasClients && !one.users.isEmpty ? [.clientUsers] : []) + (one.consumers.isEmpty ? [] : [.consumers])
        }
        return ([.anonymous] + sources).unique()
    }

    /// For people.
    var label: String {
        switch self {
        case .anonymous: "callers without a credential"
        case .issuer(let name): "tokens of \(name)"
        case .provider(let name): "logins at \(name)"
        case .users: "users"
        case .clients: "tokens of clients"
        case .clientUsers: "tokens of clients for users"
        case .consumers: "API keys"
        }
    }

    /// For programs.
    var description: JSONNode {
        switch self {
        case .anonymous: .object([("kind", .text("anonymous"))])
        case .issuer(let name): .object([("kind", .text("token")), ("issuer", .text(name))])
        case .provider(let name): .object([("kind", .text("login")), ("provider", .text(name))])
        case .users: .object([("kind", .text("user"))])
        case .clients: .object([("kind", .text("client"))])
        case .clientUsers: .object([("kind", .text("clientUser"))])
        case .consumers: .object([("kind", .text("consumer"))])
        }
    }

    /// The caller of a request in the making.
    func caller(_ draft: RequestDraft) -> CallerDescription {
        switch self {
        case .anonymous: .anonymous
        case .issuer(let name): .token(issuer: name, claims: draft.claimSet)
        case .provider(let name): .login(provider: name, claims: draft.claimSet)
        case .users: .user(draft.user ?? "", backend: draft.backend)
        case .clients: .client(draft.client ?? "", user: nil, scopes: draft.scopes)
        case .clientUsers: .client(draft.client ?? "", user: draft.user, scopes: draft.scopes)
        case .consumers: .consumer(draft.consumer ?? "", key: nil)
        }
    }

    /// The properties of such callers that the rules of a pair of targets tell apart.
    func axes(_ route: RouteRules) -> [Axis] {
        switch self {
        case .anonymous: []
        case .issuer(let name):
            issuerAxes(route, route.rules.map { rules in OutsideIssuer.all(rules.policy).first { $0.name == name } })
        case .provider(let name):
            ClaimAxes(
                route, route.rules.map { rules in rules.providers.first { $0.name == name }?.rules },
                issuer: Both(nil, nil)
            ).axes
        case .users: [backends(route), accounts(route)]
        case .clients: [clients(route), scopes(route)].compactMap(\.self)
        case .clientUsers: [clients(route), accounts(route), scopes(route)].compactMap(\.self)
        case .consumers:
            [
                CallerSource.groups(
                    "consumer", route.rules.map(\.consumers), name: \.name,
                    key: { "\($0.enabled) \($0.roles.sorted()) \($0.keys.map(\.expiresAt))" }
                ) { $0.consumer = $1 }
            ]
        }
    }

    private func issuerAxes(_ route: RouteRules, _ issuer: Both<OutsideIssuer?>) -> [Axis] {
        ClaimAxes(route, issuer.map { $0?.rules }, issuer: issuer).axes
    }

    private func accounts(_ route: RouteRules) -> Axis {
        let usesProfile = route.access.values.contains { !$0.claims.isEmpty }
        return CallerSource.groups(
            "user", route.rules.map(\.users), name: \.username,
            key: { user in
                "\(user.enabled) \(user.realm) \(user.passwordHash != nil) \(user.roles.sorted())"
                    + (usesProfile ? " \(user.username) \(user.email) \(user.firstName) \(user.lastName)" : "")
            }
        ) { $0.user = $1 }
    }

    private func clients(_ route: RouteRules) -> Axis {
        let usesClaims = route.access.values.contains { !$0.claims.isEmpty }
        let listed = route.listedClients
        return CallerSource.groups(
            "client", route.rules.map(\.clients), name: \.reference,
            key: { client in
                let isListed = listed.map { $0.contains(client.tokenClientID) }
                return
                    "\(client.oauthConsumer) \(client.realm) \(client.grants.roles.sorted()) \(client.grants.scopes ?? ["*"]) "
                    + "\(client.grants.audience ?? []) \(isListed) \(client.isStandard) \(client.grants.withheld.map(\.rawValue).sorted())"
                    + (usesClaims ? " \(client.clientID)" : "")
            }
        ) { $0.client = $1 }
    }

    /// Mobile backends that are named beside name and password; the first value is none.
    private func backends(_ route: RouteRules) -> Axis {
        let backends = route.rules.map { $0.clients.filter { !$0.isStandard } }
        let listed = route.listedClients
        var axis = CallerSource.groups(
            "backend", backends, name: \.reference,
            key: { client in
                "\(client.httpBasic) \(client.socialLogin != nil) \(client.realm) \(listed.map { $0.contains(client.id) })"
            }
        ) { $0.backend = $1 }
        axis.values.insert(
            Axis.Value(label: "", condition: .object([("absent", .flag(true))])) { _ in }, at: 0)
        return axis
    }

    /// Scopes of own tokens.
    private func scopes(_ route: RouteRules) -> Axis? {
        var values = ClaimValues(ClaimPath(literal: "scope"))
        values.isDiffering = true
        // Of scopes that count alike, one client may get some, and another client others.
        for name in route.scopeNames {
            let clients = zip([Side.old, .new], route.rules.values).flatMap { side, rules in
                rules.clients.filter { $0.grants.scopes?.contains(name) ?? true }.map { "\(side) \($0.reference)" }
            }
            values.add(name, route.effects(ofScope: name) + clients)
        }
        guard let axis = values.axis else { return nil }
        return Axis(
            name: "scope",
            values: axis.values.map { value in
                Axis.Value(labels: value.labels, conditions: value.conditions) { draft in
                    var token = RequestDraft(draft.request)
                    value.apply(&token)
                    draft.scopes = token.claims.flatMap { $0.value.array?.compactMap(\.string) ?? [] }
                }
            })
    }

    /// Entries by name: those that nothing tells apart count alike.
    private static func groups<Entry>(
        _ noun: String, _ entries: Both<[Entry]>, name: (Entry) -> String, key: (Entry) -> String,
        apply: @escaping @Sendable (inout RequestDraft, String) -> Void
    ) -> Axis {
        let known = entries.map { Dictionary($0.map { (name($0), key($0)) }) { first, _ in first } }
        let names = entries.values.flatMap(\.self).map(name).unique()
        let groups = names.grouped { "\(known.old[$0] ?? "none"), \(known.new[$0] ?? "none")" }
        return Axis(
            name: noun,
            values: groups.map { group in
                Axis.Value(label: Names.list(group.elements), condition: .object([("in", .texts(group.elements))])) {
                    apply(&$0, group.elements[0])
                }
            })
    }
}
