import Bytes
import Crypto
import Model
import Testing

/// Certificates that other hops tell.
@Suite struct ClientCertificateVerifierTests {
    private let authority = TLSAuthority(subject: "/CN=Told Authority")

    private func der(_ pem: [UInt8]) throws -> [UInt8] {
        let body = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.contains("-----") }.joined()
        let text = Array(body.utf8)
        let bytes = Base64.decode(text.span)
        return try #require(bytes)
    }

    @Test("a certificate of an authority counts, any other does not")
    func authorities() throws {
        let verifier = try ClientCertificateVerifier(authoritiesPEM: authority.certificatePEM)
        let own = try der(authority.issue([], subject: "/CN=own", name: "own").chainPEM)
        let told = try verifier.verify(own).get()
        #expect(told.subject == "CN=own" && told.certificateDER == own)
        let foreign = try der(TLSAuthority.stranger.issue([], subject: "/CN=own", name: "told").chainPEM)
        #expect(verifier.verify(foreign) == .failure(.untrusted(verifyCode: 20)))
        // Issuers that the client brings are links of a chain, and end none.
        let stranger = try der(TLSAuthority.stranger.certificatePEM)
        guard case .failure(.untrusted) = verifier.verify(foreign, issuers: [stranger]) else {
            Issue.record("a stranger's authority counts")
            return
        }
        let old = try der(authority.issue([], subject: "/CN=old", isExpired: true).chainPEM)
        #expect(verifier.verify(old) == .failure(.untrusted(verifyCode: 10)))
        #expect(verifier.verify(own + [0]) == .failure(.malformed))
        #expect(verifier.verify([]) == .failure(.malformed))
        #expect(verifier.verify(own, issuers: [[1, 2]]) == .failure(.malformed))
        #expect(verifier.verify(Array(own.dropLast())) == .failure(.malformed))
    }

    @Test("a revoked certificate is known as such, and a list of another authority is an error")
    func revoked() throws {
        let good = try der(authority.issue([], subject: "/CN=good", name: "good").chainPEM)
        let bad = try der(authority.issue([], subject: "/CN=bad", name: "bad").chainPEM)
        let lists = authority.revocationList(of: ["bad"])
        let verifier = try ClientCertificateVerifier(authoritiesPEM: authority.certificatePEM, revocationLists: lists)
        #expect(try verifier.verify(good).get().subject == "CN=good")
        #expect(verifier.verify(bad) == .failure(.revoked))
        #expect(throws: TLSSettingsError.self) {
            try ClientCertificateVerifier(
                authoritiesPEM: TLSAuthority.stranger.certificatePEM, revocationLists: lists)
        }
        #expect(throws: TLSSettingsError.self) { try ClientCertificateVerifier(authoritiesPEM: []) }
    }
}
