import Crypto
import Identity
import JOSE
import Model

/// Validates access tokens of this service by the rules of the data plane (ISS-08), for introspection, revocation and
/// exchange.
package struct OwnAccessTokens: Sendable {
    private let verifier: JWTVerifier
    private let settings: TokenServiceSettings

    init(_ settings: TokenServiceSettings) {
        self.settings = settings
        // Includes tokens for other audiences, which this service issues too.
        let trust = TrustedIssuer(
            name: OwnAccessTokens.issuerName, issuer: settings.issuer, audiences: [], requireAudience: false,
            keys: settings.acceptedKeys, algorithms: [settings.signer.key.algorithm],
            purpose: .accessToken(isTyped: true, checksProofs: true),
            clockSkewSeconds: settings.terms.clockSkew.components.seconds,
            own: true)
        verifier = JWTVerifier(issuers: [trust])
    }

    /// The claims of an unexpired token signed by this service; nil for other text.
    /// - Parameter now: seconds since 1970.
    package func signed(_ token: String, now: Int64) -> AccessTokenClaims? {
        guard case .verified(let verified) = verifier.verify(Array(token.utf8).span, now: now) else { return nil }
        return AccessTokenClaims(verified: verified.claims)
    }

    /// The deny list's name for the issuer of these tokens: its entry, as in `Principal.issuer`.
    package static let issuerName = "local"

    /// The claims of a valid token; nil for anything not certainly valid. Throws while revocations by others may be
    /// missing: a token obtained in exchange for a revoked one would stay valid.
    /// - Parameter includingBound: whether a token counts that is bound to a key. Who only presents it proves nothing.
    package func live(
        _ token: String, includingBound: Bool = false, now: Int64
    ) throws(TokenFailure) -> AccessTokenClaims? {
        // Read before the check: if the list is complete later, the check was complete too.
        let isBlind = settings.revocations.reading.isBlind
        guard let claims = signed(token, now: now), isLive(claims), includingBound || claims.binding == nil else {
            return nil
        }
        if isBlind { throw .storeUnavailable }
        return claims
    }

    /// Whether an unexpired token with these claims is not revoked, as far as the deny list knows.
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

    /// Whether a local user still exists and is enabled, with the password that the token is based on.
    private func hasAccount(_ claims: AccessTokenClaims, realm: String) -> Bool {
        guard claims.kind == .user, !claims.virtual else { return true }
        guard let user = settings.users.user(named: claims.subject, realm: realm) else { return false }
        return user.enabled && claims.issuedAt >= user.tokensNotBefore
    }
}
