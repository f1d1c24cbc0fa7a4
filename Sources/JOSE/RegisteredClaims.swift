import Bytes

/// The claims of RFC 7519 section 4.1, each of the right type or absent.
struct RegisteredClaims {
    let issuer: String?
    let subject: String?
    let tokenID: String?
    /// Nil without `aud`.
    let audiences: [String]?
    let expiresAt: Int64?
    let notBefore: Int64?
    let issuedAt: Int64?

    /// Limit of times in seconds from 1970, which a double represents exactly and which cannot overflow.
    private static let furthestTime = Int64(1) << 53

    init(_ claims: JSONNode) throws(TokenRejection) {
        issuer = try Self.text("iss", claims)
        subject = try Self.text("sub", claims)
        tokenID = try Self.text("jti", claims)
        audiences = try Self.audiences(claims)
        // Fractions of a second are rounded to the token's disadvantage.
        expiresAt = try Self.time("exp", claims, .down)
        notBefore = try Self.time("nbf", claims, .up)
        issuedAt = try Self.time("iat", claims, .up)
    }

    /// Checks times and audience by the rules of the issuer.
    func check(_ issuer: TrustedIssuer, now: Int64) throws(TokenRejection) {
        let skew = issuer.clockSkewSeconds
        let expiresAt = try checkTimes(now: now, skew: skew, expirySkew: issuer.own ? 0 : skew)
        if let longest = issuer.maximumLifetimeSeconds, expiresAt - (issuedAt ?? now) > longest {
            throw .lifetimeTooLong
        }
        if audiences != nil, !issuer.requireAudience, issuer.audiences.isEmpty { return }
        try checkAudience(issuer.audiences, isRequired: issuer.requireAudience)
    }

    /// Checks `exp`, `nbf` and `iat`; returns `exp`.
    func checkTimes(now: Int64, skew: Int64, expirySkew: Int64) throws(TokenRejection) -> Int64 {
        guard let expiresAt else { throw .missingExpiry }
        if now >= expiresAt + expirySkew { throw .expired }
        if let notBefore, now + skew < notBefore { throw .notYetValid }
        if let issuedAt, now + skew < issuedAt { throw .issuedInFuture }
        return expiresAt
    }

    /// Whether the audiences match; a token without `aud` is accepted unless it is required.
    func checkAudience(_ expected: [String], isRequired: Bool) throws(TokenRejection) {
        guard let audiences else {
            if isRequired { throw .wrongAudience }
            return
        }
        guard audiences.contains(where: { audience in expected.contains { $0.isExactly(audience) } }) else {
            throw .wrongAudience
        }
    }

    private static func text(_ name: String, _ claims: JSONNode) throws(TokenRejection) -> String? {
        guard let claim = claims[name] else { return nil }
        guard let text = claim.string else { throw .malformed }
        return text
    }

    /// One string or an array of strings (RFC 7519 section 4.1.3).
    private static func audiences(_ claims: JSONNode) throws(TokenRejection) -> [String]? {
        guard let claim = claims["aud"] else { return nil }
        if let text = claim.string { return [text] }
        guard let elements = claim.array else { throw .malformed }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw .malformed }
        return texts
    }

    /// A NumericDate: an integer or a finite number (RFC 7519 section 2).
    private static func time(
        _ name: String, _ claims: JSONNode, _ rule: FloatingPointRoundingRule
    ) throws(TokenRejection) -> Int64? {
        guard let claim = claims[name] else { return nil }
        if let seconds = claim.integer {
            guard (-furthestTime...furthestTime).contains(seconds) else { throw .malformed }
            return seconds
        }
        guard let seconds = claim.number, abs(seconds) <= Double(furthestTime) else { throw .malformed }
        return Int64(seconds.rounded(rule))
    }
}
