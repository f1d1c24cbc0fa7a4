import Crypto
import Identity
import JOSE
import Model

/// Says whether an access token of this service is good, by the same rules as the data plane (ISS-08): for those who ask
/// about it, end it, or want another one for it.
package struct OwnAccessTokens: Sendable {
    private let verifier: JWTVerifier
    private let settings: TokenServiceSettings

    init(_ settings: TokenServiceSettings) {
        self.settings = settings
        // Tokens for other audiences are ours as well.
        let trust = TrustedIssuer(
            name: OwnAccessTokens.issuerName, issuer: settings.issuer, audiences: [], requireAudience: false,
            keys: KeySet(keys: [settings.signer.publishedKey]), algorithms: [settings.signer.key.algorithm],
            purpose: .accessToken(isTyped: true), clockSkewSeconds: settings.clockSkewSeconds, own: true)
        verifier = JWTVerifier(issuers: [trust])
    }

    /// The claims of a token that this service has signed and that has not expired; nil for any other text.
    /// - Parameter now: seconds since 1970.
    package func signed(_ token: String, now: Int64) -> AccessTokenClaims? {
        guard case .verified(let verified) = verifier.verify(Array(token.utf8).span, now: now) else { return nil }
        return AccessTokenClaims(verified: verified.claims)
    }

    /// What the deny list calls the issuer of these tokens: the name of its entry, as `Principal.issuer` has it.
    package static let issuerName = "local"

    /// The claims of a token that is good; nil for whatever is not certainly so. Throws where nobody knows what others
    /// have revoked: what a revoked token were exchanged for, nobody would have revoked.
    package func live(_ token: String, now: Int64) throws(TokenFailure) -> AccessTokenClaims? {
        // Read first: a list that is complete again must have been complete when it was asked.
        let isBlind = settings.revocations.reading.isBlind
        guard let claims = signed(token, now: now), isLive(claims) else { return nil }
        if isBlind { throw .storeUnavailable }
        return claims
    }

    /// Whether a token with these claims, which has not expired, is still good as far as the deny list knows.
    func isLive(_ claims: AccessTokenClaims) -> Bool {
        guard let backend = settings.backends.backend(id: Array(claims.backendID.utf8).span), backend.oauthConsumer,
            claims.issuedAt >= backend.tokensNotBefore, !isRevoked(claims), hasAccount(claims, realm: backend.realm),
            settings.backends.stand(behind: claims)
        else { return false }
        return true
    }

    private func isRevoked(_ claims: AccessTokenClaims) -> Bool {
        settings.revocations.isRevoked(
            tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID,
            issuer: OwnAccessTokens.issuerName, issuedAt: claims.issuedAt, origins: claims.origins,
            session: claims.session)
    }

    /// Whether a local user is still there and enabled, with the password that the token goes back to.
    private func hasAccount(_ claims: AccessTokenClaims, realm: String) -> Bool {
        guard claims.kind == .user, !claims.virtual else { return true }
        guard let user = settings.users.user(named: claims.subject, realm: realm) else { return false }
        return user.enabled && claims.issuedAt >= user.tokensNotBefore
    }
}
