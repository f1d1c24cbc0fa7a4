import Bytes
import Declaration
import Identity
import Model
import TestSupport
import Testing

/// The lenient reading of `Security_AuthTokenConfiguration` (JWT-03 to JWT-38).
@Suite struct AssertionPolicyTests {
    private static let keys = #""certificateSubjectNames":["CN=a"]"#

    private func findings(_ issuer: String) throws -> [String] {
        try AssertionPolicy(#"{"issuers":[{"issuerName":"a",\#(issuer)}]}"#).findings.map(\.pointer)
    }

    @Test(
        "JWT-03: without an array of issuers the whole policy is invalid",
        arguments: ["{}", #"{"issuers":{}}"#, #"{"issuers":null}"#])
    func issuersMustBeAnArray(_ text: String) throws {
        let policy = try AssertionPolicy(text)
        #expect(!policy.isSound)
        #expect(policy.findings.map(\.severity) == [.error])
        #expect(try AssertionPolicy(#"{"issuers":[]}"#).isSound)
    }

    @Test("the schema of a rule between members refuses what its check refuses")
    func declaredRules() {
        let rules = Form.object(AssertionPolicy.form).objects.flatMap(\.rules)
        #expect(rules.count == 10)
        for rule in rules {
            let trial = RuleTrial(rule)
            #expect(trial.disagreements == [] && trial.refused > 0 && trial.accepted > 0, "\(rule)")
        }
    }

    @Test("an incomplete backend that may exchange is reported, and matches none")
    func incompleteBackend() throws {
        for client in ["{}", #"{"name":"b"}"#, #"{"clientId":7}"#, #"{"name":"b","version":1}"#] {
            #expect(try findings("\(Self.keys),\"allowedMbes\":[\(client)]") == ["/issuers/0/allowedMbes/0"])
        }
        for client in [#"{"clientId":"c"}"#, #"{"name":"b","version":"1"}"#] {
            #expect(try findings("\(Self.keys),\"allowedMbes\":[\(client)]") == [])
        }
    }

    @Test("JWT-03: an invalid issuer disables only itself")
    func invalidIssuerDisablesItselfAlone() throws {
        let policy = try AssertionPolicy(
            #"{"issuers":[{"issuerName":"a"},{"issuerName":"b",\#(Self.keys)},7,{\#(Self.keys)}]}"#)
        #expect(policy.isSound)
        guard case .invalid = policy.lookup("a"), case .issuer = policy.lookup("b"), case .unknown = policy.lookup("c")
        else {
            Issue.record("\(policy.entries)")
            return
        }
        #expect(policy.findings.allSatisfy { $0.severity == .warning })
        #expect(
            Set(policy.findings.map(\.pointer)) == ["/issuers/0", "/issuers/2", "/issuers/3", "/issuers/3/issuerName"])
    }

    @Test("two entries with one name are both disabled")
    func twoEntriesOfOneNameAreBothDisabled() throws {
        let policy = try AssertionPolicy(
            #"{"issuers":[{"issuerName":"a",\#(Self.keys)},{"issuerName":"b",\#(Self.keys)},{"issuerName":"a",\#(Self.keys)}]}"#
        )
        guard case .invalid = policy.lookup("a"), case .issuer = policy.lookup("b") else {
            Issue.record("\(policy.entries)")
            return
        }
        #expect(policy.findings.map(\.pointer) == ["/issuers/2/issuerName"])
        #expect(policy.findings.map(\.severity) == [.error])
    }

    @Test("JWT-10: issuer names are compared byte by byte, without normalisation")
    func issuerNameIsExact() throws {
        let policy = try AssertionPolicy(#"{"issuers":[{"issuerName":"https://idp.example.com",\#(Self.keys)}]}"#)
        for name in ["https://idp.example.com/", "https://IDP.example.com", "https://idp.example.com:443"] {
            guard case .unknown = policy.lookup(name) else {
                Issue.record("\(name)")
                return
            }
        }
    }

    @Test("JWT-19, AMB-03: an issuer has either keys or certificates")
    func eitherKeysOrCertificates() throws {
        let jwks = #""jwks":{"jwksUri":"https://a/keys"}"#
        #expect(try findings(#"\#(jwks),\#(Self.keys)"#) == ["/issuers/0/certificateSubjectNames", "/issuers/0"])
        #expect(try findings(#""enabled":true"#) == ["/issuers/0", "/issuers/0"])
        #expect(try findings(jwks) == [])
        #expect(try findings(Self.keys) == [])
    }

    @Test("JWT-08: the default replaces an invalid interval", arguments: ["-1", "1.5", #""10""#, "null", "1e3"])
    func wrongIntervalIsDefault(_ value: String) throws {
        let policy = try AssertionPolicy(#"{"issuers":[],"policyMinReloadInterval":\#(value)}"#)
        #expect(policy.policyReload == .policy)
        #expect(policy.findings.map(\.pointer) == ["/policyMinReloadInterval"])
    }

    @Test("unknown members cause a warning and are ignored")
    func unknownMembersAreWarnedOfAndIgnored() throws {
        let policy = try AssertionPolicy(#"{"issuers":[{"issuerName":"a",\#(Self.keys),"colour":1}],"x/y":2}"#)
        #expect(policy.first != nil)
        #expect(Set(policy.findings.map(\.pointer)) == ["/issuers/0/colour", "/x~1y"])
        #expect(policy.findings.allSatisfy { $0.severity == .warning })
    }

    @Test(
        "an invalid value disables its issuer, since the intended restriction is unknown",
        arguments: [
            #""enabled":"yes""#, #""audience":"a""#, #""audience":[""]"#, #""virtualUserEnabled":1"#,
            #""usernameAttribute":"""#, #""requireClientAuth":null"#, #""clientIdAttribute":7"#,
            #""tokenTimeoutSeconds":0"#,
            #""tokenTimeoutPolicy":"x""#, #""userMappingAttribute":"cn""#, #""roleAttributes":"roles""#,
            #""defaultRoles":[1]"#, #""roleMappings":{}"#, #""algorithms":["HS256"]"#, #""algorithms":["none"]"#,
            #""algorithms":[]"#, #""level":11"#, #""requireAudience":0"#, #""singleUseAssertions":"true""#,
        ])
    func wrongValueDisables(_ member: String) throws {
        let policy = try AssertionPolicy(#"{"issuers":[{"issuerName":"a",\#(Self.keys),\#(member)}]}"#)
        #expect(policy.first == nil)
        #expect(policy.findings.count == 2)
    }

    @Test(
        "an invalid key source disables its issuer",
        arguments: [
            (#"{}"#, "/issuers/0/jwks"), (#"{"jwksUri":"http://a/keys"}"#, "/issuers/0/jwks/jwksUri"),
            (#"{"discoveryUri":"ftp://a"}"#, "/issuers/0/jwks/discoveryUri"),
            (#"{"jwksUri":"https://"}"#, "/issuers/0/jwks/jwksUri"),
            (#"{"jwksUri":"https://a","tlsVersions":["TLSv9"]}"#, "/issuers/0/jwks/tlsVersions"),
            (#"{"jwksUri":"https://a","authorizationHeader":"a\r\nb"}"#, "/issuers/0/jwks/authorizationHeader"),
        ])
    func wrongKeySourceDisables(_ jwks: String, _ pointer: String) throws {
        let policy = try AssertionPolicy(#"{"issuers":[{"issuerName":"a","jwks":\#(jwks)}]}"#)
        #expect(policy.first == nil)
        #expect(policy.findings.map(\.pointer) == [pointer, "/issuers/0"])
    }

    @Test("JWT-30 to JWT-37: every member of a key source is read, with its default")
    func keySource() throws {
        let defaults = try AssertionPolicy(#"{"issuers":[{"issuerName":"a","jwks":{"discoveryUri":"https://a/x"}}]}"#)
        guard case .remote(let source)? = defaults.first?.keys else {
            Issue.record("no source")
            return
        }
        #expect(source == AssertionKeySource(discoveryURI: try WebURL("https://a/x")))
        #expect(source.minimumReloadInterval == 60 && source.maximumReloadInterval == 28_800)
        #expect(source.connectTimeout == 30 && source.readTimeout == 60)
        #expect(source.tlsVersions == ["TLSv1.1", "TLSv1.2"] && !source.allowsHTTP)
        let whole = try AssertionPolicy(
            """
            {"issuers":[{"issuerName":"a","jwks":{"jwksUri":"http://a/x","allowHttp":true,"minReloadInterval":1,
            "maxReloadInterval":2,"connectTimeout":3,"readTimeout":4,"tlsVersions":["TLS","SSLv3"],
            "authorizationHeader":"Basic x","trustFile":"ca.pem"}}]}
            """)
        guard case .remote(let source)? = whole.first?.keys else {
            Issue.record("no source")
            return
        }
        #expect(source.jwksURI?.description == "http://a/x" && source.allowsHTTP && source.trustFile == "ca.pem")
        #expect(source.minimumReloadInterval == 1 && source.maximumReloadInterval == 2)
        #expect(source.connectTimeout == 3 && source.readTimeout == 4)
        #expect(source.tlsVersions == ["TLS", "SSLv3"] && source.authorizationHeader == "Basic x")
        // JWT-36: SSL names are accepted, with a warning.
        #expect(whole.findings.map(\.pointer) == ["/issuers/0/jwks/tlsVersions"])
    }

    @Test("ROLE-04: roles that cannot be granted cause a warning")
    func unknownRolesAreWarnedOf() throws {
        let pointers = try findings(
            #"\#(Self.keys),"defaultRoles":["Boss"],"roleMappings":[{"tokenRole":"x","mappedRoles":["Clerk","King"]}]"#)
        #expect(Set(pointers) == ["/issuers/0/defaultRoles", "/issuers/0/roleMappings/0/mappedRoles"])
    }
}
