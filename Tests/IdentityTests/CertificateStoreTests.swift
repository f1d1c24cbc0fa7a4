import Crypto
import Identity
import JOSE
import Model
import Testing

/// Whose certificates verify (JWT-20).
@Suite struct CertificateStoreTests {
    private func names(_ texts: String...) throws -> [DistinguishedName] {
        try texts.map { try #require(DistinguishedName($0), "\($0)") }
    }

    @Test(
        "subjects are compared part by part",
        arguments: [
            ("CN=idp.example.com,O=Example", true), ("CN=idp.example.com, O=Example", true),
            (" cn = idp.example.com ,o=Example ", true), (#"CN=idp\.example.com,O=Example"#, true),
            (#"CN=\69dp.example.com,O=Example"#, true), ("CN=IDP.example.com,O=Example", false),
            ("O=Example,CN=idp.example.com", false), ("CN=idp.example.com", false),
            ("CN=idp.example.com,O=Example,C=DE", false), ("CN=idp.example.com+O=Example", false),
        ])
    func subjectIsComparedByParts(_ text: String, _ fits: Bool) throws {
        let keys = try Assertion.store(of: "idp").keys(of: try names(text), now: Assertion.now)
        #expect(keys.keys.count == (fits ? 1 : 0))
    }

    @Test(
        "escapes, multi-valued parts and non-ASCII letters are parsed",
        arguments: [
            #"CN=Zoë,OU=A+OU=B,O=Ex\, Ltd,C=DE"#, #"CN=Zo\C3\AB, OU=B + OU=A, O=Ex\2C Ltd, C=DE"#,
        ])
    func unusualSubject(_ text: String) throws {
        #expect(try Assertion.store(of: "other").keys(of: try names(text), now: Assertion.now).keys.count == 1)
    }

    @Test(
        "a malformed name is refused",
        arguments: ["", "CN", "=x", "CN=", "CN=a,", #"CN=a\"#, #"CN=a\0"#, "CN=a\"b", "C N=x", "CN=a,,O=b"])
    func malformedName(_ text: String) {
        #expect(DistinguishedName(text) == nil)
    }

    @Test("an expired certificate does not verify")
    func expiredCertificateDoesNotVerify() throws {
        let store = try Assertion.store(of: "expired", "idp", "rsa")
        let old = try names("CN=old.example.com,O=Example")
        #expect(store.keys(of: old, now: Assertion.now).keys.isEmpty)
        // Two certificates of one subject, as there are while keys change.
        #expect(store.keys(of: try names("CN=idp.example.com,O=Example"), now: Assertion.now).keys.count == 2)
        let certificate = try Assertion.certificate("idp")
        #expect(certificate.isValid(at: certificate.notAfter))
        #expect(!certificate.isValid(at: certificate.notAfter + 1))
        #expect(!certificate.isValid(at: certificate.notBefore - 1))
    }

    @Test("unusable files are reported")
    func unusableFilesAreTold() {
        #expect(throws: CertificateProblem.noCertificate) { try SignerCertificate(pem: fixture("idp-key.pem")) }
        #expect(throws: CertificateProblem.malformedCertificate(position: 1)) {
            try SignerCertificate(pem: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
        }
    }
}
