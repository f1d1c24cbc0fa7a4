import Bytes
import Foundation
import HTTP
import Identity
import Model
import Testing

@testable import Policy

@Suite("Denial reasons")
struct DenialTests {
    private static let denials: [Reason] = [
        .noRoute, .methodNotAllowed, .ambiguousPath, .corsDenied, .corsMalformed, .tlsRequired,
        .clientCertificateRequired, .clientCertificateNotAllowed, .clientCertificateRevoked, .clientCertificateInvalid,
        .clientCertificateMalformed, .duplicateCredential, .keyBesideCredential, .missingCredential, .apiKeyMissing,
        .userCredentialMissing, .unsupportedScheme, .malformedCredential, .malformedToken, .unsupportedAlgorithm,
        .unknownKey, .badSignature, .tokenTooLarge, .tokenUndecryptable, .tokenUnsigned, .tokenUnencrypted,
        .tokenChainUntrusted, .tokenChainNameWrong, .invalidToken, .tokenExpired, .tokenNotYetValid, .tokenRevoked,
        .assertionReplayed, .apiKeyUnknown, .apiKeyExpired, .certificateUserUnknown, .certificateExpired,
        .storeUnavailable, .unknownIssuer, .wrongAudience, .wrongTokenType, .wrongTokenClient, .proofRequired,
        .tokenUnbound, .tokenCertificateWrong, .dpopSchemeWrong, .dpopProofMissing, .dpopProofRepeated,
        .dpopProofMalformed, .dpopSignatureInvalid, .dpopKeyWrong, .dpopRequestWrong, .dpopTokenWrong, .dpopTimeWrong,
        .dpopReplayed, .dpopNonceRequired, .unknownSubject, .missingBackend, .unknownClient, .basicDisabled,
        .oauthDisabled, .wrongPassword, .loginThrottled, .loginRequired, .socialLoginRequired, .socialLoginOnly,
        .missingApplicationKey, .wrongWebgate, .sessionIdle, .sessionInvalid, .sessionExpired, .crossSiteRequest,
        .stepUpRequired, .keysUnavailable, .backendMismatch, .clientNotAllowed, .applicationMismatch,
        .insufficientScope, .roleRequired, .identityProviderUnavailable, .introspectionUnavailable, .wrongScheme,
        .issuerNotAllowed, .scopeRequired, .claimRequired, .addressNotAllowed, .forwardAuthUntrusted,
        .forwardAuthMalformed, .forwardAuthUnsupported, .authenticationTooWeak, .authenticationTooOld,
        .authenticatorNotListed, .policyDenied, .policyHidden, .policyLoginRequired, .policyInputInvalid,
        .toolNotAllowed, .messageInvalid, .messageFieldsDiffer,
        .policyUnavailable,
    ]

    @Test("the body is the JSON of section 1.6", arguments: denials)
    func body(_ reason: Reason) throws {
        let body = reason.body
        let node = try JSONNode.parse(body.span)
        #expect(node.members?.map(\.name) == ["status", "title", "detail", "code"])
        #expect(node["status"]?.integer == Int64(reason.status))
        #expect(node["title"]?.string == reason.title)
    }

    @Test("all 401s have one body (CHAL-07, BASIC-03)")
    func uniformUnauthorized() {
        let bodies = Set(Self.denials.filter { $0.status == 401 }.map(\.body))
        #expect(bodies.count == 1)
        #expect(
            bodies.first.map { String(decoding: $0, as: UTF8.self) }
                == #"{"status":401,"title":"Unauthorized","detail":"invalid or missing token","code":"unauthorized"}"#)
    }

    @Test("they are all of the chapter of the reference")
    func completeness() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../config/reference/reasons.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let chapter = try #require(page.firstMatch(of: #/(?s)## Refused by policy\n(.*?)\n## /#)?.1)
        let codes = chapter.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
        #expect(codes.sorted() == Self.denials.map(\.code).sorted())
    }

    @Test("codes that clients and requirements name")
    func publicCodes() {
        #expect(Reason.roleRequired.publicCode == "role_required")
        #expect(Reason.corsDenied.publicCode == "cors_denied")
        #expect(Reason.backendMismatch.publicCode == "backend_mismatch")
    }

    @Test("not authenticated is 401, not authorized is 403, never 404 to hide (GW-10)")
    func statuses() {
        #expect(Reason.missingCredential.status == 401)
        #expect(Reason.stepUpRequired.status == 401)
        #expect(Reason.roleRequired.status == 403)
        #expect(Self.denials.filter { $0.status == 404 } == [.noRoute, .policyHidden])
    }
}
