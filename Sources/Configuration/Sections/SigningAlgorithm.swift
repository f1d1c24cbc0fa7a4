import Bytes

/// The names of signature algorithms (RFC 7518 section 3.1, RFC 8037).
enum SigningAlgorithm {
    static let symmetric = ["HS256", "HS384", "HS512"]
    static let asymmetric = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    ]
    static let all = symmetric + asymmetric

    /// Bytes that a secret needs at the least: the length of the hash (RFC 7518 section 3.2).
    static func minimumSecretLength(_ algorithm: String) -> Int {
        switch algorithm {
        case "HS384": 48
        case "HS512": 64
        default: 32
        }
    }
}

extension Shape<String> {
    /// An algorithm whose signatures others can verify without being able to make them.
    package static let publicAlgorithm = text(.choice(SigningAlgorithm.asymmetric)) { $0.publicAlgorithm() }
}

extension Field {
    /// An algorithm whose signatures others can verify without being able to make them.
    package func publicAlgorithm() -> String? {
        if let name = node.string, SigningAlgorithm.symmetric.contains(name) {
            // DEC-11: a secret shared with an upstream would let it mint tokens.
            error(
                "HS algorithms are for tokens that the gateway itself verifies",
                expected: "one of \(SigningAlgorithm.asymmetric.joined(separator: ", "))", found: "\"\(name)\"")
            return nil
        }
        return choice(SigningAlgorithm.asymmetric)
    }
}
