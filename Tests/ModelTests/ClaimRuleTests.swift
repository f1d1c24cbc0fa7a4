import Bytes
import Model
import Testing

@Suite struct ClaimRuleTests {
    private func isMet(_ rules: [ClaimRule], by claims: String) throws -> Bool {
        let claims = try JSONNode.parse(Array(claims.utf8).span)
        let path = Array("/".utf8)
        return rules.allSatisfy { $0.isMet(by: $0.path.value(in: claims), requested: path.span) }
    }

    @Test("an address is of a domain if that is all behind its only @, in any case, and it is verified")
    func domain() throws {
        let rules = [
            ClaimRule(ClaimPath(literal: "email"), [.domain(["example.com", "example.org"])]), ClaimRule.verifiedEmail,
        ]
        for address in ["ann@example.com", "ann@Example.ORG", "a.b+c@example.com"] {
            #expect(try isMet(rules, by: #"{"email": "\#(address)", "email_verified": true}"#), "\(address)")
        }
        for address in [
            "ann@sub.example.com", "ann@badexample.com", "ann@example.com.evil.net", "ann@evil.net@example.com",
            "ann@example.com@evil.net", "@example.com", "example.com", "ann@example.com ", "ann@example.com.", "ann@",
            "",
            #"ann@example.com\u0000"#, "ann@ex\u{430}mple.com",
        ] {
            #expect(try !isMet(rules, by: #"{"email": "\#(address)", "email_verified": true}"#), "\(address)")
        }
        let email = #""email": "ann@example.com""#
        #expect(try isMet(rules, by: #"{\#(email), "email_verified": "true"}"#))
        for other in ["", #", "email_verified": false"#, #", "email_verified": 1"#, #", "email_verified": null"#] {
            #expect(try !isMet(rules, by: "{\(email)\(other)}"), "\(other)")
        }
        #expect(try !isMet(rules, by: #"{"email": ["ann@example.com"], "email_verified": true}"#))
        #expect(try !isMet(rules, by: #"{"email_verified": true}"#))
        #expect(rules[0].description == "email of the domain example.com or example.org")
    }
}
