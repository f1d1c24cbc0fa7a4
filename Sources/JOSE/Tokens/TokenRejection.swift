/// Why a token is rejected. The raw values are stable, for logs and metrics.
package enum TokenRejection: String, Error, Sendable, CaseIterable {
    /// Longer than `CompactJWS.maximumLength`.
    case tooLarge = "token_too_large"
    /// Not three parts of strict base64url with a JSON object as header, or a claim of the wrong type.
    case malformed = "token_malformed"
    /// An encrypted token (JWE) where none is accepted.
    case encrypted = "token_encrypted"
    /// An encrypted token that is malformed or changed, or that no configured key of its issuer decrypts.
    case undecryptable = "token_undecryptable"
    /// An encrypted token whose content is not a signed token.
    case unsigned = "token_unsigned"
    /// A token that is not encrypted, of an issuer whose tokens must be.
    case unencrypted = "token_unencrypted"
    /// A critical header parameter that is not supported (`crit`, `b64`, `zip`).
    case criticalHeader = "token_critical_header"
    /// An algorithm that is unknown or not allowed for the issuer; `none` is never allowed.
    case unsupportedAlgorithm = "token_algorithm_unsupported"
    /// The key of the token's `kid` is for another algorithm.
    case algorithmMismatch = "token_algorithm_mismatch"
    /// `iss` is missing or exactly matches no configured issuer.
    case unknownIssuer = "token_issuer_unknown"
    /// The issuer has no key with this `kid`, or no matching key.
    case unknownKey = "token_key_unknown"
    case badSignature = "token_signature_invalid"
    /// `x5c` is missing or malformed, or leads to no authority of the issuer.
    case untrustedChain = "token_chain_untrusted"
    /// The certificate of the signer has none of the names of the issuer's entry.
    case chainNameMismatch = "token_chain_name_wrong"
    case expired = "token_expired"
    /// `nbf` lies in the future.
    case notYetValid = "token_not_yet_valid"
    /// `iat` lies in the future.
    case issuedInFuture = "token_issued_in_future"
    case missingExpiry = "token_expiry_missing"
    /// The lifetime is longer than the issuer's limit.
    case lifetimeTooLong = "token_lifetime_too_long"
    /// `aud` is missing or does not match.
    case wrongAudience = "token_audience_wrong"
    /// The token has another purpose, by its `typ` or its claims.
    case wrongType = "token_type_wrong"
    /// The client of the token is not listed.
    case wrongClient = "token_client_wrong"
    /// The token is bound to a key by `cnf`, and no proof of possession is checked, or none of that method.
    case proofRequired = "token_proof_required"
}
