import Bytes

/// How the claims of an outside issuer become roles: the algorithm of section 4.5 (JWT-25 to JWT-29, MAP-03).
package struct RoleMapping: Sendable {
    /// One entry of `roleMappings`. Both members are required; an entry without one of them is ignored (M22).
    package struct Entry: Sendable {
        package var tokenRole: String?
        package var mappedRoles: [String]?

        package init(tokenRole: String?, mappedRoles: [String]?) {
            self.tokenRole = tokenRole
            self.mappedRoles = mappedRoles
        }
    }

    /// Names of top-level claims to search, literally.
    package let roleAttributes: [String]
    /// Granted when the claims held no value at all.
    package let defaultRoles: [String]
    /// Granted always.
    package let issuerRoles: [String]
    /// Indices of the entries that are ignored because they are incomplete, for a warning at load.
    package let incompleteEntries: [Int]
    private let mappedRoles: [ExactText: [String]]

    package init(
        roleAttributes: [String] = [], mappings: [Entry] = [], defaultRoles: [String] = [], issuerRoles: [String] = []
    ) {
        self.roleAttributes = roleAttributes
        self.defaultRoles = defaultRoles
        self.issuerRoles = issuerRoles
        var mapped: [ExactText: [String]] = [:]
        var incomplete: [Int] = []
        for (index, entry) in mappings.enumerated() {
            guard let tokenRole = entry.tokenRole, let roles = entry.mappedRoles else {
                incomplete.append(index)
                continue
            }
            mapped[ExactText(tokenRole), default: []] += roles
        }
        mappedRoles = mapped
        incompleteEntries = incomplete
    }

    /// The roles of a caller with these claims.
    /// - Parameters:
    ///   - assigned: roles of the local account; empty for a virtual user (CON-04).
    ///   - catalogue: names outside it are never granted (ROLE-04).
    package func roles(claims: JSONNode, assigned: [String] = [], catalogue: RoleCatalogue) -> RoleSet {
        var roles = catalogue.roles(named: issuerRoles).union(catalogue.roles(named: assigned))
        var isAnyFound = false
        for attribute in roleAttributes {
            guard let claim = claims[attribute] else { continue }
            for value in RoleMapping.values(of: claim) where !value.isEmpty {
                // Unknown names count as found: they suppress the defaults (AMB-06).
                isAnyFound = true
                // A mapped value is replaced, an unmapped one keeps its name (AMB-05).
                let mapped = mappedRoles.isEmpty ? nil : mappedRoles[ExactText(value)]
                roles.formUnion(catalogue.roles(named: mapped ?? [value]))
            }
        }
        return isAnyFound ? roles : roles.union(catalogue.roles(named: defaultRoles))
    }

    /// A string is one role, an array of strings several; anything else adds nothing (JWT-27).
    private static func values(of claim: JSONNode) -> [String] {
        claim.array?.compactMap(\.string) ?? claim.string.map { [$0] } ?? []
    }
}
