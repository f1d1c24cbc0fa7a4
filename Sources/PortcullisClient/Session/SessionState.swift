/// The stored state of a client.
struct SessionState: Equatable, Sendable {
    var login: StoredLogin?
    var registration: Registration?
    /// Tokens for webgates, oldest first.
    var webgates: [WebgateToken] = []
    var profile: CachedProfile?
    var verifier: OfflineVerifier?
}

/// The server, application and backend that stored state is bound to.
struct Scope: Equatable, Sendable {
    var origin: String
    var serviceDomain: String?
    var appName: String?
}

/// A login with its credentials.
struct StoredLogin: Equatable, Sendable {
    var method: LoginMethod
    var scope: Scope
    /// Name and version of the backend: a token is bound to the first one it was used with (OMH-06).
    var backend: String
    var user: String?
    /// The access token, or the user token of `mobile`; nil for `basic`.
    var token: String?
    /// Only for `basic`, and for `application` without a token, which send it with each request.
    var password: String?
    /// Only for `application`.
    var refreshToken: String?
    var level: Int?
    /// Seconds since 1970; nil where the server did not say.
    var expiresAt: Int64?

    /// Names are compared byte by byte, as by the server.
    func isSameUser(as other: StoredLogin) -> Bool {
        scope == other.scope && (user ?? "").utf8.elementsEqual((other.user ?? "").utf8)
    }
}

/// The client registration handle of this device.
struct Registration: Equatable, Sendable {
    var scope: Scope
    var handle: String
}

/// An access token for one webgate of one server.
struct WebgateToken: Equatable, Sendable {
    var origin: String
    var webgate: String
    /// The requested level.
    var level: Int
    var token: String
    /// Seconds since 1970; nil where the server did not say.
    var expiresAt: Int64?
    /// Paths at which this webgate has challenged.
    var paths: [String] = []
}

/// The cached application profile (OMS-04).
struct CachedProfile: Equatable, Sendable {
    var scope: Scope
    var text: String
    var etag: String?
    /// Seconds since 1970.
    var freshUntil: Int64
}
