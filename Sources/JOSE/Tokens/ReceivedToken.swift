import Bytes
import Model

/// A parsed, unverified JSON Web Token.
package struct ReceivedToken: Sendable {
    /// Maximum nesting depth of claims.
    private static let maximumDepth = 32

    let jws: CompactJWS
    let registered: RegisteredClaims
    /// All claims, a JSON object; untrusted until `verify` succeeds.
    package let claims: JSONNode

    /// Parses a token in compact serialisation.
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
    /// `iss`, which selects the rules of verification.
    package var issuer: String? { registered.issuer }
    /// `jti`.
    package var tokenID: String? { registered.tokenID }
    /// `iat` in seconds since 1970.
    package var issuedAt: Int64? { registered.issuedAt }
    /// `exp` in seconds since 1970.
    package var expiresAt: Int64? { registered.expiresAt }

    /// Checks the signature with a key of the set.
    /// - Parameters:
    ///   - token: the text that was passed to `init`.
    ///   - algorithms: the allowed algorithms; never those of shared secrets (RFC 8725 section 3.1).
    package func verify(
        _ token: Span<UInt8>, with keys: KeySet, algorithms: Set<SignatureAlgorithm>
    ) throws(TokenRejection) {
        guard algorithms.contains(algorithm), !algorithm.isSymmetric else { throw .unsupportedAlgorithm }
        try jws.verify(token, with: keys)
    }

    /// Checks purpose, times and audience by the rules of the issuer.
    func check(_ issuer: TrustedIssuer, now: Int64) throws(TokenRejection) {
        if let purpose = issuer.purpose { try check(purpose) }
        try registered.check(issuer, now: now)
    }

    /// Checks the purpose.
    package func check(_ purpose: TokenPurpose) throws(TokenRejection) { try purpose.check(type: type, claims) }

    /// Checks the times.
    /// - Parameters:
    ///   - skew: how many seconds `nbf` and `iat` may lie in the future.
    ///   - expirySkew: how many seconds after `exp` the token is still accepted.
    /// - Returns: `exp`, which is required.
    @discardableResult
    package func checkTimes(now: Int64, skew: Int64, expirySkew: Int64) throws(TokenRejection) -> Int64 {
        try registered.checkTimes(now: now, skew: skew, expirySkew: expirySkew)
    }

    /// Whether the audiences match; a token without `aud` is accepted unless it is required.
    package func checkAudience(_ audiences: [String], isRequired: Bool) throws(TokenRejection) {
        try registered.checkAudience(audiences, isRequired: isRequired)
    }

    /// Header and payload, which identify a token regardless of the encoding of its signature.
    package func signedPart(of token: Span<UInt8>) -> [UInt8] { jws.signedPart(of: token) }
}
