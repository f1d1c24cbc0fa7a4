import Bytes
import Crypto
import Model
import Testing

/// Client certificates in revocation lists (RFC 5280 section 6.3).
@Suite struct TLSRevocationTests {
    private let authority = TLSAuthority(subject: "/CN=Revoking Authority")
    private let good: TLSCertificate
    private let bad: TLSCertificate

    init() {
        good = authority.issue([], subject: "/CN=good", name: "good")
        bad = authority.issue([], subject: "/CN=bad", name: "bad")
    }

    private func settings(_ lists: [UInt8]?, authorities: [UInt8]? = nil) -> TLSServerSettings {
        TLSSample.server.with {
            $0.rules.clientAuthentication = .optional
            $0.clientAuthoritiesPEM = authorities ?? authority.certificatePEM
            $0.revocationLists = lists
        }
    }

    private func problem(_ lists: [UInt8], authorities: [UInt8]? = nil) -> TLSSettingsError? {
        do throws(TLSSettingsError) {
            _ = try TLSServerContext(settings(lists, authorities: authorities))
            return nil
        } catch {
            return error
        }
    }

    /// What the server says of a certificate; nil where it accepts it.
    private func failure(
        _ certificate: TLSCertificate?, _ settings: TLSServerSettings, _ version: TLSVersion = .tls13
    ) throws -> TLSFailure? {
        let client = TLSClientSettings.trusting.with {
            $0.maximumVersion = version
            $0.certificate = certificate
        }
        return try #require(try TLSPair(client, settings)).shakeHands().server.failure
    }

    @Test("a revoked certificate is refused, one that is not is accepted", arguments: TLSHandshakeTests.versions)
    func revoked(_ version: TLSVersion) throws {
        let lists = authority.revocationList(of: ["bad"])
        for bytes in [lists, authority.inDER(lists), lists + authority.revocationList(of: ["bad"])] {
            let settings = settings(bytes)
            #expect(try failure(good, settings, version) == nil)
            #expect(try failure(nil, settings, version) == nil)
            let refused = try failure(bad, settings, version)
            #expect(refused == .certificateInvalid(verifyCode: 23))
            #expect(refused?.detail == "certificate revoked")
        }
        #expect(try failure(bad, settings(nil), version) == nil)
    }

    @Test("a list that is over, or not valid yet, refuses all certificates")
    func expired() throws {
        let over = settings(authority.revocationList(of: [], from: "20200101000000Z", to: "20200102000000Z"))
        let context = try TLSServerContext(over)
        #expect(context.revocationLists.map(\.issuer) == ["CN=Revoking Authority"])
        #expect(context.revocationLists.map(\.nextUpdate) == [1_577_923_200])
        #expect(try failure(good, over) == .certificateInvalid(verifyCode: 12))
        #expect(try failure(nil, over) == nil)
        let early = settings(authority.revocationList(of: [], from: "20700101000000Z", to: "20710102000000Z"))
        #expect(try failure(good, early) == .certificateInvalid(verifyCode: 11))
    }

    @Test("files that check nothing, or not everything, are refused")
    func files() {
        let list = authority.revocationList(of: [])
        #expect(problem(list) == nil)
        #expect(problem([]) == .revocationLists(.noList))
        #expect(problem(authority.certificatePEM) == .revocationLists(.noList))
        #expect(problem(Array("text".utf8)) == .revocationLists(.noList))
        #expect(problem([0x30, 0]) == .revocationLists(.malformed(position: 1)))
        #expect(problem(authority.inDER(list) + [0]) == .revocationLists(.malformed(position: 2)))
        let damaged = list + Array("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n".utf8)
        #expect(problem(damaged) == .revocationLists(.malformed(position: 2)))
        let stranger = TLSAuthority.stranger.revocationList(of: [])
        #expect(problem(list + stranger) == .revocationLists(.unknownIssuer(position: 2)))
        // Of the same name, with another key.
        let namesake = TLSAuthority(subject: "/CN=Revoking Authority").revocationList(of: [])
        #expect(problem(namesake) == .revocationLists(.unknownIssuer(position: 1)))
        let both = authority.certificatePEM + TLSAuthority.stranger.certificatePEM
        #expect(problem(list, authorities: both) == .revocationLists(.missing(authority: "CN=Stranger")))
        #expect(problem(list + stranger, authorities: both) == nil)
    }

    @Test("an authority below the trusted one is looked for, too, and an anchor needs no list of its issuer")
    func chains() throws {
        _ = authority.issue([], subject: "/CN=Middle", name: "middle", isAuthority: true)
        let leaf = authority.issue([], subject: "/CN=below", name: "below", signedBy: "middle")
        let middle = authority.file("middle.pem")
        let chain = TLSCertificate(chainPEM: leaf.chainPEM + middle, keyPEM: leaf.keyPEM)
        let list = authority.revocationList(of: [])
        let ofMiddle = authority.revocationList(of: [], signedBy: "middle")
        // The list of the middle one is missing.
        #expect(try failure(chain, settings(list)) == .certificateInvalid(verifyCode: 3))
        let both = authority.certificatePEM + middle
        let admitted = try failure(chain, settings(list + ofMiddle, authorities: both))
        #expect(admitted == nil)
        let revoked = authority.revocationList(of: ["middle"])
        #expect(
            try failure(chain, settings(revoked + ofMiddle, authorities: both)) == .certificateInvalid(verifyCode: 23))
        #expect(try failure(chain, settings(ofMiddle, authorities: middle)) == nil)
        let below = authority.revocationList(of: ["below"], signedBy: "middle")
        #expect(try failure(chain, settings(below, authorities: middle)) == .certificateInvalid(verifyCode: 23))
    }

    @Test("open sessions are compared with newer lists")
    func later() throws {
        let client = TLSClientSettings.trusting.with { $0.certificate = bad }
        let pair = try #require(try TLSPair(client, settings(authority.revocationList(of: [])))).shakeHands()
        #expect(pair.isOpen)
        #expect(try !TLSServerContext(settings(authority.revocationList(of: []))).revokes(pair.server))
        #expect(try TLSServerContext(settings(authority.revocationList(of: ["bad"]))).revokes(pair.server))
        #expect(try !TLSServerContext(settings(nil)).revokes(pair.server))
    }
}

extension TLSAuthority {
    /// A revocation list in PEM form.
    func revocationList(
        of names: [String], from start: String? = nil, to end: String? = nil, signedBy issuer: String = "ca"
    ) -> [UInt8] {
        let lines = names.map { name in
            let (_, text) = OpenSSLCommand(["x509", "-in", "\(name).pem", "-noout", "-serial"], in: directory).wait()
            let serial = text.split(separator: "=").last.map { $0.prefix { $0.isHexDigit } } ?? ""
            return "R\t401231235959Z\t200101000000Z\t\(serial)\tunknown\t/CN=\(name)\n"
        }
        write(lines.joined(), "revoked.txt")
        write(
            "[ca]\ndefault_ca = own\n[own]\ndatabase = revoked.txt\ndefault_md = sha256\ndefault_crl_days = 1\n",
            "revoked.cnf")
        let dates = start.map { ["-crl_lastupdate", $0] } ?? []
        openssl(
            ["ca", "-gencrl", "-config", "revoked.cnf", "-cert", "\(issuer).pem", "-keyfile", "\(issuer).key", "-out"]
                + ["list.pem"] + dates + (end.map { ["-crl_nextupdate", $0] } ?? []))
        return file("list.pem")
    }

    /// The same list in DER form.
    func inDER(_ list: [UInt8]) -> [UInt8] {
        write(String(decoding: list, as: UTF8.self), "one.pem")
        openssl(["crl", "-in", "one.pem", "-outform", "DER", "-out", "one.der"])
        return file("one.der")
    }
}
