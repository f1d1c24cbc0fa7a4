import Crypto
import Model
import TestSupport
import Testing

@testable import Policy

/// Which certificates of clients a route lets in.
@Suite struct CertificatePatternTests {
    private static let device = PeerCertificate(
        subject: "CN=device 7,O=Example,C=DE", commonName: "device 7", hostNames: ["d7.example.com", "localhost"],
        emailAddresses: ["ops@example.org"], uris: ["spiffe://example.com/ns/a/device"],
        addresses: ["192.0.2.7", "2001:db8::7"], fingerprint: "ab", serial: "1", notAfter: 0)

    @Test(
        "patterns stand for pieces of names and never cross what separates them",
        arguments: [
            ("dns:d7.example.com", true), ("dns:D7.Example.COM", true), ("dns:*.example.com", true),
            ("dns:*.com", false), ("dns:*", true), ("dns:d*.example.com", true), ("dns:d7*.example.com", false),
            ("dns:example.com", false), ("dns:*.example.com.evil.net", false), ("dns:*.*.com", true),
            ("email:*@example.org", true), ("email:ops@*", true), ("email:*", false), ("email:*@example.com", false),
            ("uri:spiffe://example.com/ns/*/device", true), ("uri:spiffe://example.com/ns/*", false),
            ("uri:spiffe://*/ns/a/device", true), ("uri:spiffe://example.com/*/*/*", true),
            ("ip:192.0.2.7", true), ("ip:2001:db8::7", true), ("ip:192.0.2.8", false), ("ip:*", false),
            ("subject:CN=device 7,O=Example,C=DE", true), ("subject:CN=device *,O=Example,C=DE", true),
            ("subject:CN=*,O=*,C=*", true), ("subject:CN=*", false), ("subject:*", false),
            ("subject:CN=device *", false),
            ("subject:CN=device 7*,O=Example,C=DE", false),
        ])
    func patterns(_ pattern: String, _ fits: Bool) throws {
        #expect(try #require(CertificatePattern(pattern)).fits(Self.device) == fits)
    }

    /// A common name that is chosen to look like more: libcrypto writes its comma as `\,`.
    @Test func anEscapedCommaIsNoWayAround() throws {
        let forged = PeerCertificate(
            subject: #"CN=device 7\,O=Example"#, commonName: nil, hostNames: [], emailAddresses: [], uris: [],
            addresses: [], fingerprint: "", serial: "", notAfter: 0)
        #expect(try #require(CertificatePattern("subject:CN=device *,O=Example")).fits(forged) == false)
        #expect(try #require(CertificatePattern("subject:CN=*,O=Example")).fits(forged) == false)
    }

    @Test(arguments: ["", "dns", "dns:", "cn:x", "DNS:x", ":x"])
    func whatIsNoPattern(_ text: String) { #expect(CertificatePattern(text) == nil) }

    @Test func rules() throws {
        let pattern = try #require(CertificatePattern("dns:d7.example.com"))
        let other = try #require(CertificatePattern("dns:other.example.com"))
        #expect(CertificateRule().refusal(of: nil) == .clientCertificateRequired)
        #expect(CertificateRule().refusal(of: Self.device) == nil)
        #expect(CertificateRule([other, pattern]).refusal(of: Self.device) == nil)
        #expect(CertificateRule([other]).refusal(of: Self.device) == .clientCertificateNotAllowed)
        #expect(CertificateRule([pattern]).refusal(of: nil) == .clientCertificateRequired)
    }
}
