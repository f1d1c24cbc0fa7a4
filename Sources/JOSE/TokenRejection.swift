/// Why a token is not believed. The raw values are stable: they stand in logs and metrics.
package enum TokenRejection: String, Error, Sendable, CaseIterable {
    /// Longer than `CompactJWS.maximumLength`.
    case tooLarge = "token_too_large"
    /// Not three parts of strict base64url with a JSON object in front; or a claim of the wrong type.
    case malformed = "token_malformed"
    /// An encrypted token (JWE), which nobody here can read.
    case encrypted = "token_encrypted"
    /// A header parameter that must be understood and is not (`crit`, `b64`).
    case criticalHeader = "token_critical_header"
    /// An algorithm that is unknown or not allowed for the issuer; `none` is never.
    case unsupportedAlgorithm = "token_algorithm_unsupported"
    /// The key that the token names is for another algorithm.
    case algorithmMismatch = "token_algorithm_mismatch"
    /// No configured issuer has exactly this `iss`, or there is none.
    case unknownIssuer = "token_issuer_unknown"
    /// The issuer has no key with this `kid`, or none at all that fits.
    case unknownKey = "token_key_unknown"
    case badSignature = "token_signature_invalid"
    case expired = "token_expired"
    /// `nbf` lies in the future.
    case notYetValid = "token_not_yet_valid"
    /// `iat` lies in the future.
    case issuedInFuture = "token_issued_in_future"
    case missingExpiry = "token_expiry_missing"
    /// Valid for longer than the issuer's tokens may be.
    case lifetimeTooLong = "token_lifetime_too_long"
    /// `aud` is absent or names nobody we are.
    case wrongAudience = "token_audience_wrong"
    /// Made for another purpose, by its `typ` or its claims.
    case wrongType = "token_type_wrong"
    /// Bound to a key by `cnf`, and presented without a proof of possession.
    case proofRequired = "token_proof_required"
}
