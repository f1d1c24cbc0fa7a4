import Bytes
import Model

extension SignatureAlgorithm {
    /// Those that use public keys, in the order of their names.
    static let publicOnes = allCases.filter { !$0.isSymmetric }

    /// Bytes that a secret needs at the least: the length of the hash (RFC 7518 section 3.2).
    var minimumSecretLength: Int {
        switch self {
        case .hs384: 48
        case .hs512: 64
        default: 32
        }
    }
}

extension Shape<SignatureAlgorithm> {
    /// An algorithm whose signatures others can verify without being able to make them.
    package static let publicAlgorithm = Shape.choice(among: SignatureAlgorithm.publicOnes).reading {
        $0.publicAlgorithm()
    }
}

extension Field {
    /// An algorithm whose signatures others can verify without being able to make them.
    package func publicAlgorithm() -> SignatureAlgorithm? {
        if let name = node.string, SignatureAlgorithm(named: name)?.isSymmetric == true {
            // DEC-11: a secret shared with an upstream would let it mint tokens.
            let names = SignatureAlgorithm.publicOnes.map(\.rawValue).joined(separator: ", ")
            error(
                "HS algorithms are for tokens that the gateway itself verifies", expected: "one of \(names)",
                found: "\"\(name)\"")
            return nil
        }
        return choice(among: SignatureAlgorithm.publicOnes)
    }
}
