import Model

extension SignatureAlgorithm {
    /// The hash that is signed; nil for EdDSA.
    package var digest: DigestAlgorithm? {
        switch self {
        case .hs256, .rs256, .ps256, .es256: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512: .sha512
        case .edDSA: nil
        }
    }

    /// A small number that identifies the algorithm.
    var index: Int {
        switch self {
        case .hs256: 0
        case .hs384: 1
        case .hs512: 2
        case .rs256: 3
        case .rs384: 4
        case .rs512: 5
        case .ps256: 6
        case .ps384: 7
        case .ps512: 8
        case .es256: 9
        case .es384: 10
        case .es512: 11
        case .edDSA: 12
        }
    }
}

/// The curves of JWK (RFC 7518 section 6.2.1.1) that signatures use.
package enum EllipticCurve: String, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// Length of a coordinate and of each half of a signature in bytes.
    package var coordinateLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The algorithm of keys of the curve (RFC 7518 section 3.4).
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}

/// Why a key cannot be used.
package enum KeyError: Error, Equatable, Sendable {
    /// Not the PEM text of a key, or a damaged one.
    case malformedPEM
    /// A type or curve that no supported algorithm uses.
    case unsupportedKey
    /// The key is of another type or curve than the algorithm needs.
    case algorithmMismatch
    /// An RSA modulus or a secret of fewer bits than required.
    case tooShort(bits: Int, required: Int)
    /// An RSA modulus above the limit of verification.
    case tooLong(bits: Int)
    /// An RSA exponent that is even, 1, or longer than 64 bits, or an even modulus.
    case invalidRSAKey
    /// An RSA modulus with the fingerprint of CVE-2017-15361, which can be factored.
    case factorable
    /// Coordinates of the wrong length, or not on the curve.
    case invalidPoint
    /// The public part does not verify signatures of the private part.
    case inconsistent

    /// The reason in words, for messages about configuration and key sets.
    package var reason: String {
        switch self {
        case .malformedPEM: "it is not a key in PEM form"
        case .unsupportedKey: "its type or curve is not supported"
        case .algorithmMismatch: "it does not fit the algorithm"
        case .tooShort(let bits, let required): "it has \(bits) bits, at least \(required) are required"
        case .tooLong(let bits): "it has \(bits) bits, which is too many"
        case .invalidRSAKey: "its RSA modulus or exponent is invalid"
        case .factorable: "its RSA modulus has the ROCA weakness (CVE-2017-15361)"
        case .invalidPoint: "its coordinates are not a point of the curve"
        case .inconsistent: "its private part is damaged, or does not belong to its public part"
        }
    }
}
