import Bytes

/// Who may pass a route, or one method of it.
package struct AccessEntry: Sendable {
    /// No credential at all is asked for (AMB-20).
    package var isPublic = false
    /// Whether the caller must be a user (ROLE-02).
    package var loginRequired = true
    package var socialLogin = false
    package var roles = RolesEntry()
    /// What is asked of the client's certificate; nil for nothing, empty for any that the listener accepts.
    package var clientCertificate: [String]?
    /// Overrides the level of the webgate.
    package var level: Int?

    /// Reads the rule out of a route, or out of a method's object inside one, which then changes only what it names.
    static func read(_ object: inout ObjectReader, inherited: AccessEntry?) -> AccessEntry {
        var access = inherited ?? AccessEntry()
        let publicField = object.take("public")
        let loginField = object.take("loginRequired")
        let rolesField = object.take("roles")
        let explicitPublic = publicField.flatMap { $0.bool() }
        let explicitLogin = loginField.flatMap { $0.bool() }
        access.socialLogin = object.flag("socialLogin", default: access.socialLogin)
        if let field = object.take("clientCertificate") { access.clientCertificate = field.certificatePatterns() }
        access.level = object.optional("level") { $0.level() } ?? access.level
        access.loginRequired = explicitLogin ?? access.loginRequired
        if let rolesField { access.roles = RolesEntry.read(rolesField) ?? RolesEntry() }

        if explicitPublic == true {
            if explicitLogin == true {
                loginField?.error(
                    "a public route asks for no login", expected: "either \"public\" or \"loginRequired\"")
            }
            if rolesField != nil, !access.roles.isEmpty {
                rolesField?.error("a public route has no roles", expected: "either \"public\" or \"roles\"")
            }
            // A certificate is none of these credentials: it is asked for where the connection begins.
            access = AccessEntry(
                isPublic: true, loginRequired: false, clientCertificate: access.clientCertificate)
        } else if explicitPublic == false || explicitLogin == true || rolesField != nil {
            // A method that asks for something is not public, whatever its route is.
            access.isPublic = false
            if inherited?.isPublic == true { access.loginRequired = explicitLogin ?? true }
        }
        if access.socialLogin, !access.roles.isEmpty {
            // Social users have no roles, so nobody could use the social login (FB-07).
            object.field.warning("social users have no roles, so \"roles\" locks them out of this route")
        }
        return access
    }
}

/// Role requirements (ROLE-01): one of `any`, each of `all`, and none of `none`.
package struct RolesEntry: Sendable {
    package var any: [String] = []
    package var all: [String] = []
    package var none: [String] = []

    package var isEmpty: Bool { any.isEmpty && all.isEmpty && none.isEmpty }

    static func read(_ field: Field) -> RolesEntry? {
        if field.node.array != nil { return RolesEntry(any: field.references(to: .role) ?? []) }
        guard field.node.members != nil else {
            field.wrongType("an array of roles, or an object with \"any\", \"all\" and \"none\"")
            return nil
        }
        var object = field.object("an object")
        let roles = RolesEntry(
            any: list(&object, "any"), all: list(&object, "all"), none: list(&object, "none"))
        object.finish()
        for name in roles.none where roles.all.contains(name) || roles.any == [name] {
            let index = field.node["none"]?.array?.firstIndex { $0.string == name } ?? 0
            field.findings.error(
                "\(field.pointer)/none/\(index)", "the role \"\(name)\" is asked for and refused",
                expected: "a role that is not in \"any\" or \"all\"")
        }
        return roles
    }

    private static func list(_ object: inout ObjectReader, _ name: String) -> [String] {
        guard let field = object.take(name), let roles = field.references(to: .role) else { return [] }
        if roles.isEmpty, field.node.array?.isEmpty == true {
            // "any of nothing" could be read as everybody or as nobody.
            field.error("the list is empty", expected: "at least one role, or no \"\(name)\"")
        }
        return roles
    }
}
