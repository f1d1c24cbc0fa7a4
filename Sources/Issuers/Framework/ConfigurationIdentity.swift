import Bytes
import Crypto
import Synchronization

/// Identities of settings that include secrets: keyed digests, which are safe from dictionary attacks elsewhere.
package enum ConfigurationIdentity {
    private static let key = Mutex<[UInt8]?>(nil)

    /// Makes the digests the same in every process with this secret. Call it before the first digest; later calls have
    /// no effect.
    package static func bind(to secret: [UInt8]) {
        let label = Array("portcullis issuer settings 1".utf8)
        let derived = DigestAlgorithm.sha256.hmac(key: secret.span, label.span)
        key.withLock { $0 = $0 ?? derived }
    }

    /// Unless bound, digests are valid for the life of the process.
    static func digest(of settings: [UInt8]) -> String {
        let key = key.withLock { known in
            let key = known ?? SecureRandom.bytes(32)
            known = key
            return key
        }
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, settings.span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }
}
