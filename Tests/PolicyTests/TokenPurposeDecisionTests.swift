import Identity
import JOSE
import Model
import Testing

@testable import Policy

/// RFC 8725 section 3.11 on routes: access tokens alone, and no bound ones.
@Suite struct TokenPurposeDecisionTests {
    private func decision(_ token: String, _ purpose: TokenPurpose? = nil) -> DecisionOutcome {
        let settings = purpose.map { TestPolicy.settings(outsidePurpose: $0) } ?? TestPolicy.settings()
        return decide(TestRequest("GET", "/inventory/items", [bearer(token)]), TestPolicy.snapshot(settings))
    }

    @Test(arguments: ["logout+jwt", "dpop+jwt", "secevent+jwt", "application/logout+jwt", ""])
    func explicitTypes(_ type: String) {
        #expect(decision(TestPolicy.outsideToken(type: type)) == .denied(.wrongTokenType))
        #expect(
            decision(TestPolicy.outsideToken(type: type), .accessToken(acceptsIDTokens: true))
                == .denied(.wrongTokenType))
    }

    @Test func accessTokens() {
        let strict = TokenPurpose.accessToken(isTyped: true)
        for type in ["at+jwt", "application/at+jwt"] {
            #expect(decision(TestPolicy.outsideToken(type: type)) == .allowed("eve"))
            #expect(decision(TestPolicy.outsideToken(type: type), strict) == .allowed("eve"))
        }
        #expect(decision(TestPolicy.outsideToken()) == .allowed("eve"))
        #expect(decision(TestPolicy.outsideToken(), strict) == .denied(.wrongTokenType))
    }

    @Test(arguments: [#","nonce":"n""#, #","at_hash":"h""#, #","c_hash":"h""#, #","azp":"other""#])
    func idTokens(_ marks: String) {
        let token = TestPolicy.outsideToken(more: marks)
        #expect(decision(token) == .denied(.wrongTokenType))
        #expect(decision(token, .accessToken(acceptsIDTokens: true)) == .allowed("eve"))
    }

    @Test func clientsOfTheRoute() {
        #expect(decision(TestPolicy.outsideToken(more: #","azp":"inv-client""#)) == .allowed("eve"))
        #expect(decision(TestPolicy.outsideToken(more: #","azp":"portcullis""#)) == .allowed("eve"))
    }

    @Test(arguments: [#","cnf":{"jkt":"x"}"#, #","cnf":{"x5t#S256":"x"}"#, #","cnf":{"kid":"x"}"#])
    func boundTokens(_ claim: String) {
        for type in ["JWT", "at+jwt"] {
            #expect(decision(TestPolicy.outsideToken(type: type, more: claim)) == .denied(.proofRequired))
        }
    }

    /// To the client all refused tokens are the same (CHAL-07).
    @Test func refusalsLookAlike() {
        for reason in [Reason.wrongTokenType, .proofRequired] {
            #expect(reason.status == 401)
            #expect(reason.body == Reason.badSignature.body)
            #expect(reason.token.code.map { "\($0)" } == "invalid_token")
        }
    }
}
