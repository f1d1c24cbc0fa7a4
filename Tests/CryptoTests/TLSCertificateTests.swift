import Bytes
import Crypto
import Foundation
import Model
import Testing

/// Issue B, TLS: certificates are checked when they are configured, and what is wrong is said in plain words.
@Suite struct TLSCertificateTests {
    @Test func aSoundCertificateIsDescribed() throws {
        let summary = try TLSSample.leaf.inspect()
        #expect(summary.subject == "CN=leaf")
        #expect(summary.names == ["a.example", "b.example"])
        #expect(summary.keyKind == .ec)
        #expect(summary.keyBits == 256)
        #expect(!summary.isSelfSigned)
        let now = Int64(Date().timeIntervalSince1970)
        #expect(summary.notAfter - summary.notBefore == 86_400)
        #expect(abs(summary.notBefore - now) < 600)
        #expect(!summary.isExpired(at: now) && !summary.isPremature(at: now))
        #expect(summary.isExpired(at: now + 90_000) && summary.isPremature(at: now - 1000))
        let rsa = try TLSSample.rsaLeaf.inspect()
        #expect(rsa.keyKind == .rsa && rsa.keyBits == 2048)
    }

    @Test func anExpiredCertificateIsNoError() throws {
        let expired = TLSAuthority.shared.issue(["DNS:a.example"], isExpired: true)
        #expect(try expired.inspect().isExpired(at: Int64(Date().timeIntervalSince1970)))
        #expect(throws: Never.self) { try TLSServerContext(TLSServerSettings(certificates: [expired])) }
    }

    @Test func theFingerprintIsThatOfTheOpensslCommand() throws {
        let leaf = TLSSample.leaf
        TLSAuthority.shared.openssl(["x509", "-in", "leaf.pem", "-outform", "DER", "-out", "leaf.der"])
        let hash = DigestAlgorithm.sha256.digest(TLSAuthority.shared.file("leaf.der"))
        #expect(try leaf.inspect().fingerprint == hexadecimal(hash))
    }

    static func problem(_ chain: [UInt8], _ key: [UInt8], ocsp: [UInt8]? = nil) -> CertificateProblem? {
        do {
            _ = try TLSCertificate(chainPEM: chain, keyPEM: key, ocspResponse: ocsp).inspect()
            return nil
        } catch { return error }
    }

    @Test func whatIsWrongIsSaid() {
        let leaf = TLSSample.leaf
        let authority = TLSAuthority.shared.certificatePEM
        let stranger = TLSAuthority.stranger.certificatePEM
        #expect(Self.problem([], leaf.keyPEM) == .noCertificate)
        #expect(Self.problem(Array("certificate".utf8), leaf.keyPEM) == .noCertificate)
        #expect(Self.problem(leaf.keyPEM, leaf.keyPEM) == .noCertificate)
        #expect(Self.problem(leaf.chainPEM, leaf.chainPEM) == .malformedKey)
        #expect(Self.problem(leaf.chainPEM, TLSSample.rsaLeaf.keyPEM) == .keyMismatch)
        #expect(Self.problem(leaf.chainPEM, TLSSample.wildcard.keyPEM) == .keyMismatch)
        #expect(Self.problem(authority + leaf.chainPEM, leaf.keyPEM) == .leafNotFirst(position: 2))
        #expect(Self.problem(leaf.chainPEM + stranger, leaf.keyPEM) == .chainOutOfOrder(position: 2))
        #expect(Self.problem(leaf.chainPEM + authority, leaf.keyPEM) == nil)
        #expect(Self.problem(leaf.chainPEM + authority + authority, leaf.keyPEM) == nil)
        #expect(Self.problem(leaf.keyPEM + leaf.chainPEM, leaf.keyPEM) == nil, "a key beside the certificate")
        let damaged = Array(leaf.chainPEM.prefix(200)) + Array("\n-----END CERTIFICATE-----\n".utf8)
        #expect(Self.problem(damaged, leaf.keyPEM) == .malformedCertificate(position: 1))
        #expect(Self.problem(leaf.chainPEM + damaged, leaf.keyPEM) == .malformedCertificate(position: 2))
        #expect(Self.problem(leaf.chainPEM, leaf.keyPEM, ocsp: [1, 2, 3]) == .malformedResponse)
        #expect(Self.problem(leaf.chainPEM, leaf.keyPEM, ocsp: [0x30, 3, 10, 1, 6]) == .malformedResponse)
    }

    @Test func hostsAreCoveredByNamesWildcardsAndAddresses() throws {
        let (leaf, wildcard, device) = (
            try TLSSample.leaf.inspect(), try TLSSample.wildcard.inspect(), try TLSSample.device.inspect()
        )
        #expect(leaf.covers("a.example") && leaf.covers("B.Example.") && !leaf.covers("c.example"))
        #expect(!leaf.covers("x.a.example") && !leaf.covers("example") && !leaf.covers(""))
        // One label, the leftmost.
        #expect(wildcard.covers("www.example.com") && !wildcard.covers("a.www.example.com"))
        #expect(!wildcard.covers("example.com") && !wildcard.covers(".example.com"))
        #expect(device.covers("192.0.2.7") && device.covers("2001:db8:0::7") && !device.covers("192.0.2.8"))
    }

    @Test func weakAndLockedKeysAreRefused() {
        // Its key is a file once it has been issued, which the first caller waits for.
        let leaf = TLSSample.leaf
        let weak = TLSAuthority.shared.issue(["DNS:a.example"], key: .rsa(1024))
        #expect(Self.problem(weak.chainPEM, weak.keyPEM) == .weakKey(bits: 1024, required: 2048))
        TLSAuthority.shared.openssl(["ec", "-in", "leaf.key", "-aes128", "-passout", "pass:x", "-out", "locked.key"])
        #expect(Self.problem(leaf.chainPEM, TLSAuthority.shared.file("locked.key")) == .encryptedKey)
        TLSAuthority.shared.openssl([
            "pkcs8", "-topk8", "-in", "leaf.key", "-passout", "pass:x", "-out", "locked8.key",
        ])
        #expect(Self.problem(leaf.chainPEM, TLSAuthority.shared.file("locked8.key")) == .encryptedKey)
    }

    static func error(_ settings: TLSServerSettings) -> TLSSettingsError? {
        do {
            _ = try TLSServerContext(settings)
            return nil
        } catch { return error }
    }

    @Test func errorsNameTheCertificate() throws {
        let mismatch = TLSCertificate(chainPEM: TLSSample.leaf.chainPEM, keyPEM: TLSSample.wildcard.keyPEM)
        let error = try #require(Self.error(TLSServerSettings(certificates: [TLSSample.leaf, mismatch])))
        #expect(error == .certificate(index: 1, .keyMismatch))
        #expect(error.description == "certificate 2: the private key does not belong to the certificate")
        #expect(Self.error(TLSServerSettings(certificates: [])) == .noCertificate)
        #expect(Self.error(TLSSample.server.with { $0.rules.ciphers = "NONSENSE" }) == .ciphers("NONSENSE"))
        #expect(Self.error(TLSSample.server.with { $0.rules.cipherSuites = "NONSENSE" }) == .cipherSuites("NONSENSE"))
        #expect(Self.error(TLSSample.server.with { $0.rules.clientAuthentication = .optional }) == .noAuthorities)
        let unreadable = TLSSample.mutual.with { $0.clientAuthoritiesPEM = [1] }
        #expect(Self.error(unreadable) == .authorities(.noCertificate))
        #expect(throws: TLSSettingsError.clientCertificate(.keyMismatch)) {
            try TLSClientContext(.trusting.with { $0.certificate = mismatch })
        }
        #expect(throws: TLSSettingsError.authorities(.noCertificate)) {
            try TLSClientContext(.trusting.with { $0.trust = .authorities([]) })
        }
        #expect(throws: TLSSettingsError.versions) {
            try TLSClientContext(
                .trusting.with {
                    $0.minimumVersion = .tls13
                    $0.maximumVersion = .tls12
                })
        }
    }
}
