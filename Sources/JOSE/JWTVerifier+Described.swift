import Bytes
import Model

extension JWTVerifier {
    /// What becomes of a token with these claims if the issuer at an index has signed it: for callers that are described and
    /// show no token.
    ///
    /// - Parameters:
    ///   - claims: an object. What a usable token has and the description leaves out is as this issuer writes it: `iss`,
    ///     `aud`, `exp`, `iat`, the client.
    ///   - index: in `issuers`.
    ///   - now: seconds since 1970.
    package func outcome(ofDescribed claims: JSONNode, by index: Int, now: Int64) -> VerificationOutcome {
        let issuer = issuers[index]
        let described = issuer.completed(claims, now: now)
        let type = issuer.purpose?.describedType
        do throws(TokenRejection) {
            let registered = try RegisteredClaims(described)
            guard registered.issuer?.isExactly(issuer.issuer) == true else { throw .unknownIssuer }
            if let purpose = issuer.purpose { try purpose.check(type: type, described) }
            try registered.check(issuer, now: now)
            return .verified(
                VerifiedToken(
                    issuerIndex: index, claims: described, subject: registered.subject,
                    expiresAt: registered.expiresAt ?? now, issuedAt: registered.issuedAt, tokenID: registered.tokenID,
                    keyID: nil, type: type, algorithm: issuer.algorithms.min { $0.rawValue < $1.rawValue } ?? .rs256))
        } catch {
            return .rejected(error)
        }
    }
}

extension TrustedIssuer {
    /// Seconds until a described token expires that does not say it.
    private static let describedLifetime: Int64 = 60

    /// The claims of a description with those that a usable token of the issuer has besides.
    fileprivate func completed(_ claims: JSONNode, now: Int64) -> JSONNode {
        let client = purpose?.listedClients?.first
        let hasClient = ["azp", "client_id", "cid", "appid"].contains { claims[$0] != nil }
        return claims.completed(with: [
            ("iss", .text(issuer)), ("aud", audiences.first.map(JSONNode.text)), ("iat", .number(now)),
            ("exp", .number(now + TrustedIssuer.describedLifetime)),
            ("azp", hasClient ? nil : client.map(JSONNode.text)),
        ])
    }
}
