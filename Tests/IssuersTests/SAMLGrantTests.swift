#if SAML
    import Bytes
    import Crypto
    import Identity
    import Issuers
    import Model
    import Outbound
    import TestSupport
    import Testing

    /// RFC 7522: tokens for SAML assertions.
    @Suite struct SAMLGrantTests {
        private let now: Int64 = 1_700_000_000
        private static let grantType = "urn:ietf:params:oauth:grant-type:saml2-bearer"

        private func caller(_ method: Principal.Method, _ token: String) -> IssueRequest {
            let principal = Principal(
                kind: .user, method: method, subject: "joe", issuer: "https://idp", backendID: nil,
                roles: RoleSet(), catalogue: Callers.catalogue, level: 2, token: Array(token.utf8))
            return IssueRequest(principal: principal, client: nil, webgate: "")
        }

        private func values(_ terms: [String: IssuerValue]) -> [String: IssuerValue] {
            BuiltModule.oauth2(["grant": .text("saml2-bearer"), "assertion": .object(terms)])
        }

        @Test("the gateway's assertion is about the caller, for the token endpoint unless said otherwise")
        func minted() throws {
            for (more, audience) in [
                ([:], "https://as.example/token"), (["audience": IssuerValue.text("urn:as")], "urn:as"),
            ] {
                let server = ScriptedCaller(.token("abc"))
                let terms: [String: IssuerValue] = [
                    "keyFile": .key(.generate(.es256)), "claims": .map([(name: "tenant", value: "t1")]),
                ].merging(more) { $1 }
                let issuer = try BuiltModule.make(.oauth2, values(terms), server)
                #expect(!issuer.dependsOnCredential && issuer.publishedKeys.isEmpty)
                #expect(try issuer.issue(caller(.basic, ""), now: now).settled().get().text == "abc")
                let form = try server.form()
                #expect(form["grant_type"] == Self.grantType)
                let assertion = try #require(form["assertion"])
                #expect(!assertion.contains("=") && !assertion.contains("+"))
                let text = Array(assertion.utf8)
                let xml = String(decoding: Base64.decode(text.span, .url) ?? [], as: UTF8.self)
                for part in [
                    "<saml:Issuer>https://gw.example<", "<saml:NameID>joe<", "<saml:Audience>\(audience)<",
                    "Recipient=\"https://as.example/token\"", "Name=\"tenant\"><saml:AttributeValue>t1<",
                    "<ds:SignatureValue>",
                ] { #expect(xml.contains(part), "\(part) in \(xml)") }
            }
        }

        @Test("the caller's own assertion is unpacked; callers with other credentials have none")
        func callersOwn() throws {
            let document = "<saml:Assertion/>"
            let server = ScriptedCaller(.token("abc"))
            let issuer = try BuiltModule.make(.oauth2, values(["from": .text("caller")]), server)
            #expect(issuer.dependsOnCredential)
            for packed in [
                SAMLForge.packed(document),
                String(decoding: try PackedAssertion.pack(Array(document.utf8)), as: UTF8.self),
            ] {
                _ = try issuer.issue(caller(.saml, packed), now: now).settled().get()
                let form = try server.form(server.calls.count - 1)
                #expect(form["grant_type"] == Self.grantType)
                #expect(form["assertion"] == "PHNhbWw6QXNzZXJ0aW9uLz4")
            }
            for method in [Principal.Method.bearer, .basic, .cookie] {
                #expect(throws: IssueFailure.credentialMissing) {
                    try issuer.issue(caller(method, "a.b.c"), now: now).settled().get()
                }
            }
            #expect(server.calls.count == 2)
        }

        @Test("RFC 8693: an assertion is exchanged by its type, and is no token for other grants")
        func exchange() throws {
            let server = ScriptedCaller(.token("abc"))
            let type = "urn:ietf:params:oauth:token-type:saml2"
            let exchange = try BuiltModule.make(
                .oauth2,
                BuiltModule.oauth2(["grant": .text("token-exchange"), "subjectTokenType": .text(type)]), server)
            _ = try exchange.issue(caller(.saml, SAMLForge.packed("<a/>")), now: now).settled().get()
            let form = try server.form()
            #expect(form["subject_token"] == "PGEvPg" && form["subject_token_type"] == type)
            #expect(throws: IssueFailure.credentialMissing) {
                try exchange.issue(caller(.bearer, "a.b.c"), now: now).settled().get()
            }
            for values: [String: IssuerValue] in [
                ["grant": .text("token-exchange")],
                ["grant": .text("jwt-bearer"), "assertion": .object(["from": .text("caller")])],
            ] {
                let other = try BuiltModule.make(.oauth2, BuiltModule.oauth2(values), server)
                #expect(throws: IssueFailure.credentialMissing) {
                    try other.issue(caller(.saml, SAMLForge.packed("<a/>")), now: now).settled().get()
                }
            }
            #expect(server.calls.count == 1)
        }

        @Test("a caller whose name XML cannot carry gets no token, and the server no call")
        func unfitName() throws {
            let server = ScriptedCaller(.token("abc"))
            let issuer = try BuiltModule.make(.oauth2, values(["keyFile": .key(.generate(.es256))]), server)
            #expect(throws: IssueFailure.misconfigured) {
                try issuer.issue(BuiltModule.request("a\u{1}b"), now: now).settled().get()
            }
            #expect(server.calls.isEmpty)
        }

        @Test("inconsistent settings are refused")
        func settings() {
            let cases: [([String: IssuerValue], String)] = [
                (["grant": .text("saml2-bearer")], "assertion"), (values([:]), "assertion/keyFile"),
                (values(["keyFile": .key(.generate(.ps256))]), "assertion/algorithm"),
                (values(["keyFile": .key(.generate(.es256)), "keyId": .text("k")]), "assertion/keyId"),
                (values(["from": .text("caller"), "issuer": .text("x")]), "assertion/issuer"),
                (values(["from": .text("caller")]).merging(["perCaller": .flag(false)]) { $1 }, "perCaller"),
            ]
            for (values, pointer) in cases {
                let problem = #expect(throws: IssuerProblem.self) {
                    try BuiltModule.make(.oauth2, BuiltModule.oauth2(values))
                }
                #expect(problem?.pointer == pointer, "\(values)")
            }
        }
    }
#else
    import Identity
    import Issuers
    import Testing

    /// Without the trait SAML, the grant is refused.
    @Suite struct SAMLGrantTests {
        @Test("the grant needs the trait SAML")
        func refused() {
            let values: [String: IssuerValue] = [
                "grant": .text("saml2-bearer"), "assertion": .object(["from": .text("caller")]),
            ]
            let problem = #expect(throws: IssuerProblem.self) {
                try BuiltModule.make(.oauth2, BuiltModule.oauth2(values))
            }
            #expect(problem?.pointer == "grant")
        }
    }
#endif
