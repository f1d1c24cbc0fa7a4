import Bytes
import Model

extension ExternalIdentityRules {
    /// Reads the user and role members of a `samlIssuers` entry: `rules`, each an object with a `type` (SAML-10 to
    /// SAML-13), and `virtualUserEnabled`, `userMappingAttribute` as for other tokens.
    init(saml reader: inout AssertionReader, catalogue: RoleCatalogue) {
        var rules = SAMLRules()
        let form = Form.list(.object(SAMLRules.form), isUnique: false)
        if let member = reader.take("rules", form, "User names and roles from attributes.") {
            if let elements = member.array {
                for (index, element) in elements.enumerated() { rules.read(element, at: index, &reader, catalogue) }
            } else {
                reader.fail("rules", "wrong type", expected: "an array of rules")
            }
        }
        self.init(
            usernameSources: rules.usernameAttribute.map { [ClaimSource(literal: $0)] } ?? [],
            virtualUserEnabled: ExternalIdentityRules.virtualUsers(&reader),
            userMapping: ExternalIdentityRules.userMapping(&reader),
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

    private enum Kind: String, CaseIterable {
        case roleAttribute, roleMapping, defaultRole, issuerRole, userMapping
    }

    private static let kinds = "\"roleAttribute\", \"roleMapping\", \"defaultRole\", \"issuerRole\" or \"userMapping\""

    /// The form of a rule. Each kind needs the keys that it reads.
    static var form: ObjectForm {
        let parts = Kind.allCases.map { kind in
            (
                kind: kind,
                form: AssertionReader.form { reader in
                    var rules = SAMLRules()
                    rules.read(kind, &reader, RoleCatalogue([]))
                }
            )
        }
        return AssertionReader.form { reader in
            _ = kind(&reader)
            var rules = SAMLRules()
            // An issuer rule has the key of a default rule.
            for kind in Kind.allCases where kind != .issuerRole { rules.read(kind, &reader, RoleCatalogue([])) }
            for part in parts {
                reader.rules(.requires(part.form.names, if: .equals("type", part.kind.rawValue)))
            }
        }
    }

    private static func kind(_ reader: inout AssertionReader) -> String? {
        reader.text(
            "type", as: .choice(Kind.allCases.map(\.rawValue)), expected: kinds, isRequired: true,
            "What the rule is about.")
    }

    mutating func read(_ node: JSONNode, at index: Int, _ issuer: inout AssertionReader, _ catalogue: RoleCatalogue) {
        let place = "rules/\(index)"
        guard node.members != nil else { return issuer.fail(place, "wrong type", expected: "a rule object") }
        var reader = AssertionReader(node, "\(issuer.pointer)/\(place)")
        if let name = SAMLRules.kind(&reader) {
            if let kind = Kind(rawValue: name) {
                read(kind, &reader, catalogue)
            } else {
                reader.fail("type", "unknown rule", expected: SAMLRules.kinds)
            }
        } else {
            reader.require("type")
        }
        if !reader.isBroken { reader.finish() }
        issuer.add(reader)
    }

    private mutating func read(_ kind: Kind, _ reader: inout AssertionReader, _ catalogue: RoleCatalogue) {
        switch kind {
        case .roleAttribute: readRoleAttribute(&reader)
        case .roleMapping: readRoleMapping(&reader, catalogue)
        case .defaultRole: defaultRoles += SAMLRules.roles(&reader, catalogue)
        case .issuerRole: issuerRoles += SAMLRules.roles(&reader, catalogue)
        case .userMapping: readUserMapping(&reader)
        }
    }

    /// SAML-10: comma-separated names.
    private mutating func readRoleAttribute(_ reader: inout AssertionReader) {
        let expected = "names of attributes, with commas between them"
        let text = reader.text(
            "attributes", as: .pattern("[^, \\t]"), expected: expected,
            "Of `roleAttribute`: names of attributes with roles, separated by commas.")
        let names = (text ?? "").utf8.split(separator: ASCII.comma).map(SAMLRules.trimmed).filter { !$0.isEmpty }
        if names.isEmpty, !reader.isBroken { reader.fail("attributes", "wrong value", expected: expected) }
        roleAttributes += names.map { ClaimSource(literal: $0) }
    }

    /// SAML-11; incomplete mappings as in JWT-28.
    private mutating func readRoleMapping(_ reader: inout AssertionReader, _ catalogue: RoleCatalogue) {
        let tokenRole = reader.text("tokenRole", "Of `roleMapping`: a role of the assertion.")
        let mappedRoles = reader.texts("mappedRoles", "Of `roleMapping`: roles of the catalogue for it.")
        if !reader.isBroken, tokenRole == nil || mappedRoles == nil {
            reader.warn(tokenRole == nil ? "tokenRole" : "mappedRoles", "missing: the rule is ignored")
        }
        ExternalIdentityRules.warn(of: mappedRoles ?? [], at: "mappedRoles", &reader, catalogue)
        mappings.append(RoleMapping.Entry(tokenRole: tokenRole, mappedRoles: mappedRoles))
    }

    /// SAML-13.
    private mutating func readUserMapping(_ reader: inout AssertionReader) {
        guard usernameAttribute == nil else { return reader.fail(nil, "there is a rule of this type already") }
        usernameAttribute = reader.text("attribute", "Of `userMapping`: attribute with the user's name.")
        reader.require("attribute")
    }

    private static func roles(_ reader: inout AssertionReader, _ catalogue: RoleCatalogue) -> [String] {
        reader.require("roles")
        let roles =
            reader.texts(
                "roles",
                "Of `defaultRole`: roles where the assertion has none. Of `issuerRole`: roles of all users."
            ) ?? []
        ExternalIdentityRules.warn(of: roles, at: "roles", &reader, catalogue)
        return roles
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let start = text.drop { $0 == ASCII.space || $0 == ASCII.tab }
        let end = start.lastIndex { $0 != ASCII.space && $0 != ASCII.tab }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }
}
