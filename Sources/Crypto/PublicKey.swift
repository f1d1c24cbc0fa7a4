/// The public part of an asymmetric key, as in JWK (RFC 7518 section 6, RFC 8037 section 2), big-endian.
package enum PublicKey: Equatable, Sendable {
    /// Modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// Coordinates of the curve's full length.
    case elliptic(EllipticCurve, x: [UInt8], y: [UInt8])
    /// The 32 bytes of an Ed25519 key.
    case ed25519([UInt8])

    /// Bits of an RSA modulus (RFC 7518 section 3.3; the upper limit bounds the cost of verification).
    package static let rsaBits = 2048...8192

    /// Checks the numbers of an RSA key and drops their leading zeros. libcrypto checks points.
    func checked() throws(KeyError) -> PublicKey {
        guard case .rsa(let modulus, let exponent) = self else { return self }
        let n = Array(modulus.drop { $0 == 0 })
        let e = Array(exponent.drop { $0 == 0 })
        let bits = PublicKey.bitCount(n)
        if bits < PublicKey.rsaBits.lowerBound { throw .tooShort(bits: bits, required: PublicKey.rsaBits.lowerBound) }
        if bits > PublicKey.rsaBits.upperBound { throw .tooLong(bits: bits) }
        guard let lowest = e.last, e.count <= 8, lowest & 1 == 1, e != [1], n[n.count - 1] & 1 == 1 else {
            throw .invalidRSAKey
        }
        if PublicKey.hasROCAFingerprint(n) { throw .factorable }
        return .rsa(modulus: n, exponent: e)
    }

    /// Length of a number without leading zeros in bits.
    static func bitCount(_ number: [UInt8]) -> Int {
        number.isEmpty ? 0 : number.count * 8 - number[0].leadingZeroBitCount
    }

    /// Whether a modulus has the fingerprint of CVE-2017-15361: it is a power of 65537 modulo each of these primes. For
    /// other moduli the probability is below 2^-27.
    static func hasROCAFingerprint(_ modulus: [UInt8]) -> Bool {
        let primes: [UInt32] = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]
        return primes.allSatisfy { prime in
            let remainder = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
            var power: UInt32 = 1
            repeat {
                if power == remainder { return true }
                power = power * (65537 % prime) % prime
            } while power != 1
            return false
        }
    }
}
