import Model

/// What a client has to know of its gateway and of itself (OMH-08, OMS-02): `client.json`.
public struct ClientProfile: Equatable, Sendable {
    /// Without a slash at its end.
    public var baseURL: String
    public var backendName: String?
    public var backendVersion: String?
    public var mobileBackendID: String?
    /// The value of `Authorization: Basic` of callers who have not logged in.
    public var anonymousKey: String?
    public var clientID: String?
    public var clientSecret: String?
    /// Path or URL of the OAuth token endpoint.
    public var oauthTokenEndpoint = OAuthEndpoints.tokenPath
    /// Path or URL where packed SAML assertions are exchanged.
    public var ssoTokenEndpoint = SingleSignOnEndpoints.exchangePath
    /// Path or URL where JWTs are exchanged.
    public var jwtTokenEndpoint = OAuthEndpoints.exchangePath
    /// Sent with every request (RST-02).
    public var userAgent = "OAMMS-Agent"
    public var serviceDomain: String?
    /// The name of the application profile.
    public var appName: String?
    /// Who logs users in: `facebook`, or nil for the gateway (FB-09).
    public var identityProvider: String?
    /// What the identity provider knows the application by.
    public var appID: String?
    /// Name of the ApiOmat application; nil where it is `appName`.
    public var apiomatApp: String?
    /// Key of the ApiOmat application.
    public var apiKey: String?
    /// The system of the ApiOmat application that tokens are for.
    public var system = "LIVE"
    /// Servers beside that of `baseURL` whose challenges are answered, each as `https://host:port`.
    public var hosts: [String] = []
    /// A file with certificates of authorities, in PEM form, that are trusted beside the system's.
    public var caFile: String?
    /// How long to wait for a server.
    public var timeoutSeconds = 30
    /// What the application asks for; where the server says something, that counts (OMS-22).
    public var settings = SessionSettings()

    public init(baseURL: String) { self.baseURL = baseURL }

    /// The absolute URL of a path of the gateway; an absolute URL stays what it is.
    public func url(_ reference: String) -> String {
        reference.contains("://") ? reference : baseURL + (reference.hasPrefix("/") ? "" : "/") + reference
    }

    /// How an error names the backend.
    var backend: String { "\(backendName ?? "")/\(backendVersion ?? "")" }
}

/// Settings that the application asks for, and that the server's profile overrides (OMS-08 to OMS-11, OMS-22).
public struct SessionSettings: Equatable, Sendable {
    /// Seconds; nil or 0 for no limit.
    public var sessionTimeout: Int?
    /// Seconds; nil or 0 for no limit.
    public var idleTimeout: Int?
    /// Failed attempts that are allowed; nil for one.
    public var maxLoginAttempts: Int?
    /// Nil for not.
    public var offlineAuthentication: Bool?
    /// How passwords are kept for logins without the server, such as `SaltedSHA-512`.
    public var cryptoScheme: String?

    public init() {}

    /// These settings, where the server says nothing of its own.
    func overridden(by server: SessionSettings) -> SessionSettings {
        var merged = self
        merged.sessionTimeout = server.sessionTimeout ?? sessionTimeout
        merged.idleTimeout = server.idleTimeout ?? idleTimeout
        merged.maxLoginAttempts = server.maxLoginAttempts ?? maxLoginAttempts
        merged.offlineAuthentication = server.offlineAuthentication ?? offlineAuthentication
        merged.cryptoScheme = server.cryptoScheme ?? cryptoScheme
        return merged
    }
}
