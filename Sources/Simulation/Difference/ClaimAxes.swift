import Bytes
import Identity
import Model
import Policy

/// The axes of callers whose claims another server has written: for each claim that rules look at, the values that they tell
/// apart.
struct ClaimAxes {
    let route: RouteRules
    /// How claims become a caller; nil where the rule set does not have the issuer or provider.
    let identity: Both<ExternalIdentityRules?>
    /// What a token of the issuer must have besides.
    var issuer = Both<OutsideIssuer?>(nil, nil)

    private var claims: [String: ClaimValues] = [:]
    private var order: [String] = []

    init(_ route: RouteRules, _ identity: Both<ExternalIdentityRules?>, issuer: Both<OutsideIssuer?>) {
        (self.route, self.identity, self.issuer) = (route, identity, issuer)
        collectNames()
        collectRoles()
        collectScopes()
        collectRules()
        collectToken()
    }

    /// Axes without a value that matters are left out.
    var axes: [Axis] { order.compactMap { claims[$0]?.axis } }

    private mutating func change(_ path: ClaimPath, _ body: (inout ClaimValues) -> Void) {
        if claims[path.text] == nil { order.append(path.text) }
        body(&claims[path.text, default: ClaimValues(path)])
    }

    // MARK: Who it is

    private mutating func collectNames() {
        let route = route
        let names = identity.map { $0.map { "\($0.usernameSources) \($0.usernamePrefix) \($0.userMapping)" } }
        for (side, rules) in zip([Side.old, .new], identity.values) {
            guard let rules else { continue }
            let path = rules.usernameSources.first?.path ?? ClaimPath(literal: "sub")
            change(path) { claim in
                (claim.isName, claim.isDiffering) = (true, claim.isDiffering || !names.isSame)
            }
            if rules.virtualUserEnabled { continue }
            let users = side.of(route.rules).users
            let names = users.map { rules.userMapping == .mail ? $0.email : $0.username }.filter { !$0.isEmpty }
            change(path) { $0.add(accounts: names, of: users, by: rules.userMapping, route) }
        }
    }

    // MARK: Roles

    private mutating func collectRoles() {
        let route = route
        let mappings = identity.map { $0?.roleMapping }
        let isSame = mappings.map(Self.fingerprint).isSame && identity.map { $0?.virtualUserEnabled }.isSame
        let needed = route.roles.values.flatMap { $0.all + ($0.any ?? []) + $0.none }
        let catalogues = route.rules.map { Set($0.policy.roles.names) }
        let changed = catalogues.old.symmetricDifference(catalogues.new)
        let isDiffering = !isSame || !route.roles.isSame || !changed.isDisjoint(with: needed)
        for (side, mapping) in zip([Side.old, .new], mappings.values) {
            guard let mapping else { continue }
            // Where nothing has changed about the places, the first one stands for all.
            let sources = isSame ? Array(mapping.sources.prefix(1)) : mapping.sources
            for source in sources {
                var values = needed + changed.sorted()
                let mapped = mapping.mappedRoles.keys.map(\.text)
                values += isSame ? mapped.filter { isNeeded($0, mappings, for: needed + Array(changed)) } : mapped
                change(source.path) { claim in
                    claim.isDiffering = claim.isDiffering || isDiffering
                    for value in values {
                        let effects = route.effects(of: value, mappings)
                        if !effects.isEmpty { claim.add(source.text(of: value), effects) }
                    }
                    claim.require(source, of: mapping, for: side.of(route.roles), side)
                    if !mapping.defaultRoles.isEmpty { claim.tellsAbsent = true }
                }
            }
        }
    }

    private func isNeeded(_ value: String, _ mappings: Both<RoleMapping?>, for names: [String]) -> Bool {
        mappings.values.contains { $0?.mappedRoles[ExactText(value)]?.contains(where: names.contains) == true }
    }

    private static func fingerprint(_ mapping: RoleMapping?) -> String {
        guard let mapping else { return "" }
        let mapped = mapping.mappedRoles.map { "\($0.text)=\($1)" }.sorted()
        return "\(mapping.sources) \(mapped) \(mapping.defaultRoles) \(mapping.issuerRoles)"
    }

    // MARK: Scopes and conditions

    private mutating func collectScopes() {
        let scopes = route.access.map(\.scopes)
        let route = route
        if route.scopeNames.isEmpty { return }
        change(ClaimPath(literal: "scope")) { claim in
            claim.isText = true
            claim.isDiffering = claim.isDiffering || !scopes.isSame
            for name in route.scopeNames { claim.add(name, route.effects(ofScope: name)) }
            for (side, rule) in zip([Side.old, .new], scopes.values) {
                claim.need(rule.all + (rule.any?.prefix(1) ?? []), side)
            }
        }
    }

    private mutating func collectRules() {
        let route = route
        for (side, access) in zip([Side.old, .new], route.access.values) {
            let others = side == .old ? route.access.new : route.access.old
            for rule in access.claims {
                let isDiffering = !others.claims.contains(rule)
                for test in rule.tests {
                    change(rule.path) { $0.add(test, of: side, isDiffering: isDiffering, route.segments) }
                }
            }
        }
        let contexts = route.access.map(\.contexts)
        if !contexts.values.allSatisfy(\.isEmpty) {
            change(ClaimPath(literal: "acr")) { claim in
                claim.isDiffering = claim.isDiffering || !contexts.isSame
                for (side, names) in zip([Side.old, .new], contexts.values) {
                    for name in names { claim.add(scalar: .text(name)) }
                    if let first = names.first { claim.need(scalar: .text(first), side) }
                }
            }
        }
        let ages = route.access.map(\.maximumAge)
        let now = route.rules.old.simulator.now
        if !ages.values.allSatisfy({ $0 == nil }) {
            change(ClaimPath(literal: "auth_time")) { claim in
                claim.isDiffering = claim.isDiffering || !ages.isSame
                claim.need(scalar: .number(now), .old)
                claim.need(scalar: .number(now), .new)
                let limits = ages.values.compactMap(\.self).sorted()
                for limit in limits { claim.add(scalar: .number(now - max(0, limit - 1))) }
                claim.add(scalar: .number(now - (limits.last ?? 0) - 86_400))
            }
        }
    }

    // MARK: The token

    private mutating func collectToken() {
        let audiences = Both(
            (issuer.old?.audiences ?? [], route.access.old.audience),
            (issuer.new?.audiences ?? [], route.access.new.audience))
        let hasOwn = audiences.values.contains { !$0.1.isEmpty }
        if hasOwn || audiences.old.0 != audiences.new.0 {
            change(ClaimPath(literal: "aud")) { claim in
                claim.isDiffering = audiences.old != audiences.new
                for (side, (all, own)) in zip([Side.old, .new], audiences.values) {
                    for name in all + own { claim.add(name, ["aud \(name)"]) }
                    claim.need(Array(all.prefix(1) + own.prefix(1)), side)
                }
            }
        }
        let clients = issuer.map { $0?.clients }
        if !clients.isSame {
            change(ClaimPath(literal: "azp")) { claim in
                claim.isDiffering = true
                for name in clients.values.flatMap({ $0 ?? [] }) { claim.add(scalar: .text(name)) }
                for (side, names) in zip([Side.old, .new], clients.values) {
                    if let name = names?.first { claim.need(scalar: .text(name), side) }
                }
            }
        }
        let proofs = Both(
            route.access.old.requiresProof || issuer.old?.requiresProof == true,
            route.access.new.requiresProof || issuer.new?.requiresProof == true)
        if proofs.values.contains(true) {
            change(ClaimPath(literal: "cnf")) { claim in
                claim.isDiffering = !proofs.isSame
                let key = JSONNode.object([("jkt", .text("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"))])
                claim.add(scalar: key)
                for (side, isNeeded) in zip([Side.old, .new], proofs.values) where isNeeded {
                    claim.need(scalar: key, side)
                }
            }
        }
    }
}
