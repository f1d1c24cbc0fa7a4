import Bytes
import Model

extension AccessRule {
    /// Reads the rule of a route, or of a method, which inherits the members it does not name.
    static func read(_ object: inout ObjectReader, inherited: AccessRule?) -> AccessRule {
        var access = inherited ?? AccessRule()
        let publicMember = object.take("public", .flag, default: false, "Whether no credential is required at all.")
        let loginMember = object.take(
            "loginRequired", .flag, default: true,
            "Whether the caller must be a user, and not only an application or the anonymous key.")
        let rolesMember = object.take(
            "roles", RoleNames.shape,
            "Roles of which the caller needs one; or an object: one of `any`, each of `all`, and none of `none`.")
        let (loginField, rolesField) = (loginMember?.field, rolesMember?.field)
        let explicitPublic = publicMember?.read()
        let explicitLogin = loginMember?.read()
        access.socialLogin = object.flag(
            "socialLogin", default: access.socialLogin,
            "Whether only social logins are accepted, where a login is required.")
        let certificate = object.take(
            "clientCertificate", .certificatePatterns,
            """
            Whether the client must show a [certificate](README.md#client-certificates), or patterns of which its names \
            must fit one.
            """)
        if let certificate { access.clientCertificate = certificate.field.certificatePatterns() }
        access.level =
            object.optional("level", .level, "Authentication level that the caller needs; the webgate's by default.")
            ?? access.level
        access.loginRequired = explicitLogin ?? access.loginRequired
        if let rolesMember { access.roles = rolesMember.read() ?? RoleNames() }

        if explicitPublic == true {
            if explicitLogin == true {
                loginField?.error(
                    "a public route requires no login", expected: "either \"public\" or \"loginRequired\"")
            }
            if rolesField != nil, !access.roles.isEmpty {
                rolesField?.error("a public route has no roles", expected: "either \"public\" or \"roles\"")
            }
            // Certificates are required independently, when the connection begins.
            let certificate = access.clientCertificate
            access = AccessRule()
            (access.isPublic, access.loginRequired, access.clientCertificate) = (true, false, certificate)
        } else if explicitPublic == false || explicitLogin == true || rolesField != nil {
            // A method with requirements is not public, even on a public route.
            access.isPublic = false
            if inherited?.isPublic == true { access.loginRequired = explicitLogin ?? true }
        }
        if access.socialLogin, !access.roles.isEmpty {
            // Social users have no roles (FB-07).
            object.field.warning("social users have no roles, so \"roles\" locks them out of this route")
        }
        return access
    }
}

extension RoleNames {
    static let shape = Shape(
        .named("roles", .either([.list(ReferenceKind.role.form), members.form()])), read: { RoleNames.read($0) })

    private static let members = Shape<RoleNames>.object("an object") { object in
        RoleNames(
            any: list(&object, "any", "The caller needs one of these."),
            all: list(&object, "all", "The caller needs each of these.") ?? [],
            none: list(&object, "none", "The caller must have none of these.") ?? [])
    }

    private static func read(_ field: Field) -> RoleNames? {
        if let elements = field.node.array {
            return RoleNames(any: elements.isEmpty ? nil : field.references(to: .role) ?? [])
        }
        guard field.node.members != nil else {
            return field.wrongType("an array of roles, or an object with \"any\", \"all\" and \"none\"")
        }
        guard let roles = members.read(field) else { return nil }
        for name in roles.none where roles.all.contains(name) || roles.any == [name] {
            let index = field.node["none"]?.array?.firstIndex { $0.string == name } ?? 0
            field.findings.error(
                "\(field.pointer)/none/\(index)", "the role \"\(name)\" is asked for and refused",
                expected: "a role that is not in \"any\" or \"all\"")
        }
        return roles
    }

    private static func list(_ object: inout ObjectReader, _ name: String, _ meaning: String) -> [String]? {
        let shape = Shape.texts(.list(ReferenceKind.role.form, minimum: 1)) { $0.references(to: .role) }
        guard let member = object.take(name, shape, meaning) else { return nil }
        let (field, roles) = (member.field, member.read() ?? [])
        if roles.isEmpty, field.node.array?.isEmpty == true {
            // An empty list could mean everyone or no one.
            field.error("the list is empty", expected: "at least one role, or no \"\(name)\"")
        }
        return roles
    }
}
