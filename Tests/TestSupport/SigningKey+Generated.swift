import Crypto
import Model

extension SigningKey {
    /// A new key.
    package static func generate(_ algorithm: SignatureAlgorithm) -> SigningKey {
        do throws(KeyError) {
            return try SigningKey(generating: algorithm)
        } catch {
            fatalError("libcrypto makes no key for \(algorithm.rawValue): \(error.reason)")
        }
    }
}
