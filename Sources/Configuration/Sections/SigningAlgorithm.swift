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
