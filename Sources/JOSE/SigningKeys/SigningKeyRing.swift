import Crypto
import Model

/// The keys of the gateway's own tokens: the one that signs them, and others whose tokens are accepted too.
package struct SigningKeyRing: Sendable {
    /// Signs.
    package let active: SigningKey
    /// The next key and retired ones; none for a shared secret.
    package let others: [SigningKey]

    package init(active: SigningKey, others: [SigningKey] = []) {
        self.active = active
        self.others = others
    }

    package var algorithm: SignatureAlgorithm { active.algorithm }

    package var signer: JWTSigner { JWTSigner(key: active) }

    /// The active key and the others.
    package var all: [SigningKey] { [active] + others }

    /// The keys that verify the gateway's own tokens, the active one first.
    package var accepted: KeySet { KeySet(keys: all.map { JWTSigner(key: $0).publishedKey }) }
}
