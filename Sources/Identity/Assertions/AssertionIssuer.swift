import Model

/// An outside issuer whose tokens are exchanged for the gateway's own: one valid entry of `issuers` in
/// `Security_AuthTokenConfiguration`.
package struct AssertionIssuer: Sendable {
    /// Source of its public keys; exactly one of the two (JWT-19, AMB-03).
    package enum Keys: Sendable, Equatable {
        /// A key set that is fetched over HTTP.
        case remote(AssertionKeySource)
        /// Certificates of the certificate store, by subject (JWT-20).
        case certificates([DistinguishedName])
    }

    /// `iss` of its tokens, compared byte by byte (JWT-10).
    package var name: String
    /// Tokens of a disabled issuer are refused like those of an unknown one (JWT-11).
    package var isEnabled = true
    /// Accepted values of a token's `aud`, if it has one (JWT-12).
    package var audiences: [String]
    /// Whether a token must have an `aud` (AMB-01).
    package var requiresAudience = false
    /// Whether an assertion may be exchanged only once (JTX-11).
    package var isSingleUse = false
    /// Whether a client must authenticate rather than only identify itself (JWT-15).
    package var requiresClientAuthentication = true
    package var keys: Keys
    /// Accepted signature algorithms (JWT-39).
    package var algorithms = AssertionIssuer.standardAlgorithms
    /// All of them must be satisfied (JWT-21).
    package var filters: [ClaimFilter] = []
    /// Clients that may exchange its tokens; nil for all (JWT-23).
    package var allowedClients: [AllowedClient]?
    /// How its users map to users of the gateway.
    package var rules: ExternalIdentityRules
    package var lifetime = TokenLifetime()
    /// Authentication level of the tokens issued to its users (CHAL-06).
    package var level = Principal.standardLevel
    /// Settings for SAML assertions; nil for entries of `issuers`.
    package var saml: SAMLTerms?

    package init(name: String, audiences: [String], keys: Keys, rules: ExternalIdentityRules = ExternalIdentityRules())
    {
        self.name = name
        self.audiences = audiences
        self.keys = keys
        self.rules = rules
    }

    /// RS, PS and ES with each hash length.
    package static let standardAlgorithms = Set(SignatureAlgorithm.asymmetric.filter { $0 != .edDSA })

    /// Default for `aud`: the base URL and the paths down to the token endpoint, each with and without a trailing
    /// slash.
    package static func standardAudiences(baseURL: String) -> [String] {
        var audience = baseURL
        var audiences = [audience, audience + "/"]
        for segment in ExchangePaths.tokens.split(separator: "/") {
            audience += "/" + segment
            audiences += [audience, audience + "/"]
        }
        return audiences
    }

    /// Whether this client may exchange its tokens.
    package func allows(_ client: Client) -> Bool {
        allowedClients?.contains { $0.matches(client) } ?? true
    }
}

/// Additional settings of a SAML issuer: an entry of `samlIssuers` (SAML-09).
package struct SAMLTerms: Sendable, Equatable {
    /// Whether SHA-1 signatures are accepted (SAML-04).
    package var allowsSHA1: Bool
    /// Accepted values of `Recipient`, if an assertion has one (SAML-06).
    package var recipients: [String]

    package init(allowsSHA1: Bool = false, recipients: [String] = []) {
        self.allowsSHA1 = allowsSHA1
        self.recipients = recipients
    }
}

/// Where a key set is fetched from and how (JWT-30 to JWT-38).
package struct AssertionKeySource: Sendable, Hashable {
    /// Versions of TLS as the configuration names them; `TLS` means all of them (AMB-07).
    package static let tlsVersionNames = ["SSL", "SSLv2", "SSLv3", "TLS", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]

    /// OpenID Connect discovery document; not fetched if there is a `jwksURI`.
    package var discoveryURI: WebURL?
    package var jwksURI: WebURL?
    package var allowsHTTP = false
    /// Seconds, as are all times here.
    package var minimumReloadInterval: Int64 = 60
    package var maximumReloadInterval: Int64 = 28_800
    package var connectTimeout: Int64 = 30
    package var readTimeout: Int64 = 60
    package var tlsVersions = ["TLSv1.1", "TLSv1.2"]
    /// Value of `Authorization` in the requests, never logged.
    package var authorizationHeader: String?
    /// PEM file with authorities in addition to the system's.
    package var trustFile: String?

    package init(discoveryURI: WebURL? = nil, jwksURI: WebURL? = nil) {
        self.discoveryURI = discoveryURI
        self.jwksURI = jwksURI
    }
}
