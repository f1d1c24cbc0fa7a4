import Crypto
import Model

extension Client {
    /// Whether this is the client secret (OAUTH-06). Digests are compared, so the time taken reveals neither content
    /// nor length. A client without a secret never authenticates.
    package func hasSecret(_ secret: Span<UInt8>) -> Bool {
        let text = clientSecret?.value ?? ""
        let expected = secretDigest ?? DigestAlgorithm.sha256.digest(Array(text.utf8).span)
        let presented = DigestAlgorithm.sha256.digest(secret)
        return constantTimeEqual(expected.span, presented.span) && !(text.isEmpty && secretDigest == nil)
    }
}
