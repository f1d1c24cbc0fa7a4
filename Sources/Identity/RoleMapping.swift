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
        for value in sources.lazy.flatMap({ $0.values(in: claims) }) {
            // Unknown names count as found: they suppress the defaults (AMB-06).
            isAnyFound = true
            // A mapped value is replaced, an unmapped one keeps its name (AMB-05).
            let mapped = mappedRoles.isEmpty ? nil : mappedRoles[ExactText(value)]
            roles.formUnion(catalogue.roles(named: mapped ?? [value]))
        }
        return isAnyFound ? roles : roles.union(catalogue.roles(named: defaultRoles))
    }
}
