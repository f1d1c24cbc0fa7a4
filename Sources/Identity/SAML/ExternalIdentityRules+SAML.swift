import Bytes
import Declaration
import Model

extension ExternalIdentityRules {
    /// Reads the user and role members of a `samlIssuers` entry: `rules`, each an object with a `type` (SAML-10 to
    /// SAML-13), and `virtualUserEnabled`, `userMappingAttribute` as for other tokens.
    init(saml object: inout ObjectReader, catalogue: RoleCatalogue) {
        let rules =
            object.optional("rules", SAMLRules.shape(catalogue), "User names and roles from attributes.")
            ?? SAMLRules()
        self.init(
            usernameSources: rules.usernameAttribute.map { [ClaimSource(literal: $0)] } ?? [],
            virtualUserEnabled: ExternalIdentityRules.virtualUsers(&object),
            userMapping: ExternalIdentityRules.userMapping(&object),
            roleMapping: RoleMapping(
                sources: rules.roleAttributes, mappings: rules.mappings, defaultRoles: rules.defaultRoles,
                issuerRoles: rules.issuerRoles))
    }

    /// The user of a verified assertion: from the attribute that a user mapping rule names, otherwise the subject
    /// (SAML-13).
    package func identify(
        _ assertion: SAMLAssertion, realm: String?, users: UserStore, catalogue: RoleCatalogue
    ) throws(ExternalIdentityRejection) -> ExternalIdentity {
        try resolve(
            username(in: assertion), claims: assertion.claims, realm: realm, users: users, catalogue: catalogue)
    }

    /// The user name in an assertion. An attribute with several values is refused.
    package func username(in assertion: SAMLAssertion) throws(ExternalIdentityRejection) -> String {
        if !usernameSources.isEmpty { return try username(in: assertion.claims) }
        guard let nameID = assertion.nameID else { throw .missingUsername }
        return try username(in: JSONNode(.object([JSONMember(name: "sub", node: JSONNode(.string(nameID.value)))])))
    }
}

extension SAMLAssertion {
    /// Its attributes as claims.
    package var claims: JSONNode { attributes.claims }
}

extension [SAMLAssertion.Attribute] {
    /// The attributes as claims: each name once, one value as a text and several as an array. Names are formal names: those for people are
    /// no basis for anything (SAML core section 2.7.3.1).
    var claims: JSONNode {
        var names: [String] = []
        var values: [ExactText: [JSONNode]] = [:]
        for attribute in self {
            let key = ExactText(attribute.name)
            if values[key] == nil { names.append(attribute.name) }
            values[key, default: []] += attribute.values.map { JSONNode(.string($0)) }
        }
        let members = names.map { name in
            let values = values[ExactText(name)] ?? []
            return JSONMember(name: name, node: values.count == 1 ? values[0] : JSONNode(.array(values)))
        }
        return JSONNode(.object(members))
    }
}

/// The rules of an entry as they are read, one after the other.
private struct SAMLRules {
    var usernameAttribute: String?
    var roleAttributes: [ClaimSource] = []
    var mappings: [RoleMapping.Entry] = []
    var defaultRoles: [String] = []
    var issuerRoles: [String] = []

    enum Kind: String, Sendable, CaseIterable {
        case roleAttribute, roleMapping, defaultRole, issuerRole, userMapping
    }

    private static let kinds = "\"roleAttribute\", \"roleMapping\", \"defaultRole\", \"issuerRole\" or \"userMapping\""

    static func shape(_ catalogue: RoleCatalogue) -> Shape<SAMLRules> {
        Shape(
            .list(.object(form), isUnique: false),
            read: { field in
                var rules = SAMLRules()
                for element in field.elements("an array of rules") ?? [] { rules.read(element, catalogue) }
                return rules
            })
    }

    /// The form of a rule. Each kind needs the keys that it reads.
    private static var form: ObjectForm {
        let parts = Kind.allCases.map { kind in
            (
                kind: kind,
                form: ObjectForm.of { object in
                    var rules = SAMLRules()
                    rules.read(kind, &object, RoleCatalogue([]))
                }
            )
        }
        return ObjectForm.of { object in
            object.ignoreOthers()
            _ = kind(&object)
            var rules = SAMLRules()
            // An issuer rule has the key of a default rule.
            for kind in Kind.allCases where kind != .issuerRole { rules.read(kind, &object, RoleCatalogue([])) }
            for part in parts {
                object.rules(.requires(part.form.names, if: .equals("type", part.kind.rawValue)))
            }
        }
    }

    private static func kind(_ object: inout ObjectReader) -> Kind? {
        object.required("type", .choice, kinds, "What the rule is about.")
    }

    private mutating func read(_ field: Field, _ catalogue: RoleCatalogue) {
        var object = field.object("a rule object")
        object.ignoreOthers()
        guard let kind = SAMLRules.kind(&object) else { return }
        read(kind, &object, catalogue)
        object.finish()
    }

    private mutating func read(_ kind: Kind, _ object: inout ObjectReader, _ catalogue: RoleCatalogue) {
        switch kind {
        case .roleAttribute: readRoleAttribute(&object)
        case .roleMapping: readRoleMapping(&object, catalogue)
        case .defaultRole: defaultRoles += SAMLRules.roles(&object, catalogue)
        case .issuerRole: issuerRoles += SAMLRules.roles(&object, catalogue)
        case .userMapping: readUserMapping(&object)
        }
    }

    /// SAML-10: comma-separated names.
    private mutating func readRoleAttribute(_ object: inout ObjectReader) {
        let expected = "names of attributes, with commas between them"
        let names = Shape<[String]>(
            .pattern("[^, \\t]"),
            read: { field in
                let text = field.text(expected) ?? ""
                return text.utf8.split(separator: ASCII.comma).map(SAMLRules.trimmed).filter { !$0.isEmpty }
            })
        let attributes = object.optional(
            "attributes", names, "Of `roleAttribute`: names of attributes with roles, separated by commas.")
        if attributes?.isEmpty != false { object.error(at: "attributes", "wrong value", expected: expected) }
        roleAttributes += (attributes ?? []).map { ClaimSource(literal: $0) }
    }

    /// SAML-11; incomplete mappings as in JWT-28.
    private mutating func readRoleMapping(_ object: inout ObjectReader, _ catalogue: RoleCatalogue) {
        let mapping = RoleMapping.Entry(
            tokenRole: object.optional("tokenRole", .name, "Of `roleMapping`: a role of the assertion."),
            mappedRoles: object.optional(
                "mappedRoles", .roles(catalogue), "Of `roleMapping`: roles of the catalogue for it."))
        for name in ["tokenRole", "mappedRoles"] where !object.holds(.has(name)) {
            object.warning(at: name, "missing: the rule is ignored")
        }
        mappings.append(mapping)
    }

    /// SAML-13.
    private mutating func readUserMapping(_ object: inout ObjectReader) {
        if usernameAttribute != nil { object.error("there is a rule of this type already") }
        object.read(
            "attribute", .name, into: &usernameAttribute, "Of `userMapping`: attribute with the user's name.")
        SAMLRules.require("attribute", of: object)
    }

    private static func roles(_ object: inout ObjectReader, _ catalogue: RoleCatalogue) -> [String] {
        let roles = object.optional(
            "roles", .roles(catalogue),
            "Of `defaultRole`: roles where the assertion has none. Of `issuerRole`: roles of all users.")
        require("roles", of: object)
        return roles ?? []
    }

    /// What rules of one kind need.
    private static func require(_ name: String, of object: ObjectReader) {
        if !object.holds(.has(name)) { object.error(at: name, "required member \"\(name)\" is missing") }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let start = text.drop { $0 == ASCII.space || $0 == ASCII.tab }
        let end = start.lastIndex { $0 != ASCII.space && $0 != ASCII.tab }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }
}
