import Bytes

/// The claims of RFC 7519 section 4.1, each of the right type or absent.
struct RegisteredClaims {
    private(set) var issuer: String?
    private(set) var subject: String?
    private(set) var tokenID: String?
    /// Nil without `aud`.
    private(set) var audiences: [String]?
    private(set) var expiresAt: Int64?
    private(set) var notBefore: Int64?
    private(set) var issuedAt: Int64?

    /// Limit of times in seconds from 1970, which a double represents exactly and which cannot overflow.
    private static let furthestTime = Int64(1) << 53

    init(_ claims: JSONNode) throws(TokenRejection) {
        guard case .object(let members) = claims.value else { return }
        // One pass: a lookup of each claim would compare all names seven times. Names are unique.
        for i in members.indices where members[i].name.utf8.count == 3 {
            let claim = members[i].node
            // Fractions of a second are rounded to the token's disadvantage.
            switch members[i].name {
            case "iss": issuer = try Self.text(claim)
            case "sub": subject = try Self.text(claim)
            case "jti": tokenID = try Self.text(claim)
            case "aud": audiences = try Self.audiences(claim)
            case "exp": expiresAt = try Self.time(claim, .down)
            case "nbf": notBefore = try Self.time(claim, .up)
            case "iat": issuedAt = try Self.time(claim, .up)
            default: break
            }
        }
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

    private static func text(_ claim: JSONNode) throws(TokenRejection) -> String {
        guard let text = claim.string else { throw .malformed }
        return text
    }

    /// One string or an array of strings (RFC 7519 section 4.1.3).
    private static func audiences(_ claim: JSONNode) throws(TokenRejection) -> [String] {
        if let text = claim.string { return [text] }
        guard let elements = claim.array else { throw .malformed }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw .malformed }
        return texts
    }

    /// A NumericDate: an integer or a finite number (RFC 7519 section 2).
    private static func time(
        _ claim: JSONNode, _ rule: FloatingPointRoundingRule
    ) throws(TokenRejection) -> Int64 {
        if let seconds = claim.integer {
            guard (-furthestTime...furthestTime).contains(seconds) else { throw .malformed }
            return seconds
        }
        guard let seconds = claim.number, abs(seconds) <= Double(furthestTime) else { throw .malformed }
        return Int64(seconds.rounded(rule))
    }
}
