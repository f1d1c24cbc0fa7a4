import Crypto
import Gateway
import Identity
import Tokens

/// What outlives configurations: each finds here what the one before has left.
struct Lasting: Sendable {
    let revocations = RevocationList()
    let tls = LastingTLS()
    /// The limiters, whose buckets go on.
    let rateLimiters = RateLimiters()
    /// What those who guess passwords have used up.
    let throttle = LoginThrottle()
    /// Where tokens are kept.
    let store: any TokenStore = MemoryTokenStore()
    /// What the store knows tokens by.
    let storeKey = Lasting.makeStoreKey()
    /// Makes calls to other servers, once there are workers to make them.
    let outbound = OutboundCalls()
    let keys = LastingKeys()
    /// For what happens between two configurations; nil where nothing is served.
    var log: EventLog?

    private static func makeStoreKey() -> TokenDigestKey {
        guard let key = TokenDigestKey(SecureRandom.bytes(TokenDigestKey.length)) else {
            preconditionFailure("the key has the length of a key")
        }
        return key
    }
}
