/// The key derivation of ECDH-ES (RFC 7518 section 4.6.2, SP 800-56A section 5.8.1).
package enum ConcatKDF {
    /// A key of at most 256 bits, which one round of SHA-256 gives.
    ///
    /// - Parameters:
    ///   - secret: of the key agreement.
    ///   - algorithm: AlgorithmID.
    ///   - parties: PartyUInfo and PartyVInfo.
    package static func key(
        _ secret: [UInt8], for algorithm: String, _ parties: [[UInt8]], bits: Int
    ) -> [UInt8] {
        precondition(bits <= 256)
        var input = bigEndian(1) + secret
        for value in [Array(algorithm.utf8)] + parties { input += bigEndian(value.count) + value }
        input += bigEndian(bits)
        return Array(DigestAlgorithm.sha256.digest(input.span).prefix(bits / 8))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
