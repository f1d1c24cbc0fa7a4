import Declaration

/// How proofs of possession are checked (RFC 9449).
package struct ProofSection: Sendable {
    /// Whether a proof must have a nonce of the gateway.
    package var requiresNonce: Bool
    /// Greatest age of a proof.
    package var lifetime: Duration

    static func read(_ object: inout ObjectReader) -> ProofSection {
        ProofSection(
            requiresNonce: object.flag(
                "nonce", default: false,
                "Whether a proof must have a nonce of the gateway, which is accepted for five minutes."),
            lifetime: object.value(
                "proofLifetime",
                .duration.reading { field in
                    guard let lifetime = field.duration(from: 0) else { return nil }
                    guard .seconds(1) <= lifetime, lifetime <= .seconds(300) else {
                        return field.error(
                            "out of range", expected: "a duration from \"1s\" to \"300s\"", found: field.summary)
                    }
                    return lifetime
                },
                default: .seconds(60), "Greatest age of a proof by its `iat`, from `1s` to `300s`."))
    }
}
