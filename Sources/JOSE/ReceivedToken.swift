import Bytes
import Crypto
import Model

/// A JSON Web Token taken apart: well formed, and not yet believed. Who verifies it goes by its issuer's rules.
package struct ReceivedToken: Sendable {
    /// How deeply claims may be nested.
    private static let maximumDepth = 32

    let jws: CompactJWS
    let registered: RegisteredClaims
    /// All claims, a JSON object. Evidence of nothing before `verify` has answered.
    package let claims: JSONNode

    /// Takes apart a token in compact serialisation.
    package init(_ token: Span<UInt8>) throws(TokenRejection) {
        let jws = try CompactJWS(token)
        guard let claims = try? JSONNode.parse(jws.payload.span, maximumDepth: ReceivedToken.maximumDepth),
            claims.members != nil
        else { throw .malformed }
        self.jws = jws
        self.claims = claims
        registered = try RegisteredClaims(claims)
    }

    package var algorithm: SignatureAlgorithm { jws.algorithm }
    /// `kid` of the header.
    package var keyID: String? { jws.keyID }
    /// `typ` of the header.
    package var type: String? { jws.type }
    /// `iss`: by which the rules are chosen that the token is then verified by.
    package var issuer: String? { registered.issuer }
    /// `jti`.
    package var tokenID: String? { registered.tokenID }
    /// `iat` in seconds since 1970.
    package var issuedAt: Int64? { registered.issuedAt }
    /// `exp` in seconds since 1970.
    package var expiresAt: Int64? { registered.expiresAt }

    /// Checks the signature with a key of the set.
    /// - Parameters:
    ///   - token: the text that `init` was given.
    ///   - algorithms: those that the issuer may use; a shared secret is never one (RFC 8725 section 3.1).
    ///   - namesKeys: whether a `kid` chooses among the keys.
    package func verify(
        _ token: Span<UInt8>, with keys: KeySet, algorithms: Set<SignatureAlgorithm>, namesKeys: Bool = true
    ) throws(TokenRejection) {
        guard algorithms.contains(algorithm), !algorithm.isSymmetric else { throw .unsupportedAlgorithm }
        try jws.verify(token, with: keys, namesKeys: namesKeys)
    }

    /// Checks purpose, times and audience against what the issuer's tokens must be.
    func check(_ issuer: TrustedIssuer, now: Int64) throws(TokenRejection) {
        if let purpose = issuer.purpose { try check(purpose) }
        try registered.check(issuer, now: now)
    }

    /// Checks what the token was made for.
    package func check(_ purpose: TokenPurpose) throws(TokenRejection) { try purpose.check(type: type, claims) }

    /// Checks the times.
    /// - Parameters:
    ///   - skew: by how many seconds `nbf` and `iat` may lie in the future.
    ///   - expirySkew: how many seconds after `exp` the token is still accepted.
    /// - Returns: `exp`, which must be there.
    @discardableResult
    package func checkTimes(now: Int64, skew: Int64, expirySkew: Int64) throws(TokenRejection) -> Int64 {
        try registered.checkTimes(now: now, skew: skew, expirySkew: expirySkew)
    }

    /// Whether one of the token's audiences is one of these; a token without `aud` passes unless it is required.
    package func checkAudience(_ audiences: [String], isRequired: Bool) throws(TokenRejection) {
        try registered.checkAudience(audiences, isRequired: isRequired)
    }

    /// Header and payload, of which a signature makes a token: what two tokens that say the same have in common,
    /// whatever their signatures look like.
    package func signedPart(of token: Span<UInt8>) -> [UInt8] { jws.signedPart(of: token) }
}
