import Identity
import Model

/// Roles that a caller must and must not have (ROLE-01).
package struct RoleRequirement: Equatable, Sendable {
    /// At least one of these; nil if not required. An empty set is never satisfied.
    package var any: RoleSet?
    /// All of these.
    package var all: RoleSet
    /// None of these.
    package var none: RoleSet

    package init(any: RoleSet? = nil, all: RoleSet = RoleSet(), none: RoleSet = RoleSet()) {
        self.any = any
        self.all = all
        self.none = none
    }

    /// The requirement of these names. No caller holds a role that the catalogue lacks (ROLE-04).
    init(_ names: RoleNames, _ catalogue: RoleCatalogue) {
        any = names.any.map { catalogue.roles(named: $0) }
        all = catalogue.roles(named: names.all)
        none = catalogue.roles(named: names.none)
        if names.all.contains(where: { catalogue.index(of: $0) == nil }) { any = RoleSet() }
    }

    /// A role that the caller must not have counts also where the client of a token does not get it.
    func isMet(by principal: Principal) -> Bool {
        isMet(by: principal.roles) && principal.unlimited?.roles.isDisjoint(with: none) ?? true
    }

    package func isMet(by roles: RoleSet) -> Bool {
        if let any, roles.isDisjoint(with: any) { return false }
        return roles.isSuperset(of: all) && roles.isDisjoint(with: none)
    }
}
