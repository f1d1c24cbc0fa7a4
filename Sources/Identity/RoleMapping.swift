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
    private let mappedRoles: [[UInt8]: [String]]

    package init(
        roleAttributes: [String] = [], mappings: [Entry] = [], defaultRoles: [String] = [], issuerRoles: [String] = []
    ) {
        self.roleAttributes = roleAttributes
        self.defaultRoles = defaultRoles
        self.issuerRoles = issuerRoles
        var mapped: [[UInt8]: [String]] = [:]
        var incomplete: [Int] = []
        for (index, entry) in mappings.enumerated() {
            guard let tokenRole = entry.tokenRole, let roles = entry.mappedRoles else {
                incomplete.append(index)
                continue
            }
            mapped[Array(tokenRole.utf8), default: []] += roles
        }
        mappedRoles = mapped
        incompleteEntries = incomplete
    }

    /// The roles of a caller with these claims.
    /// - Parameters:
    ///   - assigned: roles of the local account; empty for a virtual user (CON-04).
    ///   - catalogue: names outside it are never granted (ROLE-04).
    package func roles(claims: JSONNode, assigned: [String] = [], catalogue: RoleCatalogue) -> RoleSet {
        let found = roleAttributes.flatMap { values(of: claims[$0]) }
        // A mapped value is replaced, an unmapped one keeps its name (AMB-05).
        var names = found.flatMap { mappedRoles[Array($0.utf8)] ?? [$0] }
        // Unknown names count as found: they suppress the defaults (AMB-06).
        if found.isEmpty { names += defaultRoles }
        return catalogue.roles(named: names + issuerRoles + assigned)
    }

    /// A string is one role, an array of strings several; anything else adds nothing (JWT-27).
    private func values(of claim: JSONNode?) -> [String] {
        guard let claim else { return [] }
        let strings = claim.array.map { $0.compactMap(\.string) } ?? claim.string.map { [$0] } ?? []
        return strings.filter { !$0.isEmpty }
    }
}
