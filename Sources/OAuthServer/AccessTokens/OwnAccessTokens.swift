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
            keys: settings.keys.accepted, algorithms: [settings.keys.signer.key.algorithm],
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

    /// The claims of a valid token, without roles that its user has lost; nil for anything not certainly valid. Throws while revocations by others may be
    /// missing: a token obtained in exchange for a revoked one would stay valid.
    /// - Parameter includingBound: whether a token counts that is bound to a key. Who only presents it proves nothing.
    package func live(
        _ token: String, includingBound: Bool = false, now: Int64
    ) throws(TokenFailure) -> AccessTokenClaims? {
        // Read before the check: if the list is complete later, the check was complete too.
        let isBlind = settings.revocations.reading.isBlind
        guard let claims = signed(token, now: now).flatMap(current), includingBound || claims.binding == nil else {
            return nil
        }
        if isBlind { throw .storeUnavailable }
        return claims
    }

    /// The claims of an unexpired token without roles that its user has lost; nil if it is revoked, as far as the deny
    /// list knows.
    func current(_ claims: AccessTokenClaims) -> AccessTokenClaims? {
        guard let client = settings.clients.client(id: Array(claims.backendID.utf8).span), client.oauthConsumer,
            claims.issuedAt >= client.tokensNotBefore, !isRevoked(claims), settings.clients.stand(behind: claims)
        else { return nil }
        guard claims.kind == .user, !claims.virtual else {
            var claims = claims
            claims.rights.roles = claims.rolesLeft(to: client)
            return claims
        }
        // A local user must still exist and be enabled, with the password that the token is based on.
        guard let user = settings.users.user(named: claims.subject, realm: client.realm), user.enabled,
            claims.issuedAt >= user.tokensNotBefore
        else { return nil }
        var claims = claims
        claims.rights.roles = settings.users.current(claims.roles, of: user, issuedAt: claims.issuedAt)
        claims.rights.userRoles = claims.userRoles.map {
            settings.users.current($0, of: user, issuedAt: claims.issuedAt)
        }
        return claims
    }

    private func isRevoked(_ claims: AccessTokenClaims) -> Bool {
        settings.revocations.isRevoked(
            tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID,
            issuer: OwnAccessTokens.issuerName, issuedAt: claims.issuedAt, origins: claims.origins,
            session: claims.session)
    }
}
