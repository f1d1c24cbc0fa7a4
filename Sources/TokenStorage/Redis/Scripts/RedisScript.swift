import Crypto

/// A Lua script that the server runs atomically. The server caches it under its digest.
struct RedisScript: Sendable {
    let text: [UInt8]
    /// SHA-1 in hexadecimal, as required by `EVALSHA`.
    let digest: [UInt8]

    /// - Parameter body: the part after the common beginning of all scripts.
    init(_ body: String) {
        let text = Array((RedisScript.common + body).utf8)
        var digest: [UInt8] = []
        for byte in DigestAlgorithm.sha1.digest(text.span) {
            digest += [RedisScript.digits[Int(byte >> 4)], RedisScript.digits[Int(byte & 15)]]
        }
        self.text = text
        self.digest = digest
    }

    /// The call by digest, which is the usual one.
    func callByDigest(_ base: [UInt8], _ arguments: [[UInt8]]) -> [[UInt8]] {
        [RedisScript.evalsha, digest, RedisScript.one, base] + arguments
    }

    /// The call with the text, after `NOSCRIPT`; the server caches it.
    func callByText(_ base: [UInt8], _ arguments: [[UInt8]]) -> [[UInt8]] {
        [RedisScript.eval, text, RedisScript.one, base] + arguments
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let evalsha = Array("EVALSHA".utf8)
    private static let eval = Array("EVAL".utf8)
    private static let one = Array("1".utf8)
}
