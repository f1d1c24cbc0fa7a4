import Bytes
import ClientStore
import Model

/// The server's profile of an application (OMS-03): its services and settings.
public struct ApplicationProfile: Equatable, Sendable {
    public let name: String
    public let serviceDomain: String
    /// How long the profile may be cached, in seconds.
    public let cacheSeconds: Int
    /// What overrides the application's own settings (OMS-22).
    public let settings: SessionSettings
    /// Names of the identity providers at which users of the domain may log in; nil where the server does not say.
    public let identityProviders: [String]?
    /// The whole response.
    public let json: ClientJSON

    /// Paths of the services. Nil where devices need not be registered.
    let registration: String?
    let authentication: String
    let access: String
    let logout: String?
    /// The device claims that the server requests; empty for all.
    let claims: [String]

    /// The default paths of services.
    private static let usual = GatewayPaths.mobileSocial + "mobileoamauthentication"

    /// - Parameters:
    ///   - text: the body of the response.
    ///   - scope: the requested scope.
    init(_ text: [UInt8], scope: Scope) throws(ClientError) {
        guard let root = try? JSONNode.parse(text.span), root.members != nil else {
            throw ClientError(.malformedResponse, "the application profile is no JSON object")
        }
        json = ClientJSON(root)
        name = root["name"]?.string ?? root["applicationName"]?.string ?? scope.appName ?? ""
        serviceDomain = root["serviceDomain"]?.string ?? scope.serviceDomain ?? ""
        cacheSeconds = ApplicationProfile.seconds(root["profileCacheDuration"]) ?? 0
        let endpoints = root["endpoints"]
        let isForDevices = root["securityPolicy"]?["registrationRequired"]?.bool ?? true
        let register = ApplicationProfile.path(root["registrationService"] ?? endpoints?["registration"])
        registration = isForDevices ? register : nil
        authentication =
            ApplicationProfile.path(root["userAuthService"] ?? endpoints?["authentication"])
            ?? "\(ApplicationProfile.usual)/authenticate"
        access =
            ApplicationProfile.path(root["accessService"] ?? endpoints?["authorization"])
            ?? "\(ApplicationProfile.usual)/access"
        logout = ApplicationProfile.path(root["deleteService"] ?? endpoints?["logout"])
        claims = (root["mobileAppConfig"]?["claimAttributes"]?.array ?? []).compactMap(\.string)
        identityProviders = root["identityProviders"]?.array?.compactMap(\.string)
        settings = ApplicationProfile.settings(root)
    }

    private static func settings(_ root: JSONNode) -> SessionSettings {
        let policy = root["securityPolicy"] ?? root
        var settings = SessionSettings()
        settings.sessionTimeout = seconds(policy["sessionTimeout"])
        settings.idleTimeout = seconds(policy["idleTimeout"])
        settings.maxLoginAttempts = seconds(policy["maxLoginAttempts"])
        settings.offlineAuthentication = policy["offlineAuthentication"]?.bool ?? policy["offline"]?.bool
        settings.cryptoScheme = root["mobileCustomAttributes"]?["CryptoScheme"]?.string
        return settings
    }

    /// The integer part of a number (S10).
    private static func seconds(_ node: JSONNode?) -> Int? {
        guard let number = node?.number, number >= 0, number <= Double(Int32.max) else { return nil }
        return Int(number)
    }

    /// The path of a service. Only the path of an absolute URL is used, since passwords and tokens must only be sent to
    /// the gateway of the client's profile.
    private static func path(_ node: JSONNode?) -> String? {
        guard let text = node?.string else { return nil }
        if text.hasPrefix("/") { return text }
        return (try? WebURL(client: text))?.target
    }
}
