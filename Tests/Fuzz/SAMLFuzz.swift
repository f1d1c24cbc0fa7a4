import Crypto
import Model

@testable import Identity

/// What libFuzzer feeds with bytes: everything between a bearer token and a verified assertion (SAML-03, SAML-04). Made
/// and run by `deploy/fuzz`; it fails by crashing, by reading what is not its own, by taking seconds, or by a document
/// that is accepted without a signature.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSAML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // SAFETY: libFuzzer lends the bytes for this call; they are copied.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let xml = try? PackedAssertion.unpack(bytes) { judge(xml) }
    if let packed = try? PackedAssertion.pack(response: bytes), let xml = try? PackedAssertion.unpack(packed) {
        judge(xml)
    }
    judge(bytes)
    return 0
}

/// A certificate without its key: what it has signed is forged.
private let certificates: [SignerCertificate] = {
    guard let certificate = try? SignerCertificate(pem: Array(FuzzCertificate.pem.utf8)) else {
        fatalError("the certificate cannot be read")
    }
    return [certificate]
}()

private func judge(_ xml: [UInt8]) {
    // Beyond the signature, as if there were one.
    if let tree = try? XMLDocument(xml).tree(), let assertion = try? SAMLAssertion(tree) {
        let conditions = SAMLConditions(audiences: ["urn:a"], recipients: ["urn:r"], inResponseTo: "_q")
        _ = try? conditions.check(assertion, now: 1_800_000_000)
        _ = try? ExternalIdentityRules(virtualUserEnabled: true).username(in: assertion)
    }
    _ = try? SAMLVerifier.claimedIssuer(in: xml)
    for allowsSHA1 in [true, false] {
        if (try? SAMLVerifier.assertion(in: xml, signedBy: certificates, allowsSHA1: allowsSHA1)) != nil {
            fatalError("an assertion is accepted that nobody has signed")
        }
        if (try? SAMLVerifier.response(in: xml, signedBy: certificates, allowsSHA1: allowsSHA1)) != nil {
            fatalError("a response is accepted that nobody has signed")
        }
    }
}
