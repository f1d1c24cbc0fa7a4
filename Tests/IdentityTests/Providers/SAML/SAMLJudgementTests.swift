import Bytes
import Crypto
import JOSE
import Model
import TestSupport
import Testing

@testable import Identity

/// What a response must say, once its signature has been checked (SAML profiles section 4.1.4.3).
@Suite struct SAMLJudgementTests {
    private typealias Change = @Sendable (inout SAMLResponse) -> Void

    private func judge(
        _ response: SAMLResponse = SAMLFixture.response(), at seconds: Int64 = 0,
        _ change: (inout SAMLProvider.Settings) -> Void = { _ in }
    ) throws -> Result<PostedIdentity, ProviderFailure> {
        let provider = try SAMLFixture.provider(change)
        return Result { () throws(ProviderFailure) in try provider.judge(response, now: SAMLFixture.now + seconds) }
    }

    @Test("a valid answer yields subject, attributes, provider session and answered request")
    func good() throws {
        let posted = try judge().get()
        #expect(posted.requestID == SAMLFixture.request && posted.assertionID == "_a")
        let identity = posted.identity
        #expect(identity.provider == "idp" && identity.subject == "ann" && identity.sessionID == "s-1")
        #expect(identity.claims["sub"]?.string == "ann" && identity.claims["mail"]?.string == "ann@example.com")
        #expect(identity.claims["groups"]?.array?.compactMap(\.string) == ["a", "b"])
        #expect(identity.accessToken == nil && identity.endsAt == nil)
    }

    @Test("unsigned parts may be missing; signed parts may not")
    func sparse() throws {
        let sparse = SAMLFixture.response {
            $0.destination = nil
            $0.issuer = nil
        }
        #expect(throws: Never.self) { try judge(sparse).get() }
        var whole = sparse
        whole.isSigned = true
        #expect(try judge(whole) == .failure(.assertion("destination")), "bindings 3.5.5.2")
    }

    private static let refused: [(String, ProviderFailure, Change)] = [
        ("another issuer's", .foreignAnswer, { $0.assertion.issuer = "https://other.example" }),
        ("another issuer's response", .foreignAnswer, { $0.issuer = "https://other.example" }),
        ("issuer by case", .foreignAnswer, { $0.assertion.issuer = SAMLFixture.idp.uppercased() }),
        ("status", .denied("saml_status_not_success"), { $0.status.code = "urn:x:Responder" }),
        ("destination", .assertion("destination"), { $0.destination = SAMLFixture.consumer + "/" }),
        ("unsolicited", .assertion("unsolicited"), { $0.inResponseTo = nil }),
        ("unsolicited, empty", .assertion("unsolicited"), { $0.inResponseTo = "" }),
        ("long request", .assertion("unsolicited"), { $0.inResponseTo = String(repeating: "x", count: 257) }),
        ("response for another request", .assertion("saml_not_confirmed"), { $0.inResponseTo = "_other" }),
        ("unsolicited inside", .assertion("saml_not_confirmed"), { $0.assertion.confirmations[0].inResponseTo = nil }),
        (
            "audience", .assertion("saml_audience_wrong"),
            { $0.assertion.audienceRestrictions = [["https://other.example"]] }
        ),
        ("no audience", .assertion("saml_audience_missing"), { $0.assertion.audienceRestrictions = [] }),
        (
            "recipient", .assertion("saml_recipient_wrong"),
            { $0.assertion.confirmations[0].recipient = "https://other.example" }
        ),
        ("no recipient", .assertion("saml_recipient_wrong"), { $0.assertion.confirmations[0].recipient = nil }),
        (
            "no end of confirmation", .assertion("saml_expiry_missing"),
            { $0.assertion.confirmations[0].notOnOrAfter = nil }
        ),
        ("expired", .assertion("saml_expired"), { $0.assertion.notOnOrAfter = SAMLFixture.now - 61 }),
        ("early", .assertion("saml_not_yet_valid"), { $0.assertion.notBefore = SAMLFixture.now + 61 }),
        ("holder of key", .assertion("saml_not_confirmed"), { $0.assertion.confirmations[0].method = "urn:x:hok" }),
        ("condition", .assertion("saml_condition_unknown"), { $0.assertion.hasUnknownCondition = true }),
        ("no login", .assertion("AuthnStatement"), { $0.assertion.authnInstant = nil }),
        ("login to come", .assertion("AuthnInstant"), { $0.assertion.authnInstant = SAMLFixture.now + 61 }),
        (
            "session ended", .assertion("SessionNotOnOrAfter"),
            { $0.assertion.sessionNotOnOrAfter = SAMLFixture.now }
        ),
        ("nobody", .assertion("NameID"), { $0.assertion.nameID = nil }),
        ("empty name", .assertion("NameID"), { $0.assertion.nameID?.value = "" }),
        ("name with a line", .assertion("NameID"), { $0.assertion.nameID?.value = "ann\nX-Role: a" }),
        (
            "transient name", .assertion("transient NameID"),
            { $0.assertion.nameID?.format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }
        ),
        ("no id", .assertion("ID"), { $0.assertion.id = "" }),
    ]

    @Test("each fault is refused", arguments: refused.indices)
    func refusals(_ index: Int) throws {
        let (name, failure, change) = Self.refused[index]
        #expect(try judge(SAMLFixture.response(change)) == .failure(failure), "\(name)")
    }

    @Test("the entry's clock skew applies")
    func skew() throws {
        let early = SAMLFixture.response { $0.assertion.notBefore = SAMLFixture.now + 61 }
        #expect(throws: Never.self) { try judge(early) { $0.clockSkewSeconds = 61 }.get() }
        #expect(throws: Never.self) { try judge(at: 359).get() }
        #expect(try judge(at: 359) { $0.clockSkewSeconds = 59 } == .failure(.assertion("saml_expired")))
    }

    @Test("authentication context and time are checked if required")
    func contexts() throws {
        #expect(try judge { $0.login.authnContexts = ["urn:x:strong"] } == .failure(.assertion("AuthnContextClassRef")))
        #expect(throws: Never.self) {
            try judge { $0.login.authnContexts = ["urn:x:strong", SAMLFixture.password] }.get()
        }
        let old = SAMLFixture.response { $0.assertion.authnInstant = SAMLFixture.now - 661 }
        #expect(throws: Never.self) { try judge(old).get() }
        #expect(try judge(old) { $0.login.forcesLogin = true } == .failure(.assertion("AuthnInstant")))
        #expect(throws: Never.self) { try judge { $0.login.forcesLogin = true }.get() }
    }

    @Test("a transient name is accepted if an attribute names the user")
    func transient() throws {
        let response = SAMLFixture.response {
            $0.assertion.nameID?.format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
            $0.assertion.sessionNotOnOrAfter = SAMLFixture.now + 100
        }
        let posted = try judge(response) { $0.rules.identity.usernameSources = ["mail"] }.get()
        #expect(posted.identity.endsAt == SAMLFixture.now + 100)
    }

    @Test("attributes of one name are merged, and none replaces the subject")
    func claims() {
        let claims = SAMLProvider.claims(
            [
                .init(name: "sub", values: ["root"]), .init(name: "mail", values: ["a"]),
                .init(name: "mail", values: ["b"]), .init(name: "none", values: []),
            ], subject: "ann")
        #expect(claims["sub"]?.string == "ann" && claims.members?.count == 3)
        #expect(claims["mail"]?.array?.compactMap(\.string) == ["a", "b"], "two addresses are no name")
        #expect(claims["none"]?.array?.isEmpty == true)
    }

    @Test("invalid Base64 and an empty answer are refused")
    func packages() throws {
        let provider = try SAMLFixture.provider()
        for text in ["", "  \r\n", "%%%", "ab=c"] {
            let result = provider.read(ProviderForm(response: text), now: SAMLFixture.now).settled()
            #expect(result == .failure(.malformedCallback), "\(text)")
        }
    }
}
