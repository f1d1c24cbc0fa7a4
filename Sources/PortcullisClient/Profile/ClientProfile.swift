import ClientStore

/// The settings of a client (OMH-08, OMS-02): `client.json`.
public struct ClientProfile: Equatable, Sendable {
    /// Without a trailing slash.
    public var baseURL: String
    public var backendName: String?
    public var backendVersion: String?
    public var mobileBackendID: String?
    /// The `Basic` credentials of anonymous requests.
    public var anonymousKey: String?
    public var clientID: String?
    public var clientSecret: String?
    /// Path or URL of the OAuth token endpoint.
    public var oauthTokenEndpoint = GatewayPaths.prefix + GatewayPaths.token
    /// Path or URL where packed SAML assertions are exchanged.
    public var ssoTokenEndpoint = GatewayPaths.browserExchange
    /// Path or URL where JWTs are exchanged.
    public var jwtTokenEndpoint = GatewayPaths.tokenExchange
    /// Sent with every request (RST-02).
    public var userAgent = "OAMMS-Agent"
    public var serviceDomain: String?
    /// The name of the application profile.
    public var appName: String?
    /// The identity provider: `facebook`, or nil for the gateway (FB-09).
    public var identityProvider: String?
    /// The application's id at the identity provider.
    public var appID: String?
    /// Name of the ApiOmat application; nil for `appName`.
    public var apiomatApp: String?
    /// Key of the ApiOmat application.
    public var apiKey: String?
    /// The system of the ApiOmat application that tokens are for.
    public var system = "LIVE"
    /// Further servers whose challenges are answered, each as `https://host:port`.
    public var hosts: [String] = []
    /// A PEM file with authorities that are trusted in addition to the system's.
    public var caFile: String?
    /// Time-out of requests.
    public var timeoutSeconds = 30
    /// Requested settings, which the server may override (OMS-22).
    public var settings = SessionSettings()

    public init(baseURL: String) { self.baseURL = baseURL }

    /// The absolute URL of a path of the gateway; an absolute URL is unchanged.
    public func url(_ reference: String) -> String {
        reference.contains("://") ? reference : baseURL + (reference.hasPrefix("/") ? "" : "/") + reference
    }

    /// The value of a property that a call needs.
    /// - Parameter name: its name in `client.json`.
    static func required(_ value: String?, _ name: String) throws(ClientError) -> String {
        guard let value else { throw ClientError(.missingProperty, "/\(name) is missing in the profile") }
        return value
    }

    /// The backend in error messages.
    var backend: String { "\(backendName ?? "")/\(backendVersion ?? "")" }
}

/// Settings that the application requests and the server's profile overrides (OMS-08 to OMS-11, OMS-22).
public struct SessionSettings: Equatable, Sendable {
    /// Seconds; nil or 0 for no limit.
    public var sessionTimeout: Int?
    /// Seconds; nil or 0 for no limit.
    public var idleTimeout: Int?
    /// Allowed failed attempts; nil for one.
    public var maxLoginAttempts: Int?
    /// Nil for not.
    public var offlineAuthentication: Bool?
    /// Scheme of stored passwords for offline logins, such as `SaltedSHA-512`.
    public var cryptoScheme: String?

    public init() {}

    /// These settings, overridden by those of the server.
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
