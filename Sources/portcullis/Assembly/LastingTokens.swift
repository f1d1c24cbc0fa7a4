import Crypto
import Tokens

/// What of tokens outlives configurations: the store, and the key by which it knows them.
final class LastingTokens: Sendable {
    let store: any TokenStore = MemoryTokenStore()
    let key: TokenDigestKey

    init() {
        guard let key = TokenDigestKey(SecureRandom.bytes(TokenDigestKey.length)) else {
            preconditionFailure("the key has the length of a key")
        }
        self.key = key
    }
}
