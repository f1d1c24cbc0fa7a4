/// What a client may have of the token service beyond the grants of OAUTH-01 and OAUTH-03. Nothing, unless its entry says
/// so.
package struct ClientGrants: Sendable {
    /// How long refresh tokens live (RFC 6749 section 6); nil: there are none (OAUTH-05).
    package var refresh: RefreshLifetimes?
    /// `exp - iat` of its users' access tokens; nil for the token service's.
    package var accessTokenSeconds: Int64?
    /// Whether it may ask about tokens of its own (RFC 7662).
    package var introspection = false
    /// Which tokens it may exchange, and for which (RFC 8693); nil: none.
    package var exchange: ExchangeRules?
    /// Names of the trusted issuers whose identity assertions it may exchange; empty for none.
    package var assertionIssuers: [String] = []
    /// Whether its tokens must be bound to a key by a proof (`dpop_bound_access_tokens`, RFC 9449 section 5.2).
    package var requiresProofKey = false
    /// Whether its tokens are bound to its certificate (`tls_client_certificate_bound_access_tokens`, RFC 8705 section 3.4).
    package var bindsToCertificate = false
    /// Whether it has no secret, such as an application on a device: it cannot authenticate (RFC 6749 section 2.1).
    package var isPublic = false
    /// How users log in for it; nil: it gets no authorization codes.
    package var authorization: AuthorizationRules?
    /// Whether its users may log in on another device than its own (RFC 8628).
    package var allowsDevices = false
    /// The scopes that it may have; nil for all.
    package var scopes: [String]?
    /// The grant types of a client of `clients.json` that its entry does not name.
    package var withheld: Set<GrantType> = []
    /// Roles of its own, in tokens without a user.
    package var roles: [String] = []
    /// `aud` of its access tokens; nil for the token service's.
    package var audience: [String]?
    /// The claim of ID tokens and user information that has the user's roles; nil for none.
    package var groupsClaim: String?
    /// Pages of these origins alone may send its requests; nil for no such limit.
    package var allowedOrigins: AllowOriginPolicy?
    /// The algorithm of its ID tokens (`id_token_signed_response_alg`); nil for the token service's own.
    package var idTokenAlgorithm: SignatureAlgorithm?

    package init() {}

    /// Whether users log in for it by a browser and get tokens of scopes that they are asked about.
    package var asksUsers: Bool { authorization != nil || allowsDevices }
}

/// How long the refresh tokens of a client live.
package struct RefreshLifetimes: Sendable, Equatable {
    /// How long one may lie unused.
    package var tokenSeconds: Int64
    /// How long the first one and all that came of it live together: then the user logs in again.
    package var familySeconds: Int64
    /// How long after its use the one that was used last may come again, because the answer may have been lost; 0: never.
    package var reuseSeconds: Int64

    package init(tokenSeconds: Int64 = 2_592_000, familySeconds: Int64 = 7_776_000, reuseSeconds: Int64 = 0) {
        self.tokenSeconds = tokenSeconds
        self.familySeconds = familySeconds
        self.reuseSeconds = reuseSeconds
    }
}

/// What a client may exchange (RFC 8693). The new token is never worth more than the old one: the same
/// user, no further scope, no higher level, no later end.
package struct ExchangeRules: Sendable, Equatable {
    /// References of clients whose tokens it may bring, beside its own.
    package var subjects: [String]
    /// References of clients that it may have tokens for, beside its own.
    package var clients: [String]
    /// Values of `aud` that it may have tokens for. The gateway itself takes none of these tokens.
    package var audiences: [String]
    /// The scopes that such a token may have at the most; empty for all of the token that is brought.
    package var scopes: [String]
    /// Whether it may name an actor.
    package var actors: Bool
    /// The longest lifetime.
    package var lifetimeSeconds: Int64

    package init(
        subjects: [String] = [], clients: [String] = [], audiences: [String] = [], scopes: [String] = [],
        actors: Bool = false, lifetimeSeconds: Int64 = 3600
    ) {
        self.subjects = subjects
        self.clients = clients
        self.audiences = audiences
        self.scopes = scopes
        self.actors = actors
        self.lifetimeSeconds = lifetimeSeconds
    }
}
