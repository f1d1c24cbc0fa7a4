import Bytes
import Identity
import Model
import Testing

/// Entries of `samlIssuers` (SAML-09 to SAML-13), and who assertions speak of.
@Suite struct SAMLIssuerTests {
    private static let keys = #""issuerName":"https://i","certificateSubjectNames":["CN=idp.example.com,O=Example"]"#

    private func policy(_ members: String) throws -> AssertionPolicy {
        try AssertionPolicy(#"{"samlIssuers":[{\#(members)}]}"#)
    }

    private func issuer(_ members: String = "") throws -> AssertionIssuer {
        let policy = try policy(Self.keys + (members.isEmpty ? "" : ",") + members)
        return try #require(policy.samlEntries.first?.issuer, "\(policy.findings)")
    }

    @Test("a minimal entry has the defaults")
    func standards() throws {
        let policy = try policy(Self.keys)
        #expect(policy.isSound && policy.findings.isEmpty && policy.entries.isEmpty)
        let issuer = try issuer()
        #expect(issuer.isEnabled && !issuer.rules.virtualUserEnabled && issuer.rules.usernameSources.isEmpty)
        #expect(issuer.audiences == ["https://gw.example.com/mobile/platform/sso/exchange-token"])
        #expect(issuer.saml?.allowsSHA1 == false && !issuer.isSingleUse && issuer.allowedClients == nil)
        #expect(
            issuer.saml?.recipients == [
                "https://gw.example.com/mobile/platform/sso/exchange-token",
                "https://gw.example.com/mobile/platform/sso/redirect",
                "https://gw.example.com/mobile/platform/sso/redirect/saml",
            ])
    }

    @Test("every member of an entry is read")
    func everything() throws {
        let issuer = try issuer(
            #"""
            "enabled":false,"virtualUserEnabled":true,"audience":["urn:a"],"recipient":["https://r"],"allowSha1":true,
            "singleUseAssertions":true,"tokenTimeoutSeconds":60,"tokenTimeoutPolicy":"FromExternalToken","level":3,
            "userMappingAttribute":"mail","allowedMbes":[{"clientId":"c"}],
            "rules":[{"type":"roleAttribute","attributes":" groups ,roles,"},
            {"type":"roleMapping","tokenRole":"x","mappedRoles":["Clerk"]},{"type":"defaultRole","roles":["Guest"]},
            {"type":"issuerRole","roles":["Auditor"]},{"type":"userMapping","attribute":"mail"}]
            """#)
        #expect(!issuer.isEnabled && issuer.rules.virtualUserEnabled && issuer.isSingleUse && issuer.level == 3)
        #expect(issuer.audiences.last == "urn:a" && issuer.saml?.recipients.last == "https://r")
        #expect(issuer.saml?.allowsSHA1 == true && issuer.rules.usernameSources == ["mail"])
        #expect(issuer.rules.roleMapping.sources == ["groups", "roles"])
        #expect(issuer.rules.roleMapping.defaultRoles == ["Guest"])
        #expect(issuer.rules.roleMapping.issuerRoles == ["Auditor"])
        #expect(issuer.lifetime == TokenLifetime(seconds: 60, policy: .fromExternalToken))
    }

    @Test(
        "SAML-09: an unusable entry is a configuration error",
        arguments: [
            (#""certificateSubjectNames":["CN=a"]"#, ""),
            (#""issuerName":"i""#, ""), (#""issuerName":"i","certificateSubjectNames":[]"#, "/certificateSubjectNames"),
            (#""issuerName":"i","certificateSubjectNames":["a"]"#, "/certificateSubjectNames"),
            (#""issuerName":"","certificateSubjectNames":["CN=a"]"#, "/issuerName"),
            (#"\#(keys),"rules":{}"#, "/rules"), (#"\#(keys),"rules":[1]"#, "/rules/0"),
            (#"\#(keys),"rules":[{}]"#, "/rules/0/type"), (#"\#(keys),"rules":[{"type":"x"}]"#, "/rules/0/type"),
            (#"\#(keys),"rules":[{"type":"roleAttribute","attributes":" , "}]"#, "/rules/0/attributes"),
            (#"\#(keys),"rules":[{"type":"roleAttribute"}]"#, "/rules/0/attributes"),
            (#"\#(keys),"rules":[{"type":"roleMapping","tokenRole":"a","mappedRoles":"b"}]"#, "/rules/0/mappedRoles"),
            (#"\#(keys),"rules":[{"type":"defaultRole","roles":"a"}]"#, "/rules/0/roles"),
            (#"\#(keys),"rules":[{"type":"userMapping"}]"#, "/rules/0/attribute"),
            (
                #"\#(keys),"rules":[{"type":"userMapping","attribute":"a"},{"type":"userMapping","attribute":"b"}]"#,
                "/rules/1"
            ),
            (#"\#(keys),"allowSha1":1"#, "/allowSha1"), (#"\#(keys),"audience":"a""#, "/audience"),
        ])
    func wrong(_ members: String, _ pointer: String) throws {
        let policy = try policy(members)
        #expect(policy.samlEntries.count == 1 && policy.samlEntries[0].issuer == nil)
        #expect(policy.findings.contains { $0.pointer == "/samlIssuers/0\(pointer)" }, "\(policy.findings)")
        #expect(policy.findings.contains { $0.severity == .error && $0.pointer == "/samlIssuers/0" })
        #expect(policy.isSound)
    }

    @Test("duplicate entries are disabled; one name may be of both kinds of issuer")
    func others() throws {
        let twice = try AssertionPolicy(#"{"samlIssuers":[{\#(Self.keys)},{\#(Self.keys)}]}"#)
        #expect(twice.samlEntries.allSatisfy { $0.issuer == nil })
        #expect(twice.findings.contains { $0.pointer == "/samlIssuers/1/issuerName" && $0.severity == .error })
        // One name may stand for an issuer of either kind.
        let both = try AssertionPolicy(#"{"issuers":[{\#(Self.keys)}],"samlIssuers":[{\#(Self.keys)}]}"#)
        guard case .issuer(let token) = both.lookup("https://i"),
            case .issuer(let saml) = both.lookup(saml: "https://i")
        else {
            Issue.record("\(both.findings)")
            return
        }
        #expect(token.saml == nil && saml.saml != nil)
        let wrong = try AssertionPolicy(#"{"samlIssuers":{}}"#)
        #expect(wrong.findings.contains { $0.pointer == "/samlIssuers" && $0.severity == .error })
        // JWT-28: a mapping that is incomplete is ignored.
        let incomplete = try policy(#"\#(Self.keys),"rules":[{"type":"roleMapping","mappedRoles":[]}]"#)
        #expect(incomplete.findings.map(\.pointer) == ["/samlIssuers/0/rules/0/tokenRole"])
        #expect(incomplete.samlEntries[0].issuer != nil)
        // Roles outside the catalogue are reported, and never granted (ROLE-04).
        let strange = try policy(#"\#(Self.keys),"rules":[{"type":"defaultRole","roles":["Boss"]}]"#)
        #expect(strange.findings.map(\.pointer) == ["/samlIssuers/0/rules/0/roles"])
        #expect(strange.samlEntries[0].issuer != nil)
    }

    // MARK: Who it is

    private func identity(
        _ issuer: AssertionIssuer, subject: String?, _ attributes: [(String, [String])] = []
    ) throws -> ExternalIdentity {
        var assertion = SAMLAssertion(id: "_a", issuer: issuer.name, issueInstant: 0)
        assertion.nameID = subject.map { .init(value: $0) }
        assertion.attributes = attributes.map { .init(name: $0.0, friendlyName: "groups", values: $0.1) }
        return try issuer.rules.identify(
            assertion, realm: "Default", users: Assertion.users, catalogue: AssertionPolicy.standardCatalogue)
    }

    @Test("SAML-13: the user name comes from the mapping rule's attribute, or the subject")
    func names() throws {
        let plain = try issuer()
        #expect(try identity(plain, subject: "joe").username == "joe")
        for subject in [nil, ""] {
            #expect(throws: ExternalIdentityRejection.missingUsername) { try identity(plain, subject: subject) }
        }
        #expect(throws: ExternalIdentityRejection.unknownUser) { try identity(plain, subject: "zoe") }
        for subject in ["joe\n", "joe ", "\tjoe"] {
            #expect(throws: ExternalIdentityRejection.unusableUsername) { try identity(plain, subject: subject) }
        }
        let mapped = try issuer(#""virtualUserEnabled":true,"rules":[{"type":"userMapping","attribute":"mail"}]"#)
        #expect(try identity(mapped, subject: "1", [("mail", ["zoe@example.com"])]).username == "zoe@example.com")
        for attributes: [(String, [String])] in [
            [], [("mail", [])], [("mail", [""])], [("mail", ["a", "b"])], [("mail", ["a"]), ("mail", ["b"])],
            [("Mail", ["a"])],
        ] {
            #expect(throws: ExternalIdentityRejection.missingUsername) {
                try identity(mapped, subject: "joe", attributes)
            }
        }
    }

    @Test("SAML-10: all values of all named attributes are roles, by formal names")
    func roles() throws {
        let issuer = try issuer(
            #""virtualUserEnabled":true,"rules":[{"type":"roleAttribute","attributes":"groups, urn:r"}]"#)
        func roles(_ attributes: [(String, [String])]) throws -> Set<String> {
            let identity = try identity(issuer, subject: "zoe", attributes)
            return Set(AssertionPolicy.standardCatalogue.names(of: identity.roles))
        }
        #expect(
            try roles([("groups", ["Manager", "Boss"]), ("urn:r", ["Clerk"]), ("groups", ["Guest"])])
                == ["Manager", "Clerk", "Guest"])
        #expect(try roles([("other", ["Manager"])]) == [])
    }
}
