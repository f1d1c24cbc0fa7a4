import Bytes

/// Decides whether a JSON Web Token is to be believed, and whose it is.
///
/// The issuer is chosen by the token's unverified `iss`; nothing else of the token is used before its signature has
/// been checked with a key of that issuer. Immutable: any number of threads may use one verifier.
package final class JWTVerifier: Sendable {
    package let issuers: [TrustedIssuer]

    package init(issuers: [TrustedIssuer]) { self.issuers = issuers }

    /// Verifies a token in compact serialisation.
    /// - Parameter now: seconds since 1970.
    package func verify(_ token: Span<UInt8>, now: Int64) -> VerificationOutcome {
        do throws(TokenRejection) {
            return .verified(try verified(token, now: now))
        } catch {
            return .rejected(error)
        }
    }

    private func verified(_ token: Span<UInt8>, now: Int64) throws(TokenRejection) -> VerifiedToken {
        let received = try ReceivedToken(token)
        let (jws, registered) = (received.jws, received.registered)
        var rejection = TokenRejection.unknownIssuer
        guard let name = registered.issuer else { throw rejection }
        // Several entries may trust one issuer on different terms; the first whose terms are met wins.
        for (index, issuer) in issuers.enumerated() where issuer.issuer.isExactly(name) {
            do throws(TokenRejection) {
                guard issuer.allows(jws.algorithm) else { throw .unsupportedAlgorithm }
                try jws.verify(token, with: issuer.keys)
                try registered.check(issuer, now: now)
            } catch {
                rejection = error
                continue
            }
            // `check` has thrown where there is no expiry.
            guard let expiresAt = registered.expiresAt else { throw .missingExpiry }
            return VerifiedToken(
                issuerIndex: index, claims: received.claims, subject: registered.subject, expiresAt: expiresAt,
                issuedAt: registered.issuedAt, tokenID: registered.tokenID, keyID: jws.keyID, type: jws.type
            )
        }
        throw rejection
    }
}
