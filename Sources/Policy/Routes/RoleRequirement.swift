import Identity

/// Which roles a caller must and must not have (ROLE-01).
package struct RoleRequirement: Equatable, Sendable {
    /// At least one of these; nil where no role is asked for in this way. An empty set is met by nobody.
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

    package func isMet(by roles: RoleSet) -> Bool {
        if let any, roles.isDisjoint(with: any) { return false }
        return roles.isSuperset(of: all) && roles.isDisjoint(with: none)
    }
}
