/// The login method and the credentials of requests.
public enum LoginMethod: String, Sendable, CaseIterable {
    /// A password grant at the OAuth endpoint; requests carry its access token.
    case oauth
    /// Each request carries user name and password.
    case basic
    /// A user token of the mobile service domain, which gets an access token for each challenging webgate.
    case mobile = "oam"
    /// A user of an ApiOmat application: requests carry the session token, or user name and password, with the key of
    /// the application.
    case application = "aom"
    /// Each request carries the anonymous key of the backend and a token of Facebook (FB-01).
    case facebook
    /// An exchanged outside token.
    case exchange
}

/// Whether a login may be offline (OMS-12).
public enum ConnectivityMode: String, Sendable, CaseIterable {
    case online, offline, auto
}

/// A login (OMS-05).
public struct AuthenticationContext: Equatable, Sendable {
    public let user: String?
    public let method: LoginMethod
    /// Authentication level, if known.
    public let level: Int?
    /// Seconds since 1970; nil if only the server knows.
    public let expiresAt: Int64?
    /// Whether the password was checked locally, without the server (OMS-12).
    public let isOffline: Bool

    init(_ login: StoredLogin, isOffline: Bool = false) {
        user = login.user
        method = login.method
        level = login.level
        expiresAt = login.expiresAt
        self.isOffline = isOffline
    }
}
