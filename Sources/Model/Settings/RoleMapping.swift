import Bytes

/// How the claims of an outside issuer become roles (JWT-25 to JWT-29, MAP-03).
package struct RoleMapping: Sendable {
    /// A role of the token and the local roles that it maps to (JWT-28). An entry without one of them is ignored (M22).
    package struct Entry: Sendable {
        package var tokenRole: String?
        package var mappedRoles: [String]?

        package init(tokenRole: String?, mappedRoles: [String]?) {
            self.tokenRole = tokenRole
            self.mappedRoles = mappedRoles
        }
    }

    /// Where roles are searched, in all of these.
    package let sources: [ClaimSource]
    /// Granted if the claims hold no value at all.
    package let defaultRoles: [String]
    /// Always granted.
    package let issuerRoles: [String]
    /// Indices of incomplete entries, for a warning at load.
    package let incompleteEntries: [Int]
    /// Local roles by role of the token.
    package let mappedRoles: [ExactText: [String]]

    package init(
        sources: [ClaimSource] = [], mappings: [Entry] = [], defaultRoles: [String] = [], issuerRoles: [String] = []
    ) {
        self.sources = sources
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
}
