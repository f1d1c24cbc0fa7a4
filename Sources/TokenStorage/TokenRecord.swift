/// A stored token or pair of tokens. Never contains tokens in clear text: they are found by keyed digests, and sealed
/// if they must be returned again (AOM-06, `TokenDigestKey`).
package struct TokenRecord: Sendable, Equatable {
    /// Kind of record. The raw value is stored.
    package enum Kind: String, Sendable {
        /// Access and refresh token of an application (AOM-06).
        case pair
        /// A refresh token of the OAuth endpoint, with the access token issued with it.
        case refresh
        /// An opaque access token.
        case opaque
        /// A session of a service domain, whose access token is the user token (OMS-06).
        case session
        /// An application on a device, whose access token is the client registration handle (OMS-15).
        case registration
        /// A client token of a service domain.
        case client
        /// A login at an identity provider, on which sessions depend. It has no token; its application is the
        /// provider's session or the provider's user (`ProviderLogin`).
        case provided
        /// A completed login whose session an application can fetch; its access token is the one-time code (RP-02).
        case code
        /// A verifier of the user's password, from the last login at another server (OMS-12). It has no access token;
        /// the refresh digest identifies its state.
        case verifier
        /// A single sign-on session (SSO-08). It has no token.
        case signOn = "sso"
        /// An identity provider's posted answer, waiting for the browser. It has no token.
        case posted
        /// An authorization code, found by its digest as a refresh token. Its exchange rotates it to the record of the
        /// tokens, so that its reuse is detected like that of a refresh token.
        case authorization
        /// An authorization request that a client has pushed (RFC 9126); its access token is the reference.
        case pushed
        /// A login that a device waits for (RFC 8628). The refresh digest is that of the device code, the access digest
        /// that of the user code until the user has decided. Its exchange rotates it like an authorization code.
        case device
        /// What a user has allowed a client (RFC 6749 section 10.2). It has no token.
        case consent
        /// A client that has registered itself (RFC 7591); its access token is that of its registration.
        case dynamicClient = "client_registration"
        /// A token issued for an upstream, kept across a restart (CACHE-10). Only the gateway has it.
        case issued
    }

    /// Id of the family: 128 random bits as text (`AccessTokenMinter.randomID()`). Kept by rotation.
    package var id: String
    package var kind: Kind
    /// At most one record holds a slot; empty for none. The caller derives it from application, system, user and
    /// `extra` (AOM-06).
    package var slot = ""
    /// Name of the application or id of the mobile backend that a refresh token is bound to (AOM-12).
    package var application: String
    package var subject: String
    /// Id of the access token in the deny list: its `jti`, that of its family (`TokenFamily`), which rotation keeps, or
    /// `TokenDigestKey.tokenID(of:)` of an opaque one. Random if the same token value may be issued again after
    /// revocation (AOM-18). Empty without an access token.
    package var tokenID: String
    /// Digest of an opaque access token; nil for a JWT, which is found by `tokenID`.
    package var accessDigest: [UInt8]?
    /// Seconds since 1970 when the access token expires.
    package var accessExpiresAt: Int64
    package var refreshDigest: [UInt8]?
    /// Seconds since 1970 when the refresh token expires; 0 without one.
    package var refreshExpiresAt: Int64 = 0
    /// Seconds since 1970.
    package var issuedAt: Int64
    package var scope = ""
    /// `extra` of the pair of an application (AOM-10).
    package var extra = ""
    /// Tokens that must be returned again, sealed by `TokenDigestKey.seal`. It may seal nothing, to tell the key.
    package var sealed: [UInt8] = []
    /// Seconds since 1970; 0 for a record whose use is not tracked (OMS-09).
    package var lastUsedAt: Int64 = 0
    /// A small JSON object of the record's creator, opaque to the store.
    package var attributes: [UInt8] = []

    package init(
        id: String, kind: Kind, application: String, subject: String, tokenID: String, accessExpiresAt: Int64,
        issuedAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.application = application
        self.subject = subject
        self.tokenID = tokenID
        self.accessExpiresAt = accessExpiresAt
        self.issuedAt = issuedAt
    }

    /// Whether the access token has not expired at a time.
    package func accessLives(at now: Int64) -> Bool { accessExpiresAt > now }

    /// Whether there is a refresh token that has not expired at a time.
    package func refreshLives(at now: Int64) -> Bool { refreshDigest != nil && refreshExpiresAt > now }
}

/// Identifies one record. Digests are those of `TokenDigestKey`: of a list, the first that has a record.
package enum TokenKey: Sendable, Equatable {
    case access([UInt8])
    case refresh([UInt8])
    /// A current or exchanged refresh token: the record of its family. Exchanged tokens are known while their reuse is
    /// detected.
    case family(ofRefresh: [UInt8])
    /// `TokenRecord.id`.
    case id(String)
    /// `TokenRecord.id`, the first of these that has a record: `TokenDigestKey.keyedNames(of:)`.
    case names([String])
    /// `TokenRecord.tokenID`.
    case tokenID(String)
}

/// Selects records to revoke.
package enum TokenSelector: Sendable, Equatable {
    /// The record with this key, if it exists.
    case one(TokenKey)
    /// All records of a subject, in one application or in all (AOM-22).
    case subject(application: String?, subject: String)
    /// All records of an application.
    case application(String)

    package static func access(_ digest: [UInt8]) -> TokenSelector { .one(.access(digest)) }
    package static func refresh(_ digest: [UInt8]) -> TokenSelector { .one(.refresh(digest)) }
    package static func id(_ family: String) -> TokenSelector { .one(.id(family)) }
    package static func tokenID(_ id: String) -> TokenSelector { .one(.tokenID(id)) }
}
