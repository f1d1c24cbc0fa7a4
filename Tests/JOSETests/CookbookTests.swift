import Bytes
import JOSE
import Testing

/// The examples of RFC 7520 section 4 and RFC 8037 appendix A.
@Suite struct CookbookTests {
    private static let files = [
        "jws/4_1.rsa_v15_signature", "jws/4_2.rsa-pss_signature", "jws/4_3.ecdsa_signature",
        "jws/4_4.hmac-sha2_integrity_protection", "curve25519/jws",
    ]

    /// The example's key without its private parts, as a set.
    private static func keys(_ example: JSONNode) throws -> KeySet {
        let key = try #require(example["input"]?["key"])
        let isSecret = key["kty"]?.string == "oct"
        let privateNames: Set<String> = ["d", "p", "q", "dp", "dq", "qi"]
        let members = (key.members ?? []).filter { !privateNames.contains($0.name) }
        return try KeySet("{\"keys\":[\(text(JSONNode(.object(members))))]}", isSecret ? .secrets : .publicKeys)
    }

    @Test(arguments: files)
    func verifiesExample(file: String) throws {
        let example = Fixture.json("jose-cookbook/\(file).json")
        let token = try #require(example["output"]?["compact"]?.string)
        let expected = try #require(example["input"]?["payload"]?.string)
        let keys = try Self.keys(example)
        #expect(try payload(token, keys) == Array(expected.utf8))
        let parts = token.split(separator: ".")
        let tampered = "\(parts[0]).\(base64URL("other")).\(parts[2])"
        #expect(throws: TokenRejection.badSignature) { try payload(tampered, keys) }
    }

    @Test("RFC 7515 appendix F: detached content is not filled in")
    func refusesDetachedContent() throws {
        let example = Fixture.json("jose-cookbook/jws/4_5.signature_with_detached_content.json")
        let token = try #require(example["output"]?["compact"]?.string)
        #expect(throws: TokenRejection.badSignature) { try payload(token, Self.keys(example)) }
    }

    @Test(
        "the JSON serialisation is refused",
        arguments: [
            "jws/4_1.rsa_v15_signature", "jws/4_6.protecting_specific_header_fields",
            "jws/4_7.protecting_content_only", "jws/4_8.multiple_signatures",
        ])
    func refusesJSONSerialisation(file: String) throws {
        let output = try #require(Fixture.json("jose-cookbook/\(file).json")["output"])
        for name in ["json", "json_flat"] {
            guard let form = output[name] else { continue }
            #expect(throws: TokenRejection.malformed) { try payload(text(form), KeySet(keys: [])) }
        }
    }

    @Test func refusesEncryptedTokens() throws {
        let example = Fixture.json("jose-cookbook/jwe/5_6.direct_encryption_using_aes-gcm.json")
        let token = try #require(example["output"]?["compact"]?.string)
        #expect(throws: TokenRejection.encrypted) { try payload(token, KeySet(keys: [])) }
    }
}
