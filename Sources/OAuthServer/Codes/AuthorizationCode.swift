import Bytes
import Identity
import Model
import Outbound
import TokenStorage

/// What an authorization code stands for (RFC 6749 section 4.1): kept as `TokenRecord.attributes` until its exchange.
package struct AuthorizationCode: Sendable, Equatable {
    /// How long a code may wait for its exchange, in seconds.
    package static let lifetimeSeconds: Int64 = 60
    /// How long its reuse is detected, in seconds. After that it is unknown.
    static let memorySeconds: Int64 = 600
    /// Maximum number of codes of one user that wait at a client, so that no user fills the store.
    static let maximumWaiting = 32
    /// The parameter that binds a code to a key (RFC 9449 section 10).
    package static let proofKeyParameter = "dpop_jkt"

    /// The redirect URI of the request.
    package let redirectURI: String
    /// S256 challenge of RFC 7636.
    package let challenge: String
    /// Thumbprint of the key that the client must prove to have (RFC 9449 section 10); nil for any.
    let proofKey: String?
    package let nonce: String?
    /// Granted scopes; empty for none.
    package let scope: String
    /// The resources that tokens are limited to (RFC 8707); empty for none.
    let resources: [String]
    /// Id of the session's record. The code ends with it.
    let session: String
    /// The session's token family.
    let family: String
    let foundations: [String]
    let login: LoginFacts
    /// Name of the provider of the login, or that of the gateway's own form.
    let provider: String
    /// Realm of the user's account.
    let realm: String
    /// What the provider has said of the user, for ID tokens and user information; sealed in the store. Nil for none.
    private(set) var claims: JSONNode?

    package init(
        redirectURI: String = "", challenge: String = "", proofKey: String? = nil, nonce: String? = nil, scope: String,
        resources: [String], session: Session
    ) {
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.proofKey = proofKey
        self.nonce = nonce
        self.scope = scope
        self.resources = resources
        self.session = session.id
        family = session.family
        foundations = session.foundations
        login = session.login
        provider = session.provider
        realm = session.realm
        if OpenIDScope.isGranted(.openid, in: scope) { claims = session.providedClaims }
    }

    /// Stores a new code: 256 random bits. Nil if the store fails.
    package func issue(
        for client: Client, subject: String, _ settings: TokenServiceSettings, now: Int64
    ) -> Effect<String?> {
        let code = RefreshFamily.randomToken()
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .authorization, application: client.id,
            subject: subject, tokenID: "", accessExpiresAt: now + AuthorizationCode.lifetimeSeconds, issuedAt: now)
        // Found and rotated like a refresh token: single-use in all processes, with reuse detected.
        record.refreshDigest = settings.storeKey.digest(code)
        record.refreshExpiresAt = now + AuthorizationCode.memorySeconds
        record.scope = scope
        record.attributes = json()
        record.keep(claims, settings.storeKey)
        return settings.store.ask(.insert(record), now: now) { [record] answer in
            guard case .success(.record(_?)) = answer else { return .done(nil) }
            return settings.store.keepNewest(AuthorizationCode.maximumWaiting, like: record, now: now).map { code }
        }
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("redirect_uri", redirectURI)
        writer.member("code_challenge", challenge)
        if let proofKey { writer.member(AuthorizationCode.proofKeyParameter, proofKey) }
        if let nonce { writer.member("nonce", nonce) }
        writer.member("scope", scope)
        if !resources.isEmpty { writer.member(ResourceIndicators.parameter, resources) }
        writer.member("session", session)
        writer.member("family", family)
        writer.member("foundations", foundations)
        login.write(to: &writer)
        writer.member("provider", provider)
        writer.member("realm", realm)
        writer.endObject()
        return writer.bytes
    }

    /// Nil for input that `json()` does not produce.
    init?(_ attributes: [UInt8]) {
        guard let node = try? JSONNode.parse(attributes.span, maximumDepth: 4),
            let redirectURI = node["redirect_uri"]?.string, let challenge = node["code_challenge"]?.string,
            let scope = node["scope"]?.string, let session = node["session"]?.string,
            let family = node["family"]?.string,
            let foundations = node["foundations"]?.array?.compactMap(\.string), let login = LoginFacts(node),
            let provider = node["provider"]?.string, let realm = node["realm"]?.string
        else { return nil }
        self.redirectURI = redirectURI
        self.challenge = challenge
        proofKey = node[AuthorizationCode.proofKeyParameter]?.string
        nonce = node["nonce"]?.string
        self.scope = scope
        resources = node[ResourceIndicators.parameter]?.array?.compactMap(\.string) ?? []
        self.session = session
        self.family = family
        self.foundations = foundations
        self.login = login
        self.provider = provider
        self.realm = realm
    }
}
