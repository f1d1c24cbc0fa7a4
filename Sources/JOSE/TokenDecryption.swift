import Crypto

/// A private key of the gateway for the encrypted tokens of an issuer.
package struct DecryptionKey: Sendable {
    /// The `kid` by which the issuer names it; nil if it may be any.
    package let keyID: String?
    let key: RecipientKey

    package init(keyID: String?, key: RecipientKey) {
        self.keyID = keyID
        self.key = key
    }
}

/// What becomes of encrypted tokens (JWE) of an issuer.
package struct TokenDecryption: Sendable {
    /// Keys that decrypt; empty if encrypted tokens are refused.
    package var keys: [DecryptionKey]
    /// Whether tokens that are only signed are refused.
    package var isRequired: Bool

    package init(keys: [DecryptionKey] = [], isRequired: Bool = false) {
        self.keys = keys
        self.isRequired = isRequired
    }

    /// Whether a token that came encrypted to a key, or not encrypted, is accepted.
    func check(_ used: DecryptionKey?) throws(TokenRejection) {
        guard let used else {
            if isRequired { throw .unencrypted }
            return
        }
        // A token that was encrypted for the tokens of another issuer.
        guard keys.contains(where: { $0.key.identity == used.key.identity }) else { throw .undecryptable }
    }
}
