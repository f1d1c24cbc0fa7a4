import Bytes

/// What the gateway answers by itself. Endpoints take precedence over routes (section 1.4).
package enum Endpoint: UInt8, Sendable, CaseIterable {
    /// The OAuth token endpoint (OAUTH-01).
    case token
    /// Outside tokens are exchanged (JTX-01).
    case exchange
    /// Clients end tokens of theirs (RFC 7009).
    case revocation
    /// Resource servers ask what tokens are worth (RFC 7662).
    case introspection
    /// The public keys of the embedded issuer (ISS-02).
    case jwks
    /// Authorization server metadata (RFC 8414), also under the name that OpenID Connect clients ask for.
    case metadata
    /// Who am I (BASIC-04).
    case whoAmI
    /// Token maps of ApiOmat applications (AOM-01).
    case applicationToken
    /// The end of one token of an application (AOM-21), and of all that a user has (AOM-22).
    case applicationRevocation, applicationRevocationOfAll
    /// The users of applications (AOM-18).
    case applicationUsers
    /// Token services and profiles of Mobile & Social (OMS-03, OMS-06).
    case mobileSocial
    /// The logout of Access Manager (OMS-17).
    case mobileLogout
    /// The login form for browsers (SCH-02).
    case browserLogin
    /// Where browsers come back from identity providers (SSO-07, RP-01).
    case providerCallback
    /// Where identity providers say which logins have ended.
    case providerLogout
    /// Where identity providers read what they must know of the gateway (SAML metadata).
    case providerMetadata
    /// Where applications send browsers that are to log in at an identity provider (RP-02).
    case applicationLogin
    /// User profiles and groups of Mobile & Social (UPS-01).
    case userProfile
    /// Assertions by the header are exchanged (SAML-01), and browsers get their tokens (SSO-01).
    case singleSignOn
    /// A place that answers of identity providers may be sent to in a trial, so that they reach no upstream (SAML-17).
    case singleSignOnRedirect
    /// The login form of single sign-on (SSO-07), and its logout.
    case singleSignOnPages

    /// What metrics call it.
    package var name: String {
        switch self {
        case .token: "token"
        case .exchange: "exchange"
        case .revocation: "revocation"
        case .introspection: "introspection"
        case .jwks: "jwks"
        case .metadata: "metadata"
        case .whoAmI: "who_am_i"
        case .applicationToken: "application_token"
        case .applicationRevocation: "application_revocation"
        case .applicationRevocationOfAll: "application_revocation_of_all"
        case .applicationUsers: "application_users"
        case .mobileSocial: "mobile_social"
        case .mobileLogout: "mobile_logout"
        case .browserLogin: "browser_login"
        case .providerCallback: "provider_callback"
        case .providerLogout: "provider_logout"
        case .providerMetadata: "provider_metadata"
        case .applicationLogin: "application_login"
        case .userProfile: "user_profile"
        case .singleSignOn: "single_sign_on"
        case .singleSignOnRedirect: "single_sign_on_redirect"
        case .singleSignOnPages: "single_sign_on_pages"
        }
    }

    /// Whether it answers by who is calling, so that `PolicySnapshot.authenticate` is to be asked. The token endpoint
    /// reads its clients' credentials itself.
    package var wantsPrincipal: Bool { self == .whoAmI || self == .userProfile }

    /// Whether clients send it secrets that outlive the request, so that it is for TLS alone where listeners ask for that
    /// (GW-13).
    package var takesCredentials: Bool {
        switch self {
        case .token, .exchange, .revocation, .introspection, .applicationToken, .applicationRevocation,
            .applicationRevocationOfAll, .applicationUsers, .mobileSocial, .mobileLogout, .browserLogin,
            .providerCallback, .providerLogout, .applicationLogin, .userProfile, .singleSignOn,
            .singleSignOnRedirect, .singleSignOnPages:
            true
        case .jwks, .metadata, .whoAmI, .providerMetadata: false
        }
    }

    /// Whether forms of other sites are what it is there for, whoever they come from: what counts is what is in them. The
    /// pages of those sites read nothing of the answer.
    package var takesForeignForms: Bool { self == .providerCallback || self == .singleSignOnRedirect }

    /// The methods it has, as `Access-Control-Allow-Methods` and `Allow` name them.
    package var allowedMethodsText: [UInt8] {
        switch self {
        case .token, .exchange, .revocation, .introspection, .applicationToken, .providerLogout: Endpoint.posting
        case .applicationRevocation, .applicationRevocationOfAll, .mobileSocial, .mobileLogout,
            .singleSignOnRedirect:
            Endpoint.readingAndPosting
        case .browserLogin, .singleSignOnPages, .providerCallback: Endpoint.viewingAndPosting
        case .applicationUsers: Endpoint.changing
        case .userProfile: Endpoint.everything
        case .jwks, .metadata, .whoAmI, .providerMetadata, .applicationLogin: Endpoint.reading
        case .singleSignOn: Endpoint.getting
        }
    }

    private static let readingAndPosting = Array("GET, POST".utf8)
    private static let viewingAndPosting = Array("GET, HEAD, POST".utf8)
    private static let changing = Array("GET, HEAD, POST, PUT".utf8)
    private static let everything = Array("GET, HEAD, POST, PUT, PATCH, DELETE".utf8)
    private static let posting = Array("POST".utf8)
    private static let getting = Array("GET".utf8)
    private static let reading = Array("GET, HEAD".utf8)
}
