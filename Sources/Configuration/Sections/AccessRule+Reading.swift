import Bytes
import Declaration
import Model

extension AccessRule {
    /// Whether a caller must be known.
    private enum CallerRule: String, Sendable, CaseIterable { case required, optional }

    /// Reads the rule of a route, or of a method, which inherits the members it does not name.
    /// - Parameter path: of the route.
    static func read(_ object: inout ObjectReader, on path: PathPattern, inherited: AccessRule?) -> AccessRule {
        var access = inherited ?? AccessRule()
        let isPublic = object.take("public", .flag, default: false, "Whether no credential is required at all.")
        let identity = object.take(
            "identity", Shape<CallerRule>.choice, default: .required,
            """
            With `optional`, requests without a credential are admitted, too: a valid one is used, and a bad one refused.
            """)
        let members = RequirementMembers(&object, on: path)
        let proof = object.take(
            "proof", Shape<ProofRule>.choice, default: .optional,
            """
            With `required`, only [bound tokens](guides/bound-tokens.md) and certificates of clients open the route.
            """)
        object.read(
            "socialLogin", .flag, into: &access.socialLogin,
            "Whether only social logins are accepted, where a login is required.")
        let certificate = object.take(
            "clientCertificate", .certificatePatterns,
            """
            Whether the client must show a [certificate](guides/client-certificates.md), or patterns of which its names \
            must fit one.
            """)
        if let certificate { access.clientCertificate = certificate.read() }
        let (explicitPublic, explicitIdentity) = (isPublic?.read(), identity?.read())
        let explicitLogin = members.apply(to: &access)
        if let proof { access.requiresProof = proof.read() == .required }

        /// Requirements that are named here and that nothing is left of.
        func refuse(_ members: [(String, Field?)], _ message: (String) -> String, _ other: String) {
            for case (let name, let field?) in members {
                field.error(message(name), expected: "either \(other) or \"\(name)\"")
            }
        }
        let named = [
            ("roles", access.roles.isEmpty ? nil : members.roles?.field), ("scopes", members.scopes?.field),
            ("claims", members.claimRules?.field), ("acr", members.contexts?.field),
            ("maxAge", members.maximumAge?.field),
        ]
        let requiredProof = access.requiresProof ? proof?.field : nil
        if explicitPublic == true {
            if explicitLogin == true {
                members.login?.field.error(
                    "a public route requires no login", expected: "either \"public\" or \"loginRequired\"")
            }
            refuse(
                named + [
                    ("issuers", members.issuers?.field), ("jwt", members.jwtIssuers?.field),
                    ("audience", members.audience?.field),
                    ("identity", identity?.field), ("proof", requiredProof),
                ],
                { "a public route has no \($0)" }, "\"public\"")
            // Certificates are required independently, when the connection begins.
            let before = access
            access = AccessRule()
            (access.isPublic, access.loginRequired, access.clientCertificate) = (true, false, before.clientCertificate)
            access.policyServers = before.policyServers
        } else if explicitIdentity == .optional {
            // Those who leave their credential out would not need it.
            refuse(
                named + [
                    ("level", members.level?.field),
                    ("loginRequired", explicitLogin == true ? members.login?.field : nil),
                ],
                { "a route for callers without a credential cannot require \"\($0)\"" }, "\"identity\": \"optional\"")
            let before = access
            access = AccessRule()
            (access.isOptional, access.loginRequired, access.clientCertificate) = (
                true, false, before.clientCertificate
            )
            (access.issuers, access.audience) = (before.issuers, before.audience)
            access.policyServers = before.policyServers
            access.requiresProof = before.requiresProof
        } else if explicitPublic == false || explicitLogin == true || explicitIdentity != nil
            || named.contains(where: { $0.1 != nil }) || members.roles != nil || requiredProof != nil
        {
            // A method with requirements is not public, even on a public route.
            (access.isPublic, access.isOptional) = (false, false)
            if inherited?.isPublic == true || inherited?.isOptional == true {
                access.loginRequired = explicitLogin ?? true
            }
        }
        if access.socialLogin, !access.roles.isEmpty {
            // Social users have no roles (FB-07).
            object.field.warning("social users have no roles, so \"roles\" locks them out of this route")
        }
        // That of the route is not inherited: it was made of the rule of the route.
        access.trial = []
        let trial = object.take(
            "trial", trial(over: access, on: path),
            """
            A rule [on trial](guides/trial.md): requests that it would refuse are admitted, logged and counted. What \
            it does not name is as in the rule that it stands in.
            """)
        if access.isPublic || access.isOptional {
            trial?.field.error(
                "a rule on trial is asked about callers", expected: "\"trial\" where a credential is required")
        }
        access.trial = trial?.read().map { [$0] } ?? []
        return access
    }

    private static func trial(over rule: AccessRule, on path: PathPattern) -> Shape<AccessRule> {
        .object("a rule: {\"roles\", \"scopes\", \"claims\"}") { object in
            var trial = rule
            _ = RequirementMembers(&object, on: path).apply(to: &trial)
            if trial == rule {
                object.field.error("it requires what the rule around it does", expected: "another rule")
            }
            return trial
        }
    }
}

/// What a rule requires of a caller's login and token.
private struct RequirementMembers {
    let login: ObjectReader.Member<Bool>?
    let roles: ObjectReader.Member<RoleNames>?
    let scopes: ObjectReader.Member<RoleNames>?
    let claimRules: ObjectReader.Member<[ClaimRule]>?
    let issuers: ObjectReader.Member<[String]>?
    let jwtIssuers: ObjectReader.Member<[String]>?
    let audience: ObjectReader.Member<[String]>?
    let contexts: ObjectReader.Member<[String]>?
    let maximumAge: ObjectReader.Member<Duration>?
    let level: ObjectReader.Member<Int>?
    let policyServers: ObjectReader.Member<[String]>?

    init(_ object: inout ObjectReader, on path: PathPattern) {
        login = object.take(
            "loginRequired", .flag, default: true,
            "Whether the caller must be a user, and not only an application or the anonymous key.")
        roles = object.take(
            "roles", RoleNames.shape,
            "Roles of which the caller needs one; or an object: one of `any`, each of `all`, and none of `none`.")
        scopes = object.take(
            "scopes", RoleNames.scopes,
            """
            [Scopes](guides/access-rules.md#scopes-and-claims) of the token, all of which are needed; or an object: one of `any`, each \
            of `all`.
            """)
        claimRules = object.take(
            "claims", ClaimRule.list(path),
            """
            [Conditions](guides/access-rules.md#scopes-and-claims) by claim, all of which must hold: a value, or an object with \
            `equals`, `in`, `contains` or `exists`.
            """)
        issuers = object.take(
            "issuers", .oneOrMore(of: .trustedIssuer),
            "Trusted issuers whose credentials count, and `local` for the gateway's own; all by default.")
        jwtIssuers = object.take(
            "jwt", .oneOrMore(of: .trustedIssuer),
            "In place of `issuers`, for a route that takes the JWTs of an issuer.")
        object.rules(.atMostOne(of: "issuers", "jwt"))
        audience = object.take(
            "audience", .oneOrMoreNames,
            "Values of `aud`, one of which the token must have; beside the `audience` of its issuer.")
        contexts = object.take(
            "acr", AccessRule.levels,
            """
            [Levels of the login](guides/step-up.md) (`acr`), one of which the token must have.
            """)
        maximumAge = object.take(
            "maxAge", .duration,
            "Longest time since the [login](guides/step-up.md) (`auth_time`) of the token's user.")
        level = object.take(
            "level", .level, "Authentication level that the caller needs; the webgate's by default.")
        policyServers = object.take(
            "policy", AccessRule.policies,
            """
            [Policy servers](guides/policy-servers.md), all of which must allow the request after every other rule does: a \
            name or a list, `[]` for none.
            """)
    }

    /// Reads the members that are there. Returns `loginRequired`, if it is one of them.
    func apply(to access: inout AccessRule) -> Bool? {
        let explicitLogin = login?.read()
        access.loginRequired = explicitLogin ?? access.loginRequired
        if let roles { access.roles = roles.read() ?? RoleNames() }
        if let scopes { access.scopes = scopes.read() ?? RoleNames() }
        access.claims = claimRules?.read() ?? access.claims
        access.issuers = (issuers ?? jwtIssuers)?.read() ?? access.issuers
        access.audience = audience?.read() ?? access.audience
        access.contexts = contexts?.read() ?? access.contexts
        access.maximumAge = AccessRule.seconds(maximumAge) ?? access.maximumAge
        access.level = level?.read() ?? access.level
        access.policyServers = policyServers?.read() ?? access.policyServers
        return explicitLogin
    }
}

extension RoleNames {
    static let shape = Shape(
        .named("roles", .either([.list(ReferenceKind.role.form), members.form()])), read: { RoleNames.read($0) })

    /// Scopes: a list means all of them.
    static let scopes = Shape<RoleNames>(
        .named("scopes", .either([Shape<[String]>.scopes.form(), scopeMembers.form()])),
        read: { field in
            guard field.node.members == nil else { return scopeMembers.read(field) }
            guard let scopes = Shape<[String]>.scopes.read(field) else { return nil }
            if field.node.array?.isEmpty == true {
                field.error("the list is empty", expected: "at least one scope, or no \"scopes\"")
            }
            return RoleNames(all: scopes)
        })

    private static let scopeMembers = Shape<RoleNames>.object("an array of scopes, or an object") { object in
        RoleNames(
            any: list(&object, "any", .scopes, of: "scope", "The token needs one of these."),
            all: list(&object, "all", .scopes, of: "scope", "The token needs each of these.") ?? [])
    }

    private static let members = Shape<RoleNames>.object("an object") { object in
        RoleNames(
            any: list(&object, "any", roleList, "The caller needs one of these."),
            all: list(&object, "all", roleList, "The caller needs each of these.") ?? [],
            none: list(&object, "none", roleList, "The caller must have none of these.") ?? [])
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

    private static let roleList = Shape.texts(.list(ReferenceKind.role.form, minimum: 1)) { $0.references(to: .role) }

    private static func list(
        _ object: inout ObjectReader, _ name: String, _ shape: Shape<[String]>, of noun: String = "role",
        _ meaning: String
    ) -> [String]? {
        guard let member = object.take(name, shape, meaning) else { return nil }
        let (field, names) = (member.field, member.read() ?? [])
        if names.isEmpty, field.node.array?.isEmpty == true {
            // An empty list could mean all callers or none.
            field.error("the list is empty", expected: "at least one \(noun), or no \"\(name)\"")
        }
        return names
    }
}
