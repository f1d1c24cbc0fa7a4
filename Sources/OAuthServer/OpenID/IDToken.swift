import Bytes
import Crypto
import Identity
import JOSE
import Model

/// The ID token of a login (OpenID Connect Core section 2). Its `typ` is not that of access tokens, so that it opens no
/// route.
struct IDToken: Sendable {
    /// Longest time between issue and expiry, in seconds. Clients read it once.
    private static let lifetimeSeconds: Int64 = 3600

    private let grant: AccessTokenMinter.Grant
    private let nonce: String?
    private let provided: JSONNode?

    /// - Parameter provided: what the identity provider has said of the user; nil for none.
    init(_ grant: AccessTokenMinter.Grant, nonce: String?, provided: JSONNode?) {
        self.grant = grant
        self.nonce = nonce
        self.provided = provided
    }

    /// Nil if the service has no keys for ID tokens.
    func signer(_ settings: TokenServiceSettings) -> JWTSigner? { settings.keys.idTokenSigner(of: grant.client) }

    func signed(
        by signer: JWTSigner, with accessToken: [UInt8], _ settings: TokenServiceSettings, now: Int64
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", grant.subject)
        writer.member("aud", grant.client.clientID)
        writer.member("exp", now + min(grant.lifetimeSeconds, IDToken.lifetimeSeconds))
        writer.member("iat", now)
        if let time = grant.authenticatedAt { writer.member("auth_time", time) }
        if let nonce { writer.member("nonce", nonce) }
        if !grant.methods.isEmpty { writer.member("amr", grant.methods) }
        let user = grant.virtual ? nil : settings.users.user(named: grant.subject, realm: grant.client.realm)
        let description = UserDescription(
            subject: grant.subject, user: user, provided: provided, roles: grant.roles,
            groupsClaim: grant.client.grants.groupsClaim)
        for member in description.members(grant.scope ?? "", settings.terms) { writer.member(member.name, member.node) }
        if let session = grant.session { writer.member("sid", session) }
        writer.member("at_hash", IDToken.hash(accessToken, signer.key.algorithm))
        writer.endObject()
        return signer.sign(claims: writer.bytes)
    }

    /// The left half of the digest that belongs to the algorithm (section 3.1.3.6); SHA-512 for Ed25519.
    static func hash(_ token: [UInt8], _ algorithm: SignatureAlgorithm) -> String {
        let digest = (algorithm.digest ?? .sha512).digest(token.span)
        let half = Array(digest.prefix(digest.count / 2))
        return String(decoding: Base64.encode(half.span, .url), as: UTF8.self)
    }
}
