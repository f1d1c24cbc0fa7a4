import Bytes
import Declaration
import Model

extension ExternalIdentityRules {
    /// The members about users and roles that trusted issuers and identity providers share.
    ///
    /// - Parameter prefix: the default of `usernamePrefix`, and its meaning.
    static func read(
        _ object: inout ObjectReader, prefix: (value: String, meaning: String) = ("", "none by default")
    ) -> ExternalIdentityRules {
        let usernames = sources(
            &object, "usernameAttribute",
            "Claim or SAML attribute with the user name; by default `sub` (`NameID` of SAML).",
            "usernameClaim", allowsDomains: false,
            """
            [Where the user name is](guides/trusted-issuers.md#names-and-roles-in-nested-claims), in place of `usernameAttribute`; of \
            several places the first that has one counts.
            """
        ) { Shape<String>.name.map { [$0] } }
        let roles = sources(
            &object, "roleAttributes", "Claims or SAML attributes with roles, of which those of `roles.json` count.",
            "rolesClaim", allowsDomains: true,
            """
            [Where roles are](guides/trusted-issuers.md#names-and-roles-in-nested-claims), in place of `roleAttributes`: \
            `realm_access.roles`, or `{"claim": "scope", "split": " ", "prefix": "role:"}`; all of several places count.
            """
        ) { .names }
        object.rules(
            .atMostOne(of: "usernameAttribute", "usernameClaim"), .atMostOne(of: "roleAttributes", "rolesClaim"))
        let usernamePrefix = object.optional(
            "usernamePrefix",
            .text(.anyText) { field in
                field.node.string?.isEmpty == true ? "" : field.fieldValue()
            },
            "Prefix of the names of users without an account; \(prefix.meaning).")
        var rules = ExternalIdentityRules(
            usernameSources: usernames,
            virtualUserEnabled: object.flag(
                "virtualUserEnabled", default: true,
                """
                Whether users without a local account are accepted. They have the roles that their claims give, and never \
                those of an account of the same name. If not, an account is needed, and its roles count besides.
                """),
            userMapping: object.value(
                "userMappingAttribute", .choice, default: UserMapping.uid,
                "Which attribute of a local user the name is compared with: `uid` (the user name) or `mail`."),
            roleMapping: RoleMapping(
                sources: roles,
                mappings: object.value(
                    "roleMappings", roleMappings, default: [],
                    "Roles of the catalogue that roles of the claims stand for."),
                defaultRoles: object.value(
                    "defaultRoles", .references(to: .role), default: [], "Roles of users whose claims name none."),
                issuerRoles: object.value(
                    "issuerRoles", .references(to: .role), default: [],
                    "Roles that every user of the issuer or provider gets.")))
        rules.usernamePrefix = usernamePrefix ?? prefix.value
        return rules
    }

    /// Names of claims, or places of claims; not both.
    private static func sources(
        _ object: inout ObjectReader, _ literal: String, _ literalMeaning: String, _ name: String,
        allowsDomains: Bool, _ meaning: String,
        _ shape: () -> Shape<[String]>
    ) -> [ClaimSource] {
        let literals = object.optional(literal, shape(), literalMeaning)
        guard let places = object.take(name, ClaimSource.list, meaning) else {
            return literals?.map { ClaimSource(literal: $0) } ?? []
        }
        let sources = places.read() ?? []
        // All users of a domain would be one user.
        if !allowsDomains, sources.contains(where: { $0.part == .domain }) {
            places.field.error("\"part\": \"domain\" names no user", expected: "the whole claim")
        }
        return sources
    }

    private static let roleMappings = Shape.object("a mapping: {\"tokenRole\", \"mappedRoles\"}") { object in
        RoleMapping.Entry(
            tokenRole: object.required(
                "tokenRole", .name, "a role of the token", placeholder: "", "A role of the token."),
            mappedRoles: object.required(
                "mappedRoles", .references(to: .role), "an array of roles", placeholder: [], "Roles of the catalogue."))
    }
    .list("an array of {\"tokenRole\", \"mappedRoles\"}", isUnique: false)
}

extension ClaimSource {
    private static let expected =
        "a place in the claims such as \"realm_access.roles\" or {\"claim\": \"scope\", \"split\": \" \"}, or several"

    /// One place, or a list of them.
    fileprivate static let list = Shape<[ClaimSource]>(
        .named("claims", .either([form, .list(form, minimum: 1)])),
        read: { field in
            guard let elements = field.node.array else { return shape.read(field).map { [$0] } }
            if elements.isEmpty { field.error("the list is empty", expected: "at least one claim") }
            return field.elements(expected)?.compactMap(shape.read)
        })

    private static var form: Form { .either([.text, object.form()]) }

    private static let shape = Shape<ClaimSource>(
        form,
        read: { field in
            if field.node.members != nil { return object.read(field) ?? nil }
            guard field.node.string != nil else { return field.wrongType(expected) }
            return ClaimPath.shape.read(field).map { ClaimSource($0) }
        })

    private static let object = Shape<ClaimSource?>.object(expected) { object in
        let path = object.required("claim", ClaimPath.shape, "the place of a claim", "The place of the claim.")
        let separator = object.optional(
            "split", character, "A character that stands between the values of a text.")
        let prefix = object.optional(
            "prefix", .name, "Only values that begin with it count, and count without it.")
        let part = object.value(
            "part", .choice, default: ClaimSource.Part.whole,
            "What counts of a text: `whole`, or `domain` for the `@` and the domain of an e-mail address, in lower case."
        )
        return path.map { ClaimSource($0, separator: separator, prefix: prefix ?? "", part: part) }
    }
}

/// One character.
private let character = Shape<Character>(
    .pattern("^.$"),
    read: { field in
        let expected = "one character, such as \" \""
        guard let text = field.text(expected) else { return nil }
        return text.count == 1 ? text.first : field.invalid(expected)
    })

extension ClaimPath {
    /// The place of a claim.
    static let shape = Shape<ClaimPath>(
        .text,
        read: { field in
            field.text("the place of a claim, such as \"email\" or \"realm_access.roles\"").flatMap { read($0, field) }
        })

    /// - Parameter field: where errors are reported.
    static func read(_ text: String, _ field: Field) -> ClaimPath? {
        do throws(Problem) {
            return try ClaimPath(text)
        } catch {
            return field.error("\"\(text)\" names no claim: \(error.rawValue)", expected: "a claim")
        }
    }
}
