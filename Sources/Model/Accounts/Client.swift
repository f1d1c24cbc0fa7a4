/// A client of the token service: of `clients.json`, or a mobile backend of `backends.json`, as which an application identifies
/// itself.
package struct Client: Sendable {
    /// Name and version together are the identity: two versions of a mobile backend are two clients. A client of
    /// `clients.json` has its client id as a name and no version.
    package var name: String
    package var version: String
    /// What the store and tokens know it by: the id of a mobile backend, or the client id.
    package var id: String
    /// The text after `Basic ` in an anonymous request, verbatim (BASIC-02).
    package var anonymousKey: String
    package var clientID: String
    /// Nil for a client without a secret.
    package var clientSecret: Secret?
    /// Only users of this realm log in here.
    package var realm: String
    /// Whether OAuth grants and tokens of this client are accepted.
    package var oauthConsumer: Bool
    /// Whether Basic and the anonymous key are accepted.
    package var httpBasic: Bool
    package var enableSSO: Bool
    /// Name of the issuer that the token endpoint delegates to; nil for the gateway's own (OAUTH-09).
    package var issuer: String?
    /// Browser login options (SSO-07); empty for the gateway's own form.
    package var loginChoices: [LoginChoice] = []
    /// Tokens that were issued before this second since 1970 are refused.
    package var tokensNotBefore: Int64

    /// Whether all of its tokens are revoked.
    package var isRevoked: Bool { tokensNotBefore == .max }
    /// Whether Basic credentials without a client id are for it.
    package var isDefault = false
    /// Name that users see; nil for `name`.
    package var displayName: String?
    /// What its client may have beyond plain access tokens.
    package var grants = ClientGrants()
    /// Social login, which excludes every other way to log in (FB-04); nil if not used.
    package private(set) var socialLogin: SocialLogin?
    /// Of a client that has registered itself (RFC 7591): the `id` of the client that its users log in as at.
    package private(set) var sponsorID: String?
    /// SHA-256 digest of the random secret of such a client; nil without one.
    package private(set) var secretDigest: [UInt8]?

    package init(
        name: String, version: String, id: String, anonymousKey: String = "", clientID: String = "",
        clientSecret: Secret? = nil, realm: String = "Default", oauthConsumer: Bool = true, httpBasic: Bool = true,
        enableSSO: Bool = false, issuer: String? = nil, tokensNotBefore: Int64 = 0, socialLogin: SocialLogin? = nil
    ) {
        self.name = name
        self.version = version
        self.id = id
        self.anonymousKey = anonymousKey
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.realm = realm
        self.oauthConsumer = oauthConsumer
        self.httpBasic = httpBasic
        self.enableSSO = enableSSO
        self.issuer = issuer
        self.tokensNotBefore = tokensNotBefore
        if let socialLogin { restrict(to: socialLogin) }
    }

    /// Lets users log in at the social provider only, regardless of the switches (FB-04).
    package mutating func restrict(to login: SocialLogin) {
        socialLogin = login
        oauthConsumer = false
        enableSSO = false
    }

    /// Removes every credential that grants access.
    package mutating func revoke() {
        clientSecret = nil
        httpBasic = false
        enableSSO = false
        tokensNotBefore = .max
        socialLogin = nil
        grants = ClientGrants()
    }

    /// Name on pages.
    package var title: String { displayName ?? name }
    /// Name in configuration and logs.
    package var reference: String { isRegistered || isStandard ? clientID : "\(name)/\(version)" }
    /// Whether it is a client of `clients.json`, without what mobile backends have beyond OAuth.
    package var isStandard: Bool { version.isEmpty }
    /// Whether it is a client that has registered itself.
    package var isRegistered: Bool { sponsorID != nil }
    /// The `id` in its access tokens, which routes know.
    package var tokenClientID: String { sponsorID ?? id }

    /// A client that has registered itself at this one. It has the realm, the ways to log in and the revocations of this
    /// one, and of its rights only those given here. Its id stands for it in the store, so that no other client can use
    /// its codes and refresh tokens.
    /// - Parameter secretDigest: SHA-256 digest of its secret; nil without one.
    package func sponsoring(
        _ clientID: String, title: String, secretDigest: [UInt8]?, _ grants: ClientGrants
    ) -> Client {
        var client = Client(
            name: name, version: version, id: clientID, clientID: clientID, realm: realm,
            oauthConsumer: oauthConsumer, httpBasic: false, tokensNotBefore: tokensNotBefore)
        client.sponsorID = id
        client.secretDigest = secretDigest
        client.displayName = title
        client.loginChoices = loginChoices
        client.grants = grants
        return client
    }
}
