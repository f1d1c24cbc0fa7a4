import Crypto
import Identity
import JOSE
import Model

/// Issues the access tokens of this gateway: signed JWTs of type `at+jwt` (ISS-02, RFC 9068).
package struct AccessTokenMinter: Sendable {
    /// A token to issue.
    @dynamicMemberLookup
    package struct Grant: Sendable {
        package var rights: TokenRights
        package var client: Client
        /// `aud`; nil for the service's own. The gateway refuses tokens for other audiences.
        package var audience: [String]?
        /// The resources that it is limited to; empty for none.
        private(set) var resources: [String] = []
        /// `exp - iat`.
        package var lifetimeSeconds: Int64

        package init(subject: String, kind: Principal.Kind, client: Client, lifetimeSeconds: Int64) {
            rights = TokenRights(subject: subject, kind: kind)
            self.client = client
            audience = client.grants.audience
            self.lifetimeSeconds = lifetimeSeconds
        }

        /// Limits the token to resources; leaves it as it is without any.
        mutating func limit(to resources: [String]) {
            self.resources = resources
            if !resources.isEmpty { audience = resources }
        }

        package subscript<Value>(dynamicMember path: WritableKeyPath<TokenRights, Value>) -> Value {
            get { rights[keyPath: path] }
            set { rights[keyPath: path] = newValue }
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
        signer.sign(claims: claims(of: grant, tokenID: tokenID, now: now).json(), type: AccessTokenClaims.type)
    }

    func claims(of grant: Grant, tokenID: String, now: Int64) -> AccessTokenClaims {
        AccessTokenClaims(
            grant.rights, of: grant.client, issuer: issuer, audience: grant.audience ?? audience, issuedAt: now,
            expiresAt: now + grant.lifetimeSeconds, tokenID: tokenID)
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
