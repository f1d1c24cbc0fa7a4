import Model

/// The key that a token needs.
package struct KeyNeed: Equatable, Sendable {
    /// The `kid` of the token's header.
    package var keyID: String?
    package var algorithm: SignatureAlgorithm
    /// No known key has verified the token: it may be of a new key without a name, or of one that replaces a key under
    /// its name.
    package var wasTriedInVain: Bool

    package init(keyID: String?, algorithm: SignatureAlgorithm, wasTriedInVain: Bool = false) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.wasTriedInVain = wasTriedInVain
    }
}

/// The current state of the keys for a need.
package enum KeyAvailability: Sendable {
    /// The current keys: a missing key does not exist.
    case ready(KeySet)
    /// The keys must be fetched first.
    case fetch
    /// Unknown, since the issuer does not respond. Never a reason for a 401.
    case unavailable
}

/// The published keys of an issuer, which may change.
package protocol KeySource: AnyObject, Sendable {
    /// - Parameter now: seconds since 1970.
    func keys(for need: KeyNeed, now: Int64) -> KeyAvailability

    /// The current state without fetching; never `.fetch`.
    /// - Parameter now: seconds since 1970.
    func keysAtHand(for need: KeyNeed, now: Int64) -> KeyAvailability

    /// Fetches the keys, or joins a pending fetch, and calls back once from any thread; never with `.fetch`.
    func fetch(for need: KeyNeed, then: @escaping @Sendable (KeyAvailability) -> Void)
}
