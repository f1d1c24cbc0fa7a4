import Bytes
import Model

extension RoleMapping {
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
