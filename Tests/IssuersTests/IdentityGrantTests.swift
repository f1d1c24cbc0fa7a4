import Identity
import Issuers
import Model
import Outbound
import TestSupport
import Testing

/// Tokens for an identity assertion (ID-JAG) that an identity provider gives for the caller's token.
@Suite struct IdentityGrantTests {
    private func issue(
        _ values: [String: IssuerValue], _ caller: ScriptedCaller, _ request: IssueRequest = BuiltModule.request()
    ) throws -> Result<IssuedToken, IssueFailure> {
        try BuiltModule.make(.oauth2, BuiltModule.oauth2(values), caller).issue(request, now: 1_700_000_000).settled()
    }

    private func old() -> IssuedToken {
        IssuedToken(value: Array("old".utf8), issuedAt: 0, expiresAt: 1_700_000_000, refresh: Array("r1".utf8))
    }

    /// The grant `id-jag`, with a client of its own at the identity provider.
    private static let settings: [String: IssuerValue] = [
        "grant": .text("id-jag"), "audience": .text("https://as"), "scope": .text("read"),
        "resource": .texts(["https://api"]), "parameters": .map([(name: "tenant", value: "t1")]),
        "identityProvider": .object([
            "tokenEndpoint": BuiltModule.url("https://idp.example/token"), "clientId": .text("app"),
            "clientSecret": .text("s"),
        ]),
    ]
    private static let assertionType = "urn:ietf:params:oauth:token-type:id-jag"

    private static func assertion(_ type: String = assertionType, _ tokenType: String = "N_A") -> OutboundResult {
        .json(#"{"access_token": "i.d.j", "issued_token_type": "\#(type)", "token_type": "\#(tokenType)"}"#)
    }

    @Test("an identity assertion is fetched for the caller's token, then presented")
    func presented() throws {
        let caller = ScriptedCaller(Self.assertion(), .token("abc"))
        let request = BuiltModule.request(token: "caller's")
        let token = try issue(Self.settings, caller, request).get()
        #expect(token.text == "abc" && caller.calls.count == 2)
        let (first, second) = (try caller.form(0), try caller.form(1))
        #expect("\(caller.calls[0].url)" == "https://idp.example/token")
        #expect(first["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(first["requested_token_type"] == Self.assertionType && first["subject_token"] == "caller's")
        #expect(first["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
        #expect(first["audience"] == "https://as" && first["resource"] == "https://api" && first["scope"] == "read")
        #expect(caller.header("Authorization", 0) == "Basic YXBwOnM=")
        // The assertion says what it is for.
        #expect("\(caller.calls[1].url)" == "https://as.example/token")
        #expect(
            second == [
                "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "i.d.j", "tenant": "t1",
            ])
        #expect(try BuiltModule.make(.oauth2, BuiltModule.oauth2(Self.settings)).dependsOnCredential)
    }

    @Test("another token than an identity assertion is not presented, and a refresh token goes to its own server alone")
    func failures() throws {
        let others = [
            Self.assertion("urn:ietf:params:oauth:token-type:jwt"), .token("abc"),
            Self.assertion(Self.assertionType, "mac"),
        ]
        for answer in others {
            let caller = ScriptedCaller(answer)
            let result = try issue(Self.settings, caller, BuiltModule.request(token: "x"))
            #expect(throws: IssueFailure.invalidToken) { try result.get() }
            #expect(caller.calls.count == 1)
        }
        let refused = try issue(
            Self.settings, ScriptedCaller(.refusal("access_denied")), BuiltModule.request(token: "x"))
        guard case .failure(let failure) = refused else { return #expect(Bool(false)) }
        #expect(failure == .refused && failure.detail == "identity provider: access_denied")
        let caller = ScriptedCaller(.refusal("invalid_grant"), Self.assertion(), .token("abc"))
        _ = try issue(Self.settings, caller, BuiltModule.request(token: "x", previous: old())).get()
        #expect(caller.calls.map { "\($0.url)" }.first == "https://as.example/token")
        #expect(try caller.form(0)["refresh_token"] == "r1" && caller.form(1)["refresh_token"] == nil)
        let none = ScriptedCaller(.token("abc"))
        let missing = try issue(Self.settings, none)
        #expect(throws: IssueFailure.credentialMissing) { try missing.get() }
        #expect(none.calls.isEmpty)
    }

    @Test("inconsistent settings are refused")
    func inconsistent() {
        let cases: [([String: IssuerValue], String)] = [
            (["grant": .text("id-jag")], "identityProvider"),
            (Self.settings.merging(["perCaller": .flag(false)]) { $1 }, "perCaller"),
            (Self.settings.merging(["grant": .text("token-exchange")]) { $1 }, "identityProvider"),
            (Self.settings.merging(["requestedTokenType": .text("x")]) { $1 }, "requestedTokenType"),
            (
                Self.settings.merging(["identityProvider": .object(["clientId": .text("x")])]) { $1 },
                "identityProvider"
            ),
        ]
        for (values, pointer) in cases {
            let problem = #expect(throws: IssuerProblem.self) {
                try BuiltModule.make(.oauth2, BuiltModule.oauth2(values))
            }
            #expect(problem?.pointer == pointer, "\(values)")
        }
    }
}
