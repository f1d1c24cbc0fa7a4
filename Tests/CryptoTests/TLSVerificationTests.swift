import Bytes
import Crypto
import Model
import Testing

/// Issue B, TLS: who is believed, on both sides.
@Suite struct TLSVerificationTests {
    static func failure(
        _ certificate: TLSCertificate, name: String = "a.example", _ client: TLSClientSettings = .trusting
    ) throws -> TLSFailure? {
        let pair = try #require(try TLSPair(client, TLSServerSettings(certificates: [certificate]), name: name))
        pair.shakeHands()
        if pair.client.failure == nil { #expect(pair.isOpen) } else { #expect(pair.client.state == .failed) }
        return pair.client.failure
    }

    @Test(
        arguments: [
            ("DNS:a.example", "a.example", nil), ("DNS:A.EXAMPLE", "a.example", nil),
            ("DNS:a.example", "A.Example.", nil),
            ("DNS:b.example", "a.example", TLSFailure.hostMismatch),
            ("DNS:*.example.com", "x.example.com", nil), ("DNS:*.example.com", "a.b.example.com", .hostMismatch),
            ("DNS:*.example.com", "example.com", .hostMismatch),
            ("DNS:x*.example.com", "xy.example.com", .hostMismatch),
            ("DNS:*.com.example.org,DNS:evil.example", "example.org", .hostMismatch),
            ("IP:192.0.2.1", "192.0.2.1", nil), ("IP:192.0.2.1", "192.0.2.2", .hostMismatch),
            ("IP:2001:db8::1", "[2001:db8::1]", nil), ("DNS:192.0.2.1", "192.0.2.1", .hostMismatch),
            ("IP:192.0.2.1", "a.example", .hostMismatch),
        ] as [(String, String, TLSFailure?)])
    func namesAreChecked(_ names: String, _ wanted: String, _ expected: TLSFailure?) throws {
        #expect(try Self.failure(TLSAuthority.shared.issue([names]), name: wanted) == expected)
    }

    /// RFC 9525 section 2: no common names.
    @Test func aCommonNameIsNoHostName() throws {
        let certificate = TLSAuthority.shared.issue([], subject: "/CN=a.example")
        #expect(try Self.failure(certificate) == .hostMismatch)
    }

    @Test func strangersAreRefused() throws {
        let stranger = TLSAuthority.stranger.issue(["DNS:a.example"])
        let failure = try Self.failure(stranger)
        #expect(failure == .certificateInvalid(verifyCode: 20))
        #expect(failure?.code.description == "certificate_invalid")
        #expect(failure?.detail == "unable to get local issuer certificate")
        // The operating system does not know the tests' authority either.
        #expect(try Self.failure(TLSSample.leaf, TLSClientSettings()) == .certificateInvalid(verifyCode: 20))
    }

    @Test func theExpiredAndTheSelfSignedAreRefused() throws {
        let expired = TLSAuthority.shared.issue(["DNS:a.example"], isExpired: true)
        #expect(try Self.failure(expired) == .certificateInvalid(verifyCode: 10))
        let selfSigned = TLSCertificate(
            chainPEM: TLSAuthority.stranger.certificatePEM, keyPEM: TLSAuthority.stranger.file("ca.key"))
        #expect(try Self.failure(selfSigned) == .certificateInvalid(verifyCode: 18))
    }

    @Test func nothingIsCheckedOnlyWhereThatIsSaid() throws {
        let anyone = TLSClientSettings.trusting.with { $0.trust = .anyone }
        #expect(try Self.failure(TLSAuthority.stranger.issue(["DNS:b.example"], isExpired: true), anyone) == nil)
    }

    /// An intermediate authority that is listed is an anchor by itself, and one in the server's chain leads to the root.
    @Test func chainsAreFollowed() throws {
        _ = TLSAuthority.shared.issue([], subject: "/CN=Middle", name: "middle", isAuthority: true)
        let leaf = TLSAuthority.shared.issue(["DNS:a.example"], signedBy: "middle")
        let middle = TLSAuthority.shared.file("middle.pem")
        #expect(try Self.failure(leaf) == .certificateInvalid(verifyCode: 20))
        #expect(try Self.failure(leaf, .trusting.with { $0.trust = .authorities(middle) }) == nil)
        let whole = TLSCertificate(chainPEM: leaf.chainPEM + middle, keyPEM: leaf.keyPEM)
        #expect(try Self.failure(whole) == nil)
    }

    /// GW-06, client certificates: what principals' attributes are taken from.
    @Test(arguments: TLSHandshakeTests.versions)
    func aClientsCertificateIsRead(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with {
            $0.maximumVersion = version
            $0.certificate = TLSSample.device
        }
        let pair = try #require(try TLSPair(client, TLSSample.mutual)).shakeHands()
        #expect(pair.isOpen)
        let certificate = try #require(pair.server.peerCertificate)
        #expect(certificate.subject == "CN=devïce 7,O=Example\\, Inc.,C=DE")
        #expect(certificate.commonName == "devïce 7")
        #expect(certificate.hostNames == ["device-7.example"])
        #expect(certificate.emailAddresses == ["ops@example.org"])
        #expect(certificate.uris == ["spiffe://example.org/device/7"])
        #expect(certificate.addresses == ["192.0.2.7", "2001:db8::7"])
        let summary = try TLSSample.device.inspect()
        #expect(certificate.isReadable)
        #expect(certificate.name == DistinguishedName("CN=devïce 7,O=Example\\, Inc.,C=DE"))
        #expect(certificate.fingerprint == summary.fingerprint)
        #expect(certificate.fingerprint.count == 64)
        #expect(certificate.notAfter == summary.notAfter)
        #expect(certificate.serial.count > 16)
    }

    private func shown(_ certificate: TLSCertificate) throws -> PeerCertificate {
        let client = TLSClientSettings.trusting.with { $0.certificate = certificate }
        let pair = try #require(try TLSPair(client, TLSSample.mutual)).shakeHands()
        return try #require(pair.server.peerCertificate)
    }

    /// A value that is written to look like further attributes stays one value.
    @Test(
        arguments: [
            ("/CN=a, O=Example", #"CN=a\, O=Example"#), ("/CN=a+O=Example", "O=Example+CN=a"),
            ("/O=Example/CN=a", "CN=a,O=Example"), (#"/CN=a\/O=Example"#, "CN=a/O=Example"),
            ("/CN=#hex", "CN=\\#hex"), ("/CN=a/CN=b", "CN=b,CN=a"),
            ("/UID=7/CN=a", "CN=a,uid=7"), ("/2.5.4.97=VAT-1/CN=a", "CN=a,organizationIdentifier=VAT-1"),
        ])
    func subjectsAreReadAsValues(_ subject: String, _ expected: String) throws {
        let certificate = try shown(TLSAuthority.shared.issue([], subject: subject))
        #expect(certificate.isReadable)
        #expect(certificate.name == DistinguishedName(expected), "\(certificate.subject)")
        if !expected.hasPrefix("CN=a,O=") {
            #expect(certificate.name != DistinguishedName("CN=a,O=Example"))
        }
    }

    /// `a.example` with a NUL and more behind it, as C code would read its first half.
    @Test func namesWithNULMakeACertificateUnreadable() throws {
        let bytes = Array("a.example".utf8) + [0] + Array(".evil.example".utf8)
        let name = [0x82, UInt8(bytes.count)] + bytes
        let text = ([0x30, UInt8(name.count)] + name).map {
            $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }
        let certificate = try shown(TLSAuthority.shared.issue(["DER:\(text.joined(separator: ":"))"]))
        #expect(certificate.hostNames.isEmpty && !certificate.isReadable)
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func aClientWithoutCertificateIsJudgedByTheSetting(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with { $0.maximumVersion = version }
        let refused = try #require(try TLSPair(client, TLSSample.mutual)).shakeHands()
        #expect(refused.server.failure == .certificateRequired)
        #expect(refused.client.state == .failed)
        let optional = TLSSample.mutual.with { $0.rules.clientAuthentication = .optional }
        let admitted = try #require(try TLSPair(client, optional)).shakeHands()
        #expect(admitted.isOpen)
        #expect(admitted.server.peerCertificate == nil)
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func aBadClientCertificateIsRefusedAlsoWhereNoneIsNeeded(_ version: TLSVersion) throws {
        for (certificate, code) in [
            (TLSAuthority.stranger.issue([]), Int32(20)), (TLSAuthority.shared.issue([], isExpired: true), 10),
        ] {
            let client = TLSClientSettings.trusting.with {
                $0.maximumVersion = version
                $0.certificate = certificate
            }
            let optional = TLSSample.mutual.with { $0.rules.clientAuthentication = .optional }
            let pair = try #require(try TLSPair(client, optional)).shakeHands()
            #expect(pair.server.failure == .certificateInvalid(verifyCode: code))
            #expect(pair.client.state == .failed)
        }
    }

    /// A failure leaves nothing in the thread's error queue that would break the next session.
    @Test func failuresDoNotPoisonOthers() throws {
        let good = try #require(try TLSPair(.trusting, TLSSample.server)).shakeHands()
        for _ in 0..<3 {
            let bad = try #require(try TLSPair(.trusting(.stranger), TLSSample.server)).shakeHands()
            #expect(bad.client.failure == .certificateInvalid(verifyCode: 20))
            #expect(bad.server.failure == .refusedByPeer(alert: 48))
            #expect(good.request("still here") == "still here")
        }
    }
}
