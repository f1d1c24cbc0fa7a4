import Bytes
import Crypto
import JOSE
import Testing

/// Tokens that are bound to keys (RFC 7800, RFC 8705, RFC 9449).
@Suite struct TokenBindingTests {
    private static let header =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rs"
        + "cEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMj"
        + "U2In19"
    /// RFC 9449 figures 2 and 12.
    private static let tokenProof =
        header + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3"
        + "Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nf"
        + "bV37xRZT3Lg"
    private static let resourceProof =
        header + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy"
        + "9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtz"
        + "bVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"

    private func read(_ text: String) throws(ProofRejection) -> PossessionProof {
        let bytes = Array(text.utf8)
        let proof = try PossessionProof(bytes.span)
        try proof.verify(bytes.span)
        return proof
    }

    @Test("the proofs of RFC 9449 sections 4.1 and 7.1")
    func vectors() throws {
        let proof = try read(Self.tokenProof)
        #expect(base64URL(proof.thumbprint) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.id == "-BwC3ESc6acc2lTc" && proof.method == "POST")
        #expect(proof.url == "https://server.example.com/token" && proof.issuedAt == 1_562_262_616)
        #expect(proof.tokenDigest == nil && proof.nonce == nil)
        let other = try read(Self.resourceProof)
        let token = Array("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU".utf8)
        #expect(other.thumbprint == proof.thumbprint)
        #expect(other.tokenDigest == DigestAlgorithm.sha256.digest(token.span))
    }

    @Test("a changed proof has no valid signature")
    func changed() {
        let parts = Self.tokenProof.split(separator: ".")
        let payload = Self.resourceProof.split(separator: ".")[1]
        #expect(throws: ProofRejection.badSignature) { try read("\(parts[0]).\(payload).\(parts[2])") }
        #expect(throws: ProofRejection.badSignature) { try read("\(parts[0]).\(parts[1]).") }
    }

    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func binding(_ text: String) -> TokenBinding? { parse(Array(text.utf8)).flatMap { TokenBinding($0) } }

    @Test("known confirmations are read and written")
    func confirmations() throws {
        let key = try #require(binding(#"{"jkt":"\#(Self.thumbprint)"}"#))
        #expect(key.key?.count == 32 && key.certificate == nil)
        let both = try #require(binding(#"{"x5t#S256":"\#(Self.thumbprint)","jkt":"\#(Self.thumbprint)"}"#))
        #expect(both.key == key.key && both.certificate == key.key)
        var writer = JSONWriter()
        writer.beginObject()
        both.write(to: &writer)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"cnf":{"jkt":"\#(Self.thumbprint)","x5t#S256":"\#(Self.thumbprint)"}}"#)
    }

    @Test(
        "a confirmation that is unknown or malformed binds to nothing that could be proved",
        arguments: [
            "{}", "null", "[]", #""x""#, #"{"jkt":"x"}"#, #"{"jkt":1}"#, #"{"jkt":"\#(thumbprint)AAAA"}"#,
            #"{"jkt":"\#(thumbprint)","kid":"a"}"#, #"{"jwk":{}}"#, #"{"x5t":"\#(thumbprint)"}"#,
        ])
    func unknownConfirmations(_ text: String) throws {
        #expect(binding(text) == nil)
        let claims = try #require(parse(Array(#"{"cnf":\#(text)}"#.utf8)))
        #expect(throws: TokenRejection.proofRequired) {
            try TokenPurpose.accessToken(checksProofs: true).check(type: "at+jwt", claims)
        }
    }

    @Test("only where proofs are checked are bound tokens accepted")
    func purposes() throws {
        let claims = try #require(parse(Array(#"{"cnf":{"jkt":"\#(Self.thumbprint)"}}"#.utf8)))
        try TokenPurpose.accessToken(checksProofs: true).check(type: "at+jwt", claims)
        for purpose in [TokenPurpose.accessToken(), .assertion] {
            #expect(throws: TokenRejection.proofRequired) { try purpose.check(type: "at+jwt", claims) }
        }
    }
}
