import Crypto
import Model

/// Which key a token needs.
package struct KeyNeed: Equatable, Sendable {
    /// The `kid` of the token's header.
    package var keyID: String?
    package var algorithm: SignatureAlgorithm
    /// No key at hand has verified a token that names none: it may be one that came later.
    package var wasTriedInVain: Bool

    package init(keyID: String?, algorithm: SignatureAlgorithm, wasTriedInVain: Bool = false) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.wasTriedInVain = wasTriedInVain
    }
}

/// What there is for a need at the moment.
package enum KeysNow: Sendable {
    /// The keys to decide with: if the key is not among them, it does not exist.
    case ready(KeySet)
    /// They must be fetched first.
    case fetch
    /// Nobody can say: the issuer does not answer. Never a reason for a 401.
    case unavailable
}

/// The keys of an issuer that publishes them elsewhere and changes them as it likes.
package protocol KeySource: AnyObject, Sendable {
    /// - Parameter now: seconds since 1970.
    func keys(for need: KeyNeed, now: Int64) -> KeysNow

    /// What there is without another fetch; never `.fetch`.
    /// - Parameter now: seconds since 1970.
    func keysAtHand(for need: KeyNeed, now: Int64) -> KeysNow

    /// Fetches the keys, or waits for others who do, and answers once, from any thread; never with `.fetch`.
    func fetch(for need: KeyNeed, then: @escaping @Sendable (KeysNow) -> Void)
}
