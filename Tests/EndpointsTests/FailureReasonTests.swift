import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import Testing

/// Reasons of failures that other targets find.
@Suite struct FailureReasonTests {
    @Test("each rejection of an outside token has a reason of its own")
    func assertions() {
        let codes = AssertionRejection.allCases.map(\.reason.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { $0.hasPrefix("assertion_") || $0 == "token_too_large" })
    }

    @Test("a rejection of a SAML assertion is named as its reason is", arguments: SAMLRejection.allCases)
    func samlAssertions(_ rejection: SAMLRejection) {
        #expect(rejection.rawValue == rejection.reason.code && rejection.rawValue.hasPrefix("saml_"))
    }

    @Test("no failure at an identity provider is answered with 401")
    func providers() {
        let failures: [ProviderFailure] = [
            .denied("a"), .malformedCallback, .foreignAnswer, .codeRefused("a"), .wrongNonce, .token(.expired),
            .assertion("a"), .answer("a"), .misconfigured("a"), .unavailable("a"), .interrupted(isLate: true),
            .interrupted(isLate: false),
        ]
        #expect(failures.map(\.status) == [403, 400, 400, 400, 400, 502, 400, 502, 502, 503, 403, 403])
        #expect(Set(failures.map(\.reason)).count == failures.count)
    }
}
