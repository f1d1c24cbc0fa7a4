import Bytes
import Crypto
import Identity
import JOSE
import Model

/// Issues the access tokens of this gateway: signed JWTs of type `at+jwt` (ISS-02, RFC 9068).
package struct AccessTokenMinter: Sendable {
    /// Subject and rights of a token.
    package struct Grant: Sendable {
        package var subject: String
        /// `.user` or `.client`.
        package var kind: Principal.Kind
        package var backend: Backend
        package var roles: [String] = []
        package var level = Principal.standardLevel
        package var virtual = false
        package var scope: String?
        /// Time of the login; nil for a token without a user.
        package var authenticatedAt: Int64?
        /// Authentication methods: `amr` values of RFC 8176.
        package var methods: [String] = []
        /// Actors on behalf of the subject, the current one first.
        package var actors: [String] = []
        /// The only Webgate whose routes accept it; nil if unrestricted (DEC-06).
        package var webgate: String?
        /// The session that it ends with; nil for none.
        package var session: String?
        /// Idle timeout of that session in seconds; nil for none.
        package var idleSeconds: Int64?
        /// Whether the login was checked without the server that has the password (OMS-12).
        package var isOffline = false
        /// How the user of the session logged in; nil for a token without a session.
        package var login: LoginClass?
        /// Tokens that it was exchanged for, the latest first.
        package var origins: [TokenOrigin] = []
        /// `aud`; nil for the service's own. The gateway refuses tokens for other audiences.
        package var audience: [String]?
        /// Keys that the token is bound to; nil for a bearer token.
        package var binding: TokenBinding?
        /// `exp - iat`.
        package var lifetimeSeconds: Int64

        package init(subject: String, kind: Principal.Kind, backend: Backend, lifetimeSeconds: Int64) {
            self.subject = subject
            self.kind = kind
            self.backend = backend
            self.lifetimeSeconds = lifetimeSeconds
        }
    }

    private let signer: JWTSigner
    private let issuer: String
    private let audience: [String]
    /// Whether signing is too slow for the event loop (RSA).
    package let isSlow: Bool

    package init(signer: JWTSigner, issuer: String, audience: [String]) {
        self.signer = signer
        isSlow = signer.key.isSlow
        self.issuer = issuer
        self.audience = audience
    }

    /// Issues a token as a compact JWS.
    /// - Parameters:
    ///   - tokenID: `jti`, 128 random bits.
    ///   - now: seconds since 1970.
    package func mint(_ grant: Grant, tokenID: String = AccessTokenMinter.randomID(), now: Int64) -> [UInt8] {
        let claims = claims(of: grant, tokenID: tokenID, now: now)
        return signer.sign(claims: claims.json(), type: AccessTokenClaims.type)
    }

    func claims(of grant: Grant, tokenID: String, now: Int64) -> AccessTokenClaims {
        var claims = AccessTokenClaims(
            issuer: issuer, subject: grant.subject, audience: grant.audience ?? audience, issuedAt: now,
            expiresAt: now + grant.lifetimeSeconds, tokenID: tokenID, kind: grant.kind, backend: grant.backend,
            roles: grant.roles, level: grant.level)
        claims.virtual = grant.virtual
        claims.scope = grant.scope
        claims.authenticatedAt = grant.authenticatedAt
        claims.methods = grant.methods
        claims.actors = grant.actors
        claims.webgate = grant.webgate
        claims.session = grant.session
        claims.idleSeconds = grant.idleSeconds
        claims.isOffline = grant.isOffline
        claims.login = grant.login?.text
        claims.origins = grant.origins
        claims.binding = grant.binding
        return claims
    }

    /// An unguessable, unique id for a token. It does not begin with a dash, so that it is not taken for an option on a
    /// command line.
    package static func randomID() -> String {
        while true {
            let id = SecureRandom.text(16)
            if !id.hasPrefix("-") { return id }
        }
    }
}
