import Bytes
import Crypto
import Synchronization

/// By what settings are told apart where secrets are among them: keyed digests, which can't be tried out on a dictionary
/// elsewhere.
package enum ConfigurationIdentity {
    private static let key = Mutex<[UInt8]?>(nil)

    /// Has the digests be those of every process with this secret. To be called before the first one is made; nothing
    /// changes them later.
    package static func bind(to secret: [UInt8]) {
        let label = Array("portcullis issuer settings 1".utf8)
        let derived = DigestAlgorithm.sha256.hmac(key: secret.span, label.span)
        key.withLock { $0 = $0 ?? derived }
    }

    /// Of a process that nothing was bound in, they hold for its life.
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
