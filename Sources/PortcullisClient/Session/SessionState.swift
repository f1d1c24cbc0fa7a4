/// What a client keeps from one start of the program to the next.
struct SessionState: Codable, Equatable, Sendable {
    var login: KeptLogin?
    var registration: Registration?
    /// Tokens for webgates, in the order in which they came.
    var webgates: [WebgateToken] = []
    var profile: KeptProfile?
    var verifier: OfflineVerifier?
}

/// Which server and which part of it something was got for: nothing is used anywhere else.
struct Scope: Codable, Equatable, Sendable {
    var origin: String
    var serviceDomain: String?
    var appName: String?
}

/// A login, and what proves it.
struct KeptLogin: Codable, Equatable, Sendable {
    var method: LoginMethod
    var scope: Scope
    /// Name and version of the backend: a token is bound to the first one that it was used with (OMH-06).
    var backend: String
    var user: String?
    /// The access token, or the user token of `mobile`; nil for `basic`.
    var token: String?
    /// Only of `basic` and of `application` without a token, which send it with each request.
    var password: String?
    /// Only of `application`.
    var refreshToken: String?
    var level: Int?
    /// Seconds since 1970; nil where the server did not say.
    var expiresAt: Int64?

    /// Names are compared by their bytes, as the server does.
    func isOfSamePerson(as other: KeptLogin) -> Bool {
        scope == other.scope && (user ?? "").utf8.elementsEqual((other.user ?? "").utf8)
    }
}

/// The client registration handle of this device.
struct Registration: Codable, Equatable, Sendable {
    var scope: Scope
    var handle: String
}

/// An access token for one webgate of one server.
struct WebgateToken: Codable, Equatable, Sendable {
    var origin: String
    var webgate: String
    /// The level that was asked for.
    var level: Int
    var token: String
    /// Seconds since 1970; nil where the server did not say.
    var expiresAt: Int64?
    /// Paths at which this webgate has challenged.
    var paths: [String] = []
}

/// The application profile as it came (OMS-04).
struct KeptProfile: Codable, Equatable, Sendable {
    var scope: Scope
    var text: String
    var etag: String?
    /// Seconds since 1970.
    var freshUntil: Int64
}
