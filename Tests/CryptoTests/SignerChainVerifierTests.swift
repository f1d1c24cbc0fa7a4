import Bytes
import Crypto
import Foundation
import Model
import Testing

/// Certificate chains that come with signatures.
@Suite struct SignerChainVerifierTests {
    private let authority = TLSAuthority(subject: "/CN=Signing Authority")
    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func der(_ pem: [UInt8]) throws -> [UInt8] {
        let body = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.contains("-----") }.joined()
        return try #require(base64(body))
    }

    private func leaf(
        _ names: [String] = ["DNS:signer.example"], key: TLSAuthority.Key = .p256, isExpired: Bool = false,
        signedBy issuer: String = "ca", isAuthority: Bool = false, extensions: String = "",
        name: String = UUID().uuidString
    ) throws -> [UInt8] {
        try der(
            authority.issue(
                names, subject: "/CN=signer", key: key, isExpired: isExpired, name: name, signedBy: issuer,
                isAuthority: isAuthority, extensions: extensions
            ).chainPEM)
    }

    @Test("a chain to an authority gives name, key and end of the signer")
    func chains() throws {
        let verifier = try SignerChainVerifier(authoritiesPEM: authority.certificatePEM)
        let usage = "keyUsage=critical,digitalSignature\n"
        let direct = try leaf(extensions: usage)
        let signer = try #require(verifier.signer(of: [direct], now: now))
        #expect(signer.certificate.subject == "CN=signer" && signer.key.kind == .elliptic(.p256))
        #expect(try #require(CertificatePattern("dns:*.example")).fits(signer.certificate))
        #expect(signer.notAfter > now && signer.notAfter <= now + 86_400)
        #expect(verifier.signer(of: [direct], now: signer.notAfter + 1) == nil)
        #expect(verifier.signer(of: [direct], now: now - 86_400) == nil)
        let middle = try leaf([], isAuthority: true, name: "middle")
        let below = try leaf(key: .rsa(2048), signedBy: "middle")
        #expect(verifier.signer(of: [below, middle], now: now)?.key.kind == .rsa(bits: 2048))
        #expect(verifier.signer(of: [below], now: now) == nil)
        #expect(verifier.signer(of: [middle, below], now: now) == nil)
    }

    @Test("no other authority, weak key, foreign purpose, or certificate of an authority")
    func refusals() throws {
        let verifier = try SignerChainVerifier(authoritiesPEM: authority.certificatePEM)
        let good = try leaf()
        let stranger = try der(TLSAuthority.stranger.certificatePEM)
        let foreign = try der(TLSAuthority.stranger.issue([], subject: "/CN=signer").chainPEM)
        let own = try der(authority.certificatePEM)
        let middle = try leaf([], name: "no-authority")
        let chains: [[[UInt8]]] = try [
            [], [foreign], [foreign, stranger], [stranger], [good, [1, 2]], [Array(good.dropLast())], [good + [0]],
            [leaf(isExpired: true)], [leaf(key: .rsa(1024))], [own], [good, foreign].reversed(),
            [leaf(isAuthority: true)], [leaf(extensions: "keyUsage=critical,keyEncipherment\n")],
            [leaf(signedBy: "no-authority"), middle],
        ]
        for (index, chain) in chains.enumerated() { #expect(verifier.signer(of: chain, now: now) == nil, "\(index)") }
        #expect(verifier.signer(of: [good], now: now) != nil)
    }

    @Test("a revoked signer is refused, and so are all without a list of their authority")
    func revoked() throws {
        let (good, bad) = (try leaf(name: "good"), try leaf(name: "bad"))
        let lists = authority.revocationList(of: ["bad"])
        let verifier = try SignerChainVerifier(authoritiesPEM: authority.certificatePEM, revocationLists: lists)
        #expect(verifier.signer(of: [good], now: now) != nil && verifier.signer(of: [bad], now: now) == nil)
        #expect(throws: TLSSettingsError.self) {
            try SignerChainVerifier(authoritiesPEM: TLSAuthority.stranger.certificatePEM, revocationLists: lists)
        }
    }
}
