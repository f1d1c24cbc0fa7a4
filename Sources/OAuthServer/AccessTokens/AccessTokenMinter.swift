import Bytes
import Crypto
import Identity
import JOSE

/// Makes the access tokens of this gateway: signed JWTs of type `at+jwt` (ISS-02, RFC 9068).
package struct AccessTokenMinter: Sendable {
    /// Whom a token is for and what it grants.
    package struct Grant: Sendable {
        package var subject: String
        /// `.user` or `.client`.
        package var kind: Principal.Kind
        package var backend: Backend
        package var roles: [String] = []
        package var level = Principal.standardLevel
        package var virtual = false
        package var scope: String?
        /// When the user logged in; nil for a token without a user.
        package var authenticatedAt: Int64?
        /// How: `amr`, in the words of RFC 8176.
        package var methods: [String] = []
        /// Who acts for the subject, the one of now first.
        package var actors: [String] = []
        /// The Webgate whose routes it opens, and no others; nil for no such bond (DEC-06).
        package var webgate: String?
        /// The session that it ends with; nil for none.
        package var session: String?
        /// Seconds without a request after which that session ends; nil for no limit.
        package var idleSeconds: Int64?
        /// Whether the user logged in without the server that knows the password (OMS-12).
        package var isOffline = false
        /// How the user of the session has logged in; nil for a token of no session.
        package var login: LoginClass?
        /// What the token is exchanged for, the latest first.
        package var origins: [TokenOrigin] = []
        /// `aud`; nil for the service's own. The gateway takes no token for another audience.
        package var audience: [String]?
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
    /// Whether signing takes long enough to be done off the event loop (RSA).
    package let isSlow: Bool

    package init(signer: JWTSigner, issuer: String, audience: [String]) {
        self.signer = signer
        isSlow = signer.key.isSlow
        self.issuer = issuer
        self.audience = audience
    }

    /// A compact JWS.
    /// - Parameters:
    ///   - tokenID: `jti`, 128 random bits.
    ///   - now: seconds since 1970.
    package func mint(_ grant: Grant, tokenID: String = AccessTokenMinter.randomID(), now: Int64) -> [UInt8] {
        let claims = claims(of: grant, tokenID: tokenID, now: now)
        return signer.sign(claims: claims.json(), type: AccessTokenClaims.type)
    }

    /// What a token of a grant says.
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
        return claims
    }

    /// An id for a token that nobody can guess or meet twice. It does not begin with a dash, so that it is no option where it
    /// stands in a command line.
    package static func randomID() -> String {
        while true {
            let id = SecureRandom.text(16)
            if !id.hasPrefix("-") { return id }
        }
    }
}
