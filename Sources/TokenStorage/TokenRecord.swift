/// What the store knows of a token, or of a pair of them. Tokens themselves are never in it in clear: they are found by
/// keyed digests, and where one must be given out again (AOM-06) it is sealed (`TokenDigestKey`).
package struct TokenRecord: Sendable, Equatable {
    /// What is recorded. The raw value is what stores write.
    package enum Kind: String, Sendable {
        /// Access and refresh token of an ApiOmat application (AOM-06).
        case pair
        /// A refresh token of the OAuth endpoint, with the access token that was issued beside it.
        case refresh
        /// An access token that only the store can tell anything of.
        case opaque
        /// A session of Mobile & Social, whose access token is the user token (OMS-06).
        case session
        /// A device with an application on it, whose access token is the client registration handle (OMS-15).
        case registration
        /// A client token of Mobile & Social.
        case client
        /// A login at an identity provider, on which sessions rest. It has no token; its application is the provider's
        /// session, or the provider's user (`ProviderLogin`).
        case provided
        /// A login that an application is to fetch its session for, whose access token is the one-time code (RP-02).
        case code
        /// What a user's password was at the last login at another server (OMS-12). It has no access token; the refresh
        /// digest names its state.
        case verifier
        /// A login by which browsers get tokens for applications (SSO-08). Nobody has a token of it.
        case signOn = "sso"
        /// What an identity provider has posted, for the browser to fetch. Nobody has a token of it.
        case posted
        /// A token that was issued for an upstream, to survive a restart (CACHE-10). Nobody has it but the gateway.
        case issued
    }

    /// The family: 128 random bits as text (`AccessTokenMinter.randomID()`). A rotation keeps it.
    package var id: String
    package var kind: Kind
    /// What at most one record holds at a time; empty for none. The caller makes it of application, system, user and
    /// `extra` (AOM-06).
    package var slot = ""
    /// Name of the ApiOmat application, or the id of the mobile backend: whom a refresh token belongs to (AOM-12).
    package var application: String
    package var subject: String
    /// What the deny list knows the access token by: its `jti`, or `TokenDigestKey.tokenID(of:)` of an opaque one. A token
    /// whose value may be set again after it was revoked (AOM-18) has a random one instead. Empty: there is none.
    package var tokenID: String
    /// Digest of an opaque access token; nil for a JWT, which is found by its `tokenID`.
    package var accessDigest: [UInt8]?
    /// Seconds since 1970 from which the access token is no longer good.
    package var accessExpiresAt: Int64
    package var refreshDigest: [UInt8]?
    /// Seconds since 1970 from which the refresh token is no longer good; 0 where there is none.
    package var refreshExpiresAt: Int64 = 0
    /// Seconds since 1970.
    package var issuedAt: Int64
    package var scope = ""
    /// `extra` of an ApiOmat pair (AOM-10).
    package var extra = ""
    /// Tokens that are given out again, sealed by `TokenDigestKey.seal`.
    package var sealed: [UInt8] = []
    /// Seconds since 1970; 0 for a record of which nobody notes when it is used (OMS-09).
    package var lastUsedAt: Int64 = 0
    /// A small JSON object of whoever made the record; the store does not look into it.
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

    /// Whether the access token is still good at a time, as far as its date goes.
    package func accessLives(at now: Int64) -> Bool { accessExpiresAt > now }

    /// Whether there is a refresh token that is still good at a time, as far as its date goes.
    package func refreshLives(at now: Int64) -> Bool { refreshDigest != nil && refreshExpiresAt > now }
}

/// Names one record. Digests are those of `TokenDigestKey`.
package enum TokenKey: Sendable, Equatable {
    case access([UInt8])
    case refresh([UInt8])
    /// A refresh token, or one that was exchanged: the record of its family. Exchanged tokens are known as long as reuse
    /// of them is detected.
    case family(ofRefresh: [UInt8])
    /// `TokenRecord.id`.
    case id(String)
    /// `TokenRecord.tokenID`.
    case tokenID(String)
}

/// Names records that are to be revoked.
package enum TokenSelector: Sendable, Equatable {
    /// The record of this key, if there is one.
    case one(TokenKey)
    /// All of a subject, in one application or in all of them (AOM-22).
    case subject(application: String?, subject: String)
    /// All of an application.
    case application(String)

    package static func access(_ digest: [UInt8]) -> TokenSelector { .one(.access(digest)) }
    package static func refresh(_ digest: [UInt8]) -> TokenSelector { .one(.refresh(digest)) }
    package static func id(_ family: String) -> TokenSelector { .one(.id(family)) }
    package static func tokenID(_ id: String) -> TokenSelector { .one(.tokenID(id)) }
}
