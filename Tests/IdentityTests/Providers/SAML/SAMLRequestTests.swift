import Bytes
import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

@testable import Identity

/// What the gateway says to a SAML provider (SAML core section 3.4.1, bindings section 3.4, metadata section 2.4.4).
@Suite struct SAMLRequestTests {
    private func fields(_ location: String) -> [(name: String, value: String)] {
        let query = location.split(separator: "?", maxSplits: 1)[1]
        return query.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (halves[0], halves.count > 1 ? halves[1].removingPercentEncoding ?? "" : "")
        }
    }

    private func begin(_ provider: SAMLProvider, forces: Bool = false) throws -> String {
        let start = LoginStart(
            state: "AAAAAAAAAAAAAAAAAAAAAA", secrets: SAMLFixture.secrets, redirectURI: SAMLFixture.consumer,
            forcesLogin: forces)
        return try provider.begin(start, now: SAMLFixture.now).settled().get().location
    }

    /// The document of a request: one stored block.
    private func document(_ location: String) throws -> String {
        let packed = try #require(fields(location).first { $0.name == "SAMLRequest" }).value
        let decoded = Base64.decode(Array(packed.utf8).span)
        let bytes = try #require(decoded)
        #expect(bytes[0] == 1)
        let length = Int(bytes[1]) | Int(bytes[2]) << 8
        #expect(bytes[3] == ~bytes[1] && bytes[4] == ~bytes[2] && bytes.count == length + 5)
        return String(decoding: bytes[5...], as: UTF8.self)
    }

    @Test("the request has the login's id and the URL for the answer")
    func request() throws {
        let location = try begin(SAMLFixture.provider())
        #expect(location.hasPrefix("https://idp.example/sso?tenant=a&SAMLRequest="))
        #expect(fields(location).map(\.name) == ["tenant", "SAMLRequest", "RelayState"])
        #expect(
            try document(location) == """
                <samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" \
                xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" \
                Version="2.0" IssueInstant="2027-01-15T08:00:00Z" Destination="https://idp.example/sso?tenant=a" \
                ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" \
                AssertionConsumerServiceURL="\(SAMLFixture.consumer)"><saml:Issuer>\(SAMLFixture.entity)</saml:Issuer>\
                </samlp:AuthnRequest>
                """)
        #expect(!location.contains(SAMLFixture.secrets.verifier))
    }

    @Test("requested name format, contexts and forced login are in schema order")
    func wishes() throws {
        let provider = try SAMLFixture.provider {
            $0.login.nameIDFormat = "urn:x:persistent"
            $0.login.authnContexts = ["urn:x:a", "urn:x:b&"]
            $0.entityID = "https://gw.example/<'\">"
        }
        let text = try document(begin(provider, forces: true))
        #expect(text.contains(" ForceAuthn=\"true\" "))
        #expect(
            text.hasSuffix(
                """
                <saml:Issuer>https://gw.example/&lt;&#39;&quot;&gt;</saml:Issuer>\
                <samlp:NameIDPolicy Format="urn:x:persistent" AllowCreate="true"/>\
                <samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>urn:x:a</saml:AuthnContextClassRef>\
                <saml:AuthnContextClassRef>urn:x:b&amp;</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>\
                </samlp:AuthnRequest>
                """))
        #expect(
            try document(begin(SAMLFixture.provider { $0.login.forcesLogin = true })).contains("ForceAuthn=\"true\""))
    }

    @Test(
        "bindings 3.4.4.1: the signature covers the query as sent",
        arguments: [
            (SignatureAlgorithm.rs256, "rsa-sha256"), (.es256, "ecdsa-sha256"), (.es384, "ecdsa-sha384"),
        ])
    func signature(_ algorithm: SignatureAlgorithm, _ name: String) throws {
        let key = SigningKey.generate(algorithm)
        let location = try begin(SAMLFixture.provider { $0.signer = key })
        let fields = fields(location)
        #expect(fields.map(\.name) == ["tenant", "SAMLRequest", "RelayState", "SigAlg", "Signature"])
        #expect(fields[3].value == "http://www.w3.org/2001/04/xmldsig-more#\(name)")
        let start = try #require(location.firstRange(of: "SAMLRequest="))
        let end = try #require(location.firstRange(of: "&Signature="))
        let signed = Array(location[start.lowerBound..<end.lowerBound].utf8)
        let signature = Base64.decode(Array(fields[4].value.utf8).span) ?? []
        let isSound = key.verificationKey.verify(signature.span, of: signed.span, algorithm)
        #expect(isSound)
    }

    @Test("algorithms without an identifier in the binding do not sign")
    func algorithms() {
        for algorithm in SignatureAlgorithm.allCases {
            let isNamed = [.rsaPKCS1, .ecdsa].contains(algorithm.family)
            #expect((RedirectBinding.algorithmName(algorithm) != nil) == isNamed)
        }
    }

    @Test("RFC 1951 3.2.4: stored blocks of any length are valid, the last one marked")
    func blocks() {
        #expect(RedirectBinding.stored([]) == [1, 0, 0, 0xFF, 0xFF])
        let long = RedirectBinding.stored([UInt8](repeating: 7, count: 65_536))
        #expect(Array(long[..<5]) == [0, 0xFF, 0xFF, 0, 0] && Array(long[65_540...]) == [1, 1, 0, 0xFE, 0xFF, 7])
    }

    @Test("an answer matches only the request of its login")
    func answers() throws {
        let provider = try SAMLFixture.provider()
        #expect(provider.isAnswer(SAMLFixture.request, to: SAMLFixture.secrets))
        #expect(!provider.isAnswer(SAMLFixture.request, to: LoginSecrets()))
        #expect(!provider.isAnswer("", to: SAMLFixture.secrets))
    }

    @Test("SP metadata has the endpoint, requires signed assertions, and has the signing certificate")
    func metadata() throws {
        let plain = String(decoding: try #require(SAMLFixture.provider().metadata?.document), as: UTF8.self)
        #expect(plain.contains("entityID=\"\(SAMLFixture.entity)\""))
        #expect(plain.contains("AuthnRequestsSigned=\"false\" WantAssertionsSigned=\"true\""))
        #expect(plain.contains("Location=\"\(SAMLFixture.consumer)\" index=\"0\" isDefault=\"true\"/>"))
        #expect(!plain.contains("KeyDescriptor"))
        let pem = "text\r\n-----BEGIN CERTIFICATE-----\r\nAAAA\r\nBBBB\r\n-----END CERTIFICATE-----\r\n"
        let provider = try SAMLFixture.provider {
            $0.signerCertificate = Array(pem.utf8)
            $0.login.nameIDFormat = "urn:x:persistent"
        }
        let signed = String(decoding: try #require(provider.metadata?.document), as: UTF8.self)
        #expect(signed.contains("<ds:X509Certificate>AAAABBBB</ds:X509Certificate>"))
        #expect(signed.contains("AuthnRequestsSigned=\"true\""))
        #expect(signed.contains("</md:KeyDescriptor><md:NameIDFormat>urn:x:persistent</md:NameIDFormat><md:Assertion"))
    }
}
