import Bytes
import Model

extension SignatureAlgorithm {
    /// The algorithms with public keys.
    package static let publicOnes = allCases.filter { !$0.isSymmetric }

    /// Minimum length of a secret in bytes: the length of the hash (RFC 7518 section 3.2).
    package var minimumSecretLength: Int {
        switch self {
        case .hs384: 48
        case .hs512: 64
        default: 32
        }
    }
}

extension Shape<SignatureAlgorithm> {
    /// An algorithm whose signatures others can verify but not create.
    package static let publicAlgorithm = Shape.choice(among: SignatureAlgorithm.publicOnes).reading {
        $0.publicAlgorithm()
    }
}

extension Field {
    /// An algorithm whose signatures others can verify but not create.
    package func publicAlgorithm() -> SignatureAlgorithm? {
        if let name = node.string, SignatureAlgorithm(named: name)?.isSymmetric == true {
            // DEC-11: an upstream that shares the secret could issue tokens.
            let names = SignatureAlgorithm.publicOnes.map(\.rawValue).joined(separator: ", ")
            return error(
                "HS algorithms are for tokens that the gateway itself verifies", expected: "one of \(names)",
                found: "\"\(name)\"")
        }
        return choice(among: SignatureAlgorithm.publicOnes)
    }
}
