import Declaration

/// Encryption of state that clients hold: the `request-ctx` of challenges (CHAL-03), and the cookies and forms of
/// logins.
package struct ChallengeSection: Sendable {
    /// Keys of 32 bytes; the first encrypts, and all decrypt (DEC-12). Empty if they are in `keyFile`.
    package var keys: [[UInt8]]
    /// File with one key a line. If missing, it is created with one key and mode 0600.
    package var keyFile: String
    package var lifetime: Duration
    /// The section `dpop`, whose nonces are sealed with the same keys.
    package var proofs = ProofSection(requiresNonce: false, lifetime: .seconds(60))

    /// The section with how proofs are checked.
    func proving(_ proofs: ProofSection) -> ChallengeSection {
        var section = self
        section.proofs = proofs
        return section
    }

    static func read(_ object: inout ObjectReader) -> ChallengeSection {
        let (given, keyFile) = object.keyOrFile(
            KeyRing.shape,
            "A key, 32 bytes as Base64, or a list of keys: the first [seals](guides/keys.md#sealing-keys), all open.",
            file: "state/challenge.key",
            "File with the keys, one a line. It is made with one key and mode 0600 where it is missing.")
        return ChallengeSection(
            keys: given ?? [], keyFile: keyFile,
            lifetime: object.value(
                "lifetime", .duration, default: .seconds(300), "How long a `request-ctx` is accepted."))
    }
}
